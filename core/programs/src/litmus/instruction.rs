//! Instructions of X86 and X86_64 that litmus tests use.

use super::error::{Problem, ReadError};
use super::flags::Condition;
use super::operand::{Address, Operand, operand};
use super::register::{Architecture, Name};
use super::token::{Token, Tokens};
use crate::Sign;

/// Atomicity of an instruction that reads and writes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// Atomic.
    Locked,
    /// Not atomic: other threads may access the location in between.
    Unlocked,
}

/// Operation of an arithmetic instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// `ADD`.
    Add,
    /// `SUB`.
    Subtract,
    /// `AND`.
    And,
    /// `OR`.
    Or,
    /// `XOR`.
    Xor,
    /// `INC`: adds 1.
    Increment,
    /// `DEC`: subtracts 1.
    Decrement,
    /// `NEG`: subtracts from 0.
    Negate,
    /// `NOT`: flips every bit.
    Not,
}

/// Kind of a shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    /// `SHL`, `SAL`.
    Left,
    /// `SHR`.
    Right,
    /// `SAR`: fills up with the highest bit.
    Arithmetic,
}

/// Number of bits by which a shift moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// This number, modulo 32, or 64 for an operand of 64 bits.
    Number(i128),
    /// The contents of `CL`, modulo the same.
    Register,
}

impl Count {
    /// Greatest count for an operand of this width.
    pub fn most(width: Width) -> i64 {
        match width {
            Some(64) => 63,
            _ => 31,
        }
    }

    /// The number modulo 32 or 64; 0 for a register.
    pub fn masked(self, width: Width) -> i64 {
        match self {
            Self::Number(number) => number as i64 & Self::most(width),
            Self::Register => 0,
        }
    }
}

/// Width of an instruction in bits, if its suffix or a register tells it; otherwise it is that of the variable.
pub(super) type Width = Option<u32>;

/// Instruction. The destination is `to` for both architectures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    /// No effect on memory or registers.
    Nothing,
    /// `MFENCE`.
    Fence,
    /// `RET`: the thread ends.
    Return,
    /// `MOV`.
    Move {
        width: Width,
        to: Operand,
        from: Operand,
    },
    /// `MOVZX`, `MOVSX`, `CLTQ`.
    Extend {
        to: Name,
        from: Operand,
        width: Width,
        sign: Sign,
    },
    /// `LEA`.
    AddressOf { to: Name, of: Address },
    /// `XCHG`.
    Exchange {
        width: Width,
        to: Operand,
        from: Name,
    },
    /// `XADD`.
    ExchangeAdd {
        lock: Lock,
        width: Width,
        to: Operand,
        from: Name,
    },
    /// `CMPXCHG`.
    CompareExchange {
        lock: Lock,
        width: Width,
        to: Address,
        from: Name,
    },
    /// `ADD`, `NEG` and so on. Operations of one operand have the other as a number.
    Arithmetic {
        lock: Lock,
        operation: Operation,
        width: Width,
        to: Operand,
        from: Operand,
    },
    /// `SHL`, `SHR`, `SAR`.
    Shift {
        shift: Shift,
        width: Width,
        to: Operand,
        count: Count,
    },
    /// `CMP`: the flags of `left - right`.
    Compare {
        width: Width,
        left: Operand,
        right: Operand,
    },
    /// `TEST`: the flags of `left & right`.
    Test {
        width: Width,
        left: Operand,
        right: Operand,
    },
    /// `SETcc`.
    Set(Condition, Operand),
    /// `CMOVcc`.
    MoveIf {
        condition: Condition,
        width: Width,
        to: Name,
        from: Operand,
    },
    /// `JMP`.
    Jump(String),
    /// `Jcc`.
    JumpIf(Condition, String),
}

impl Instruction {
    /// True if a shift by `count` bits moves out every bit, so that what it moves out last is undefined.
    pub fn shifts_out(&self, count: i64) -> bool {
        match self {
            Self::Shift {
                shift: Shift::Left | Shift::Right,
                width,
                ..
            } => count >= i64::from(width.unwrap_or(8)),
            _ => false,
        }
    }

    /// Sets the width of an instruction that has none of its own.
    pub fn resolve(&mut self, bits: u32) {
        if let Self::Move { width, .. }
        | Self::Exchange { width, .. }
        | Self::ExchangeAdd { width, .. }
        | Self::CompareExchange { width, .. }
        | Self::Arithmetic { width, .. }
        | Self::Shift { width, .. }
        | Self::Compare { width, .. }
        | Self::Test { width, .. } = self
        {
            width.get_or_insert(bits);
        }
    }

    /// Operands, each with its width.
    pub fn operands(&self) -> Vec<(&Operand, Width)> {
        match self {
            Self::Move { width, to, from }
            | Self::Arithmetic {
                width, to, from, ..
            }
            | Self::Compare {
                width,
                left: to,
                right: from,
            }
            | Self::Test {
                width,
                left: to,
                right: from,
            } => vec![(to, *width), (from, *width)],
            Self::Extend { from, width, .. } | Self::MoveIf { from, width, .. } => {
                vec![(from, *width)]
            }
            Self::Exchange { width, to, .. }
            | Self::ExchangeAdd { width, to, .. }
            | Self::Shift { width, to, .. } => vec![(to, *width)],
            Self::Set(_, to) => vec![(to, Some(8))],
            Self::Nothing
            | Self::Fence
            | Self::Return
            | Self::AddressOf { .. }
            | Self::CompareExchange { .. }
            | Self::Jump(_)
            | Self::JumpIf(..) => Vec::new(),
        }
    }

    /// Memory that the instruction accesses, with the width of the access.
    pub fn accesses(&self) -> Vec<(&Address, Width)> {
        if let Self::CompareExchange { width, to, .. } = self {
            return vec![(to, *width)];
        }
        let operands = self.operands().into_iter();
        operands
            .filter_map(|(operand, width)| Some((operand.memory()?, width)))
            .collect()
    }

    /// Variable whose address the instruction computes.
    pub fn taken(&self) -> Option<&String> {
        if let Self::AddressOf { of, .. } = self {
            return of.variable.as_ref();
        }
        let mut operands = self.operands().into_iter();
        operands.find_map(|(operand, _)| match operand {
            Operand::Address(name) => Some(name),
            _ => None,
        })
    }

    /// Registers that the instruction reads or writes, as the parts that it names.
    pub fn registers(&self, architecture: Architecture) -> Vec<Name> {
        let mut names: Vec<Name> = self
            .accesses()
            .iter()
            .flat_map(|(at, _)| at.registers())
            .collect();
        names.extend(
            self.operands()
                .iter()
                .filter_map(|(operand, _)| match operand {
                    Operand::Register(name) => Some(*name),
                    _ => None,
                }),
        );
        match self {
            Self::Extend { to, .. } | Self::MoveIf { to, .. } => names.push(*to),
            Self::AddressOf { to, of } => {
                names.push(*to);
                names.extend(of.registers());
            }
            Self::Exchange { from, .. } | Self::ExchangeAdd { from, .. } => names.push(*from),
            Self::CompareExchange { from, .. } => {
                names.push(*from);
                names.push(architecture.accumulator(from.bits));
            }
            Self::Shift {
                count: Count::Register,
                ..
            } => names.push(architecture.count()),
            _ => (),
        }
        names
    }
}

/// Cell of the program: labels and an instruction.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub line: usize,
    /// Labels before the instruction.
    pub labels: Vec<String>,
    /// The instruction, if any.
    pub instruction: Option<Instruction>,
}

/// Parses a cell of the program.
pub(super) fn cell(architecture: Architecture, text: &str, line: usize) -> Result<Cell, ReadError> {
    let mut tokens = Tokens::of(text, line)?;
    let line = tokens.line();
    let mut labels = Vec::new();
    while tokens.peek_at(1) == Some(&Token::Symbol(":")) {
        labels.push(tokens.name("a label")?);
        tokens.take();
    }
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.chars().take(80).collect();
    let mut parser = Parser {
        tokens,
        architecture,
        text,
    };
    let instruction = if parser.tokens.is_at_end() {
        None
    } else {
        Some(parser.instruction()?)
    };
    if !parser.tokens.is_at_end() {
        return Err(parser.tokens.unexpected("the end of the instruction"));
    }
    Ok(Cell {
        line,
        labels,
        instruction,
    })
}

/// Family of instructions with one syntax, by the mnemonic without the suffix for the width.
#[derive(Clone, Copy)]
enum Family {
    Move,
    Exchange,
    ExchangeAdd,
    CompareExchange,
    Compare,
    Test,
    AddressOf,
    Two(Operation),
    One(Operation),
    Shift(Shift),
    LongNothing,
}

const FAMILIES: [(&str, Family); 22] = [
    ("mov", Family::Move),
    ("movabs", Family::Move),
    ("xchg", Family::Exchange),
    ("xadd", Family::ExchangeAdd),
    ("cmpxchg", Family::CompareExchange),
    ("cmp", Family::Compare),
    ("test", Family::Test),
    ("lea", Family::AddressOf),
    ("add", Family::Two(Operation::Add)),
    ("sub", Family::Two(Operation::Subtract)),
    ("and", Family::Two(Operation::And)),
    ("or", Family::Two(Operation::Or)),
    ("xor", Family::Two(Operation::Xor)),
    ("inc", Family::One(Operation::Increment)),
    ("dec", Family::One(Operation::Decrement)),
    ("neg", Family::One(Operation::Negate)),
    ("not", Family::One(Operation::Not)),
    ("shl", Family::Shift(Shift::Left)),
    ("sal", Family::Shift(Shift::Left)),
    ("shr", Family::Shift(Shift::Right)),
    ("sar", Family::Shift(Shift::Arithmetic)),
    ("nop", Family::LongNothing),
];

/// Width that a suffix stands for.
fn suffix_width(suffix: char) -> Option<u32> {
    match suffix {
        'b' => Some(8),
        'w' => Some(16),
        'l' => Some(32),
        'q' => Some(64),
        _ => None,
    }
}

/// Widths of `movzbl` and the like: of the source and of the destination.
struct Extension {
    sign: Sign,
    from: Width,
    to: Width,
}

struct Parser {
    tokens: Tokens,
    architecture: Architecture,
    text: String,
}

impl Parser {
    fn unknown(&self) -> ReadError {
        Problem::Instruction(self.text.clone()).on(self.tokens.line())
    }

    fn operands_expected(&self, expected: &'static str) -> ReadError {
        Problem::Operands {
            instruction: self.text.clone(),
            expected,
        }
        .on(self.tokens.line())
    }

    fn instruction(&mut self) -> Result<Instruction, ReadError> {
        let mut lock = Lock::Unlocked;
        let mut mnemonic = self.mnemonic()?;
        if mnemonic == "lock" {
            lock = Lock::Locked;
            mnemonic = self.mnemonic()?;
        } else {
            mnemonic = self.without_prefixes(mnemonic)?;
        }
        if let Some(instruction) = self.without_operands(&mnemonic)? {
            return match lock {
                Lock::Locked => Err(self.operands_expected("no LOCK in front of it")),
                Lock::Unlocked => Ok(instruction),
            };
        }
        if let Some(extension) = self.extension(&mnemonic) {
            if lock == Lock::Locked {
                return Err(self.operands_expected("no LOCK in front of it"));
            }
            return self.extend(extension);
        }
        if let Some(instruction) = self.conditional(&mnemonic)? {
            return match lock {
                Lock::Locked => Err(self.operands_expected("no LOCK in front of it")),
                Lock::Unlocked => Ok(instruction),
            };
        }
        let (family, width) = self.family(&mnemonic).ok_or_else(|| self.unknown())?;
        let lockable = matches!(
            family,
            Family::Exchange
                | Family::ExchangeAdd
                | Family::CompareExchange
                | Family::Two(_)
                | Family::One(_)
        );
        if lock == Lock::Locked && !lockable {
            return Err(self.operands_expected("no LOCK in front of it"));
        }
        match family {
            // Nothing is accessed, so the address need not be that of a variable.
            Family::LongNothing => match operand(&mut self.tokens, self.architecture)? {
                Operand::Memory(_) | Operand::Register(_) => Ok(Instruction::Nothing),
                _ => Err(self.operands_expected("a register or memory")),
            },
            Family::One(operation) => self.one(lock, operation, width),
            Family::Shift(shift) => self.shift(shift, width),
            _ => self.two(lock, family, width),
        }
    }

    /// Skips prefixes that compilers print before instructions without an effect.
    fn without_prefixes(&mut self, mnemonic: String) -> Result<String, ReadError> {
        let first = mnemonic.clone();
        let mut mnemonic = mnemonic;
        while matches!(
            &*mnemonic,
            "data16" | "cs" | "rep" | "repz" | "bnd" | "notrack"
        ) {
            mnemonic = self.mnemonic()?;
        }
        let plain = ["nop", "nopw", "nopl", "nopq", "ret", "retq"].contains(&&*mnemonic);
        if first == mnemonic || plain {
            Ok(mnemonic)
        } else {
            Err(self.unknown())
        }
    }

    /// Parses an instruction whose operands, if any, are no values.
    fn without_operands(&mut self, mnemonic: &str) -> Result<Option<Instruction>, ReadError> {
        let wide = self.architecture == Architecture::X8664;
        Ok(Some(match mnemonic {
            "mfence" => Instruction::Fence,
            "sfence" | "lfence" | "pause" | "endbr64" | "endbr32" => Instruction::Nothing,
            "nop" if !wide || self.tokens.is_at_end() => Instruction::Nothing,
            "ret" => Instruction::Return,
            "retq" if wide => Instruction::Return,
            "jmp" => Instruction::Jump(self.tokens.name("a label")?),
            "cltq" | "cdqe" if wide => self.extends_accumulator(64, 32),
            "cwtl" | "cwde" => self.extends_accumulator(32, 16),
            "cbtw" | "cbw" if wide => self.extends_accumulator(16, 8),
            _ => return Ok(None),
        }))
    }

    /// Sign extension within the accumulator.
    fn extends_accumulator(&self, to: u32, from: u32) -> Instruction {
        Instruction::Extend {
            to: self.architecture.accumulator(to),
            from: Operand::Register(self.architecture.accumulator(from)),
            width: Some(from),
            sign: Sign::Signed,
        }
    }

    /// Parses `Jcc`, `SETcc` and `CMOVcc`.
    fn conditional(&mut self, mnemonic: &str) -> Result<Option<Instruction>, ReadError> {
        if let Some(condition) = mnemonic.strip_prefix('j').and_then(Condition::named) {
            let label = self.tokens.name("a label")?;
            return Ok(Some(Instruction::JumpIf(condition, label)));
        }
        if let Some(suffix) = mnemonic.strip_prefix("set") {
            // The suffix `b` of the herd tools for a byte is that of a condition, too.
            let Some(condition) = Condition::named(suffix) else {
                return Ok(None);
            };
            let to = self.operand()?;
            let is_byte = match &to {
                Operand::Register(name) => name.bits == 8,
                other => other.is_memory(),
            };
            return if is_byte {
                Ok(Some(Instruction::Set(condition, to)))
            } else {
                Err(self.operands_expected("a register of 8 bits, or memory"))
            };
        }
        let Some(suffix) = mnemonic.strip_prefix("cmov") else {
            return Ok(None);
        };
        let sized = || {
            let width = suffix_width(suffix.chars().next_back()?)?;
            let condition = Condition::named(&suffix[..suffix.len() - 1])?;
            Some((condition, Some(width)))
        };
        let found = Condition::named(suffix).map(|condition| (condition, None));
        let Some((condition, width)) = found.or_else(sized) else {
            return Ok(None);
        };
        let (to, from) = self.pair()?;
        let width = self.width(width, &[&to, &from])?;
        match (to, &from) {
            (Operand::Register(to), Operand::Register(_) | Operand::Memory(_)) if to.bits > 8 => {
                Ok(Some(Instruction::MoveIf {
                    condition,
                    width,
                    to,
                    from,
                }))
            }
            _ => {
                Err(self
                    .operands_expected("a register of more than 8 bits, and another one or memory"))
            }
        }
    }

    /// Looks up `movzbl` and the like.
    fn extension(&self, mnemonic: &str) -> Option<Extension> {
        let (sign, rest) = match mnemonic.strip_prefix("movz") {
            Some(rest) => (Sign::Unsigned, rest),
            None => (Sign::Signed, mnemonic.strip_prefix("movs")?),
        };
        let of = |from, to| Some(Extension { sign, from, to });
        match (rest, sign) {
            ("x", _) => of(None, None),
            ("xd", Sign::Signed) => of(Some(32), Some(64)),
            ("lq", Sign::Signed) => of(Some(32), Some(64)),
            ("bw", _) => of(Some(8), Some(16)),
            ("bl", _) => of(Some(8), Some(32)),
            ("bq", _) => of(Some(8), Some(64)),
            ("wl", _) => of(Some(16), Some(32)),
            ("wq", _) => of(Some(16), Some(64)),
            _ => None,
        }
    }

    fn extend(&mut self, extension: Extension) -> Result<Instruction, ReadError> {
        let (to, from) = self.pair()?;
        let Operand::Register(to) = to else {
            return Err(self.operands_expected("a register as the destination"));
        };
        let from_bits = match &from {
            Operand::Register(name) => Some(name.bits),
            Operand::Memory(_) => extension.from,
            _ => return Err(self.operands_expected("a register or memory as the source")),
        };
        let width = extension.from.or(from_bits);
        let fits = from_bits == width
            && extension.to.is_none_or(|bits| bits == to.bits)
            && width.is_some_and(|bits| bits < to.bits);
        if fits {
            Ok(Instruction::Extend {
                to,
                from,
                width,
                sign: extension.sign,
            })
        } else {
            Err(self.operands_expected("a source that is narrower than the destination, and both of the widths that the suffix tells"))
        }
    }

    /// Family of the mnemonic, and the width that its suffix tells.
    fn family(&self, mnemonic: &str) -> Option<(Family, Width)> {
        let known = |name: &str| {
            let found = FAMILIES.into_iter().find(|(known, _)| *known == name);
            found.map(|(_, family)| family)
        };
        if let Some(family) = known(mnemonic) {
            return Some((family, None));
        }
        if self.architecture == Architecture::X86 {
            return None;
        }
        let width = suffix_width(mnemonic.chars().next_back()?)?;
        Some((known(&mnemonic[..mnemonic.len() - 1])?, Some(width)))
    }

    /// Parses two operands; the first of the pair is the destination.
    fn pair(&mut self) -> Result<(Operand, Operand), ReadError> {
        let first = self.operand()?;
        self.tokens.expect(",")?;
        let second = self.operand()?;
        Ok(match self.architecture {
            Architecture::X86 => (first, second),
            Architecture::X8664 => (second, first),
        })
    }

    /// Width that the suffix or the registers among `operands` tell; they have to agree.
    fn width(&self, suffix: Width, operands: &[&Operand]) -> Result<Width, ReadError> {
        let mut width = suffix;
        for operand in operands {
            if let Operand::Register(name) = operand {
                if width.is_some_and(|width| width != name.bits) {
                    return Err(self.operands_expected("registers of the width of the instruction"));
                }
                width = Some(name.bits);
            }
        }
        if width.is_none() && !operands.iter().any(|operand| operand.is_memory()) {
            return Err(self.operands_expected("a register or memory among its operands"));
        }
        Ok(width)
    }

    fn one(
        &mut self,
        lock: Lock,
        operation: Operation,
        width: Width,
    ) -> Result<Instruction, ReadError> {
        let to = self.operand()?;
        let width = self.width(width, &[&to])?;
        if lock == Lock::Locked && operation == Operation::Negate {
            return Err(self.operands_expected("no LOCK in front of it"));
        }
        let from = Operand::Number(match operation {
            Operation::Not => -1,
            _ => 1,
        });
        self.arithmetic(lock, operation, width, to, from)
    }

    fn shift(&mut self, shift: Shift, width: Width) -> Result<Instruction, ReadError> {
        let first = self.operand()?;
        let (to, count) = if self.tokens.takes(",") {
            let second = self.operand()?;
            match self.architecture {
                Architecture::X86 => (first, second),
                Architecture::X8664 => (second, first),
            }
        } else {
            (first, Operand::Number(1))
        };
        let width = self.width(width, &[&to])?;
        let count = match count {
            Operand::Number(number) if (0..256).contains(&number) => Count::Number(number),
            Operand::Register(name) if name == self.architecture.count() => Count::Register,
            _ => return Err(self.operands_expected("a count from 0 to 255, or in CL")),
        };
        if to.is_destination() {
            Ok(Instruction::Shift {
                shift,
                width,
                to,
                count,
            })
        } else {
            Err(self.operands_expected("a register or memory as the destination"))
        }
    }

    fn two(&mut self, lock: Lock, family: Family, width: Width) -> Result<Instruction, ReadError> {
        let (to, from) = self.pair()?;
        if let Family::AddressOf = family {
            return match (to, from) {
                (Operand::Register(to), Operand::Memory(of))
                    if to.bits >= 16 && width.is_none_or(|width| width == to.bits) =>
                {
                    Ok(Instruction::AddressOf { to, of })
                }
                _ => Err(self
                    .operands_expected("a register of the width of the instruction, and memory")),
            };
        }
        let width = self.width(width, &[&to, &from])?;
        let both_in_memory = to.is_memory() && from.is_memory();
        match family {
            Family::Two(operation) => self.arithmetic(lock, operation, width, to, from),
            Family::Move if both_in_memory || !to.is_destination() => {
                Err(self.operands_expected("a destination, and one operand in memory at most"))
            }
            Family::Move => Ok(Instruction::Move { width, to, from }),
            Family::Compare | Family::Test if both_in_memory => {
                Err(self.operands_expected("one operand in memory at most"))
            }
            Family::Compare => Ok(Instruction::Compare {
                width,
                left: to,
                right: from,
            }),
            Family::Test => Ok(Instruction::Test {
                width,
                left: to,
                right: from,
            }),
            Family::Exchange => match (to, from) {
                (to @ Operand::Memory(_), Operand::Register(from))
                | (Operand::Register(from), to @ Operand::Memory(_)) => {
                    Ok(Instruction::Exchange { width, to, from })
                }
                (to @ Operand::Register(_), Operand::Register(from)) if lock == Lock::Unlocked => {
                    Ok(Instruction::Exchange { width, to, from })
                }
                _ => Err(self.operands_expected("a register, and another one or memory")),
            },
            Family::ExchangeAdd => match (to, from) {
                (to @ Operand::Memory(_), Operand::Register(from)) => {
                    Ok(Instruction::ExchangeAdd {
                        lock,
                        width,
                        to,
                        from,
                    })
                }
                (to @ Operand::Register(_), Operand::Register(from)) if lock == Lock::Unlocked => {
                    Ok(Instruction::ExchangeAdd {
                        lock,
                        width,
                        to,
                        from,
                    })
                }
                _ => Err(self
                    .operands_expected("a register or memory as the destination, and a register")),
            },
            Family::CompareExchange => match (to, from) {
                (Operand::Memory(to), Operand::Register(from))
                | (Operand::Register(from), Operand::Memory(to)) => {
                    Ok(Instruction::CompareExchange {
                        lock,
                        width,
                        to,
                        from,
                    })
                }
                _ => Err(self.operands_expected("a register and memory, in either order")),
            },
            Family::AddressOf | Family::One(_) | Family::Shift(_) | Family::LongNothing => {
                unreachable!("it has no two values")
            }
        }
    }

    fn arithmetic(
        &self,
        lock: Lock,
        operation: Operation,
        width: Width,
        to: Operand,
        from: Operand,
    ) -> Result<Instruction, ReadError> {
        if lock == Lock::Locked && (!to.is_memory() || from.is_memory()) {
            return Err(self.operands_expected("memory as the destination, and only there"));
        }
        if to.is_memory() && from.is_memory() || !to.is_destination() {
            let expected = "a destination, and one operand in memory at most";
            return Err(self.operands_expected(expected));
        }
        Ok(Instruction::Arithmetic {
            lock,
            operation,
            width,
            to,
            from,
        })
    }

    fn mnemonic(&mut self) -> Result<String, ReadError> {
        let name = self.tokens.name("an instruction")?;
        Ok(name.to_ascii_lowercase())
    }

    /// Parses an operand whose value or address matters.
    fn operand(&mut self) -> Result<Operand, ReadError> {
        let operand = operand(&mut self.tokens, self.architecture)?;
        if let Operand::Memory(address) = &operand {
            let is_whole = |name: Name| name.bits == self.architecture.bits();
            let scales = address
                .index
                .is_none_or(|(_, factor)| [1, 2, 4, 8].contains(&factor));
            if !address.registers().all(is_whole) || !scales {
                return Err(self.operands_expected(
                    "whole registers in an address, and a factor of 1, 2, 4 or 8",
                ));
            }
        }
        Ok(operand)
    }
}
