//! Instructions of X86 and X86_64 that litmus tests use.

use super::error::{Problem, ReadError};
use super::proposition::signed_number;
use super::register::{Architecture, Name};
use super::token::{Token, Tokens};
use crate::Operator;

/// Operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// A register.
    Register(Name),
    /// A number.
    Number(i64),
    /// The address of a variable.
    Address(String),
    /// Memory of a variable.
    Variable(String),
    /// Memory that a register points to.
    Pointed(Name),
}

impl Operand {
    /// Whether the operand is in memory.
    pub fn is_memory(&self) -> bool {
        matches!(self, Self::Variable(_) | Self::Pointed(_))
    }

    fn is_register(&self) -> bool {
        matches!(self, Self::Register(_))
    }
}

/// Whether an instruction that reads and writes memory is atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// Atomic.
    Locked,
    /// Not atomic: other threads may access the location in between.
    Unlocked,
}

/// Instruction. The destination is the first operand for both architectures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    /// No effect on memory or registers.
    Nothing,
    /// `MFENCE`.
    Fence,
    /// `MOV`.
    Move(Operand, Operand),
    /// `XCHG`.
    Exchange(Operand, Operand),
    /// `ADD`, `XOR` and so on.
    Arithmetic(Lock, Operator, Operand, Operand),
    /// `CMPXCHG`.
    CompareExchange(Lock, Operand, Operand),
    /// `CMP`.
    Compare(Operand, Operand),
    /// `JMP`.
    Jump(String),
    /// `JE` and `JNE`: the flag says whether it jumps if the last result was zero.
    JumpIf(bool, String),
}

/// Cell of the program: labels and an instruction.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// The line.
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
    let instruction = match parser.tokens.is_at_end() {
        true => None,
        false => Some(parser.instruction()?),
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
        }
        let lockable = |base: &str| {
            matches!(
                base,
                "xchg" | "inc" | "dec" | "add" | "sub" | "and" | "or" | "xor" | "cmpxchg"
            )
        };
        let base = self
            .without_suffix(&mnemonic)
            .ok_or_else(|| self.unknown())?;
        if lock == Lock::Locked && !lockable(base) {
            return Err(self.operands_expected("no LOCK in front of it"));
        }
        // The layout of variables is unspecified, so arithmetic on an address yields no other variable.
        let operator = match base {
            "mfence" => return Ok(Instruction::Fence),
            "sfence" | "lfence" | "nop" => return Ok(Instruction::Nothing),
            "jmp" => return Ok(Instruction::Jump(self.tokens.name("a label")?)),
            "je" | "jz" => return Ok(Instruction::JumpIf(true, self.tokens.name("a label")?)),
            "jne" | "jnz" => return Ok(Instruction::JumpIf(false, self.tokens.name("a label")?)),
            "inc" | "dec" => {
                let destination = self.operand()?;
                let operator = match base {
                    "inc" => Operator::AddNumbers,
                    _ => Operator::SubtractNumbers,
                };
                return self.arithmetic(lock, operator, destination, Operand::Number(1));
            }
            "add" => Some(Operator::AddNumbers),
            "sub" => Some(Operator::SubtractNumbers),
            "and" => Some(Operator::And),
            "or" => Some(Operator::Or),
            "xor" => Some(Operator::Xor),
            _ => None,
        };
        let first = self.operand()?;
        self.tokens.expect(",")?;
        let second = self.operand()?;
        let (to, from) = match self.architecture {
            Architecture::X86 => (first, second),
            Architecture::X8664 => (second, first),
        };
        if let Some(operator) = operator {
            return self.arithmetic(lock, operator, to, from);
        }
        let both_in_memory = to.is_memory() && from.is_memory();
        match base {
            "mov" if both_in_memory || !(to.is_memory() || to.is_register()) => {
                Err(self.operands_expected("a destination, and one operand in memory at most"))
            }
            "mov" => Ok(Instruction::Move(to, from)),
            "cmp" if both_in_memory => Err(self.operands_expected("one operand in memory at most")),
            "cmp" => Ok(Instruction::Compare(to, from)),
            "xchg" => match (to.is_memory(), from.is_memory()) {
                (true, false) if from.is_register() => Ok(Instruction::Exchange(to, from)),
                (false, true) if to.is_register() => Ok(Instruction::Exchange(from, to)),
                (false, false)
                    if to.is_register() && from.is_register() && lock == Lock::Unlocked =>
                {
                    Ok(Instruction::Exchange(to, from))
                }
                _ => Err(self.operands_expected("a register, and another one or memory")),
            },
            "cmpxchg" => match (to.is_memory(), from.is_memory()) {
                (true, false) if from.is_register() => {
                    Ok(Instruction::CompareExchange(lock, to, from))
                }
                (false, true) if to.is_register() => {
                    Ok(Instruction::CompareExchange(lock, from, to))
                }
                _ => Err(self.operands_expected("a register and memory, in either order")),
            },
            _ => Err(self.unknown()),
        }
    }

    fn arithmetic(
        &self,
        lock: Lock,
        operator: Operator,
        to: Operand,
        from: Operand,
    ) -> Result<Instruction, ReadError> {
        if lock == Lock::Locked && (!to.is_memory() || from.is_memory()) {
            return Err(self.operands_expected("memory as the destination, and only there"));
        }
        if to.is_memory() && from.is_memory() || !(to.is_memory() || to.is_register()) {
            let expected = "a destination, and one operand in memory at most";
            return Err(self.operands_expected(expected));
        }
        Ok(Instruction::Arithmetic(lock, operator, to, from))
    }

    fn mnemonic(&mut self) -> Result<String, ReadError> {
        let name = self.tokens.name("an instruction")?;
        Ok(name.to_ascii_lowercase())
    }

    /// Removes the suffix for the operand width from the mnemonic.
    fn without_suffix(&self, mnemonic: &str) -> Option<&'static str> {
        const PLAIN: [&str; 9] = [
            "mfence", "sfence", "lfence", "nop", "jmp", "je", "jz", "jne", "jnz",
        ];
        const SIZED: [&str; 11] = [
            "mov", "xchg", "inc", "dec", "add", "sub", "and", "or", "xor", "cmpxchg", "cmp",
        ];
        let known = PLAIN
            .into_iter()
            .chain(SIZED)
            .find(|known| *known == mnemonic);
        let sized = || {
            let base = mnemonic.strip_suffix(['b', 'w', 'l', 'q'])?;
            SIZED.into_iter().find(|known| *known == base)
        };
        match self.architecture {
            Architecture::X86 => known,
            Architecture::X8664 => known.or_else(sized),
        }
    }

    fn operand(&mut self) -> Result<Operand, ReadError> {
        for (opening, closing) in [("[", "]"), ("(", ")")] {
            if self.tokens.takes(opening) {
                let sigil = self.tokens.takes("%");
                let line = self.tokens.line();
                let name = self.tokens.name("a variable or a register")?;
                self.tokens.expect(closing)?;
                return match self.architecture.register(&name) {
                    Some(register) => Ok(Operand::Pointed(register)),
                    None if sigil => Err(no_register(name, line)),
                    None => Ok(Operand::Variable(name)),
                };
            }
        }
        if self.tokens.takes("$") {
            return match self.tokens.peek() {
                Some(Token::Name(_)) => Ok(Operand::Address(self.tokens.name("a variable")?)),
                _ => Ok(Operand::Number(signed_number(&mut self.tokens)?)),
            };
        }
        let line = self.tokens.line();
        if self.tokens.takes("%") {
            let name = self.tokens.name("a register")?;
            let register = self.architecture.register(&name);
            return register.map_or_else(
                || Err(no_register(name, line)),
                |register| Ok(Operand::Register(register)),
            );
        }
        match self.tokens.peek() {
            Some(Token::Name(_)) => {
                let name = self.tokens.name("a register")?;
                let register = self.architecture.register(&name);
                register.map_or_else(
                    || Err(no_register(name, line)),
                    |register| Ok(Operand::Register(register)),
                )
            }
            Some(Token::Number(_) | Token::Symbol("-")) => {
                Ok(Operand::Number(signed_number(&mut self.tokens)?))
            }
            _ => Err(self.tokens.unexpected("an operand")),
        }
    }
}

fn no_register(found: String, line: usize) -> ReadError {
    Problem::Register {
        found,
        expected: "a register; memory is written [x]",
    }
    .on(line)
}
