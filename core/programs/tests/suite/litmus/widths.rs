//! Random programs of all instructions and widths, against an interpreter that knows nothing but bits: registers and
//! variables are unsigned numbers, of which an instruction masks what it uses.

use std::collections::BTreeSet;

use refmap_programs::MemoryModel;
use refmap_programs::litmus::{Bounds, Problem, Test, Verdict, read};

use crate::memory::generator::Random;

const REGISTERS: usize = 4;
const VARIABLES: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Architecture {
    X86,
    X8664,
}

use Architecture::{X86, X8664};

/// Part of a register: its number, width, and lowest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    register: usize,
    bits: u32,
    from: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    Part(Part),
    /// A variable, and whether a register points to it.
    Memory(usize, bool),
    Number(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Mov,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    Neg,
    Not,
    Cmp,
    Test,
    Xchg,
    Xadd,
    Cmpxchg,
    Shl,
    Shr,
    Sar,
    Movz,
    Movs,
    Set,
    Cmov,
    Jump,
    Lea,
}

/// Every name, with its mnemonic.
const NAMES: [(Name, &str); 24] = [
    (Name::Mov, "mov"),
    (Name::Add, "add"),
    (Name::Sub, "sub"),
    (Name::And, "and"),
    (Name::Or, "or"),
    (Name::Xor, "xor"),
    (Name::Inc, "inc"),
    (Name::Dec, "dec"),
    (Name::Neg, "neg"),
    (Name::Not, "not"),
    (Name::Cmp, "cmp"),
    (Name::Test, "test"),
    (Name::Xchg, "xchg"),
    (Name::Xadd, "xadd"),
    (Name::Cmpxchg, "cmpxchg"),
    (Name::Shl, "shl"),
    (Name::Shr, "shr"),
    (Name::Sar, "sar"),
    (Name::Movz, "movz"),
    (Name::Movs, "movs"),
    (Name::Set, "set"),
    (Name::Cmov, "cmov"),
    (Name::Jump, "j"),
    (Name::Lea, "lea"),
];

const CONDITIONS: [&str; 14] = [
    "e", "ne", "s", "ns", "b", "ae", "o", "no", "be", "a", "l", "ge", "le", "g",
];

#[derive(Clone, Copy, Debug)]
struct Instruction {
    name: Name,
    bits: u32,
    to: Operand,
    from: Operand,
    locked: bool,
    condition: &'static str,
}

/// Type of a variable: its width, and whether it has a sign.
#[derive(Clone, Copy, Debug)]
struct Type {
    bits: u32,
    signed: bool,
}

#[derive(Clone, Debug)]
struct Program {
    architecture: Architecture,
    types: [Type; VARIABLES],
    memory: [u64; VARIABLES],
    /// Initial registers of each thread.
    registers: Vec<[u64; REGISTERS]>,
    threads: Vec<Vec<Instruction>>,
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn signed(value: u64, bits: u32) -> i128 {
    let value = i128::from(value & mask(bits));
    if value >> (bits - 1) == 0 {
        value
    } else {
        value - (1 << bits)
    }
}

// The interpreter.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Flags {
    zero: bool,
    sign: bool,
    carry: bool,
    overflow: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    at: usize,
    registers: [u64; REGISTERS],
    flags: Flags,
    /// Value that the first half of an instruction of two accesses has read.
    read: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    memory: [u64; VARIABLES],
    threads: Vec<Thread>,
}

impl Flags {
    fn result(&mut self, value: u64, bits: u32) {
        self.zero = value & mask(bits) == 0;
        self.sign = signed(value, bits) < 0;
    }

    /// Flags of a result that is exact as a number without and with a sign.
    fn exact(&mut self, unsigned: i128, with_sign: i128, bits: u32) {
        self.result(unsigned as u64, bits);
        self.carry = !(0..=i128::from(mask(bits))).contains(&unsigned);
        self.overflow = with_sign != signed(with_sign as u64, bits);
    }

    fn hold(self, condition: &str) -> bool {
        match condition {
            "e" => self.zero,
            "ne" => !self.zero,
            "s" => self.sign,
            "ns" => !self.sign,
            "b" => self.carry,
            "ae" => !self.carry,
            "o" => self.overflow,
            "no" => !self.overflow,
            "be" => self.carry || self.zero,
            "a" => !self.carry && !self.zero,
            "l" => self.sign != self.overflow,
            "ge" => self.sign == self.overflow,
            "le" => self.zero || self.sign != self.overflow,
            "g" => !self.zero && self.sign == self.overflow,
            other => unreachable!("{other}"),
        }
    }
}

impl Program {
    fn whole(&self) -> u32 {
        match self.architecture {
            X86 => 32,
            X8664 => 64,
        }
    }

    fn get(&self, state: &State, thread: usize, operand: Operand, bits: u32) -> u64 {
        mask(bits)
            & match operand {
                Operand::Part(part) => state.threads[thread].registers[part.register] >> part.from,
                Operand::Memory(variable, _) => state.memory[variable],
                Operand::Number(number) => number,
            }
    }

    fn put(&self, state: &mut State, thread: usize, operand: Operand, value: u64, bits: u32) {
        let value = value & mask(bits);
        match operand {
            Operand::Part(part) => {
                let register = &mut state.threads[thread].registers[part.register];
                *register = match bits {
                    8 | 16 => (*register & !(mask(bits) << part.from)) | (value << part.from),
                    _ => value,
                };
            }
            Operand::Memory(variable, _) => state.memory[variable] = value,
            Operand::Number(_) => unreachable!("a number is no destination"),
        }
    }

    /// Next state of a thread that has not ended.
    fn step(&self, from: &State, thread: usize) -> State {
        let mut to = from.clone();
        let instruction = self.threads[thread][from.threads[thread].at];
        let Instruction { name, bits, .. } = instruction;
        let in_memory = matches!(instruction.to, Operand::Memory(..));
        let reads_and_writes = in_memory
            && !instruction.locked
            && !matches!(
                name,
                Name::Mov | Name::Cmp | Name::Test | Name::Xchg | Name::Set
            );
        let left = match (reads_and_writes, from.threads[thread].read) {
            (true, None) => {
                to.threads[thread].read = Some(self.get(from, thread, instruction.to, bits));
                return to;
            }
            (true, Some(read)) => read,
            (false, _) => self.get(from, thread, instruction.to, bits),
        };
        let right = self.get(from, thread, instruction.from, bits);
        let mut flags = from.threads[thread].flags;
        let old = flags;
        let [wide_left, wide_right] = [left, right].map(i128::from);
        let [signed_left, signed_right] = [left, right].map(|value| signed(value, bits));
        let mut next = from.threads[thread].at + 1;
        let mut result = None;
        match name {
            Name::Mov => result = Some(right),
            Name::Add | Name::Xadd => {
                flags.exact(wide_left + wide_right, signed_left + signed_right, bits);
                result = Some(left.wrapping_add(right));
            }
            Name::Sub | Name::Cmp => {
                flags.exact(wide_left - wide_right, signed_left - signed_right, bits);
                result = (name == Name::Sub).then_some(left.wrapping_sub(right));
            }
            Name::And | Name::Or | Name::Xor | Name::Test => {
                let value = match name {
                    Name::Or => left | right,
                    Name::Xor => left ^ right,
                    _ => left & right,
                };
                flags = Flags::default();
                flags.result(value, bits);
                result = (name != Name::Test).then_some(value);
            }
            Name::Inc | Name::Dec => {
                let by = if name == Name::Inc { 1 } else { -1 };
                flags.exact(wide_left + by, signed_left + by, bits);
                flags.carry = old.carry;
                result = Some(left.wrapping_add(by as u64));
            }
            Name::Neg => {
                flags.exact(-wide_left, -signed_left, bits);
                result = Some(left.wrapping_neg());
            }
            Name::Not => result = Some(!left),
            Name::Xchg => {
                result = Some(right);
            }
            Name::Cmpxchg => {
                let accumulator = Operand::Part(Part {
                    register: 0,
                    bits,
                    from: 0,
                });
                let held = self.get(from, thread, accumulator, bits);
                let difference = signed(held, bits) - signed_left;
                flags.exact(i128::from(held) - wide_left, difference, bits);
                if held == left {
                    result = Some(right);
                } else {
                    self.put(&mut to, thread, accumulator, left, bits);
                }
            }
            Name::Shl | Name::Shr | Name::Sar => {
                let count = match instruction.from {
                    Operand::Number(number) => number,
                    _ => from.threads[thread].registers[2],
                };
                let count = count & if bits == 64 { 63 } else { 31 };
                let (value, carry, overflow) =
                    (0..count).fold((left, old.carry, old.overflow), |(value, _, _), _| {
                        let high = (value >> (bits - 1)) & 1 == 1;
                        let low = value & 1 == 1;
                        match name {
                            Name::Shl => {
                                let value = (value << 1) & mask(bits);
                                (value, high, high != (value >> (bits - 1) == 1))
                            }
                            Name::Shr => (value >> 1, low, high),
                            _ => ((value >> 1) | (u64::from(high) << (bits - 1)), low, false),
                        }
                    });
                if count != 0 {
                    flags.result(value, bits);
                    flags.carry = carry;
                    flags.overflow = overflow;
                }
                result = Some(value);
            }
            // `bits` is the width of the source, that of the destination is told by its part.
            Name::Movz | Name::Movs => {
                let Operand::Part(part) = instruction.to else {
                    unreachable!("a register is extended")
                };
                let value = match name {
                    Name::Movz => right,
                    _ => signed(right, bits) as u64,
                };
                self.put(&mut to, thread, instruction.to, value, part.bits);
            }
            Name::Set => result = Some(u64::from(flags.hold(instruction.condition))),
            Name::Cmov => {
                result = Some(if flags.hold(instruction.condition) {
                    right
                } else {
                    left
                });
            }
            Name::Jump => next += usize::from(flags.hold(instruction.condition)),
            Name::Lea => {
                let held = |register: usize| from.threads[thread].registers[register];
                let sum = held(1).wrapping_add(held(3).wrapping_mul(4));
                result = Some(sum.wrapping_add(right));
            }
        }
        if let Some(value) = result {
            self.put(&mut to, thread, instruction.to, value, bits);
        }
        if let (Name::Xchg | Name::Xadd, Operand::Part(part)) = (name, instruction.from) {
            // The sum is written last.
            if Operand::Part(part) != instruction.to {
                let sum = self.get(&to, thread, instruction.to, bits);
                self.put(&mut to, thread, instruction.from, left, bits);
                self.put(&mut to, thread, instruction.to, sum, bits);
            }
        }
        let after = &mut to.threads[thread];
        after.flags = flags;
        after.at = next;
        after.read = None;
        to
    }

    /// Final states of all interleavings.
    fn ends(&self) -> BTreeSet<State> {
        let threads = self.registers.iter().map(|registers| Thread {
            at: 0,
            registers: *registers,
            flags: Flags::default(),
            read: None,
        });
        let mut ahead = vec![State {
            memory: self.memory,
            threads: threads.collect(),
        }];
        let mut seen = BTreeSet::new();
        let mut ends = BTreeSet::new();
        while let Some(state) = ahead.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            let runs = |thread: &usize| state.threads[*thread].at < self.threads[*thread].len();
            let running: Vec<_> = (0..self.threads.len()).filter(runs).collect();
            ahead.extend(running.iter().map(|thread| self.step(&state, *thread)));
            if running.is_empty() {
                ends.insert(state);
            }
        }
        ends
    }

    // The text of the test.

    fn part(&self, part: Part) -> String {
        let letter = ["a", "b", "c", "d"][part.register];
        match (self.architecture, part.bits, part.from) {
            (X86, ..) => format!("E{}X", letter.to_uppercase()),
            (X8664, 64, _) => format!("%r{letter}x"),
            (X8664, 32, _) => format!("%e{letter}x"),
            (X8664, 16, _) => format!("%{letter}x"),
            (X8664, _, 0) => format!("%{letter}l"),
            (X8664, ..) => format!("%{letter}h"),
        }
    }

    fn operand(&self, operand: Operand) -> String {
        match (operand, self.architecture) {
            (Operand::Part(part), _) => self.part(part),
            (Operand::Memory(variable, true), X8664) => format!("(%r{})", variable + 8),
            (Operand::Memory(variable, true), X86) => format!("[{}]", POINTERS[variable]),
            (Operand::Memory(variable, false), X8664) if variable % 2 == 0 => {
                format!("x{variable}(%rip)")
            }
            (Operand::Memory(variable, false), _) => format!("[x{variable}]"),
            (Operand::Number(number), _) => format!("${number}"),
        }
    }

    fn row(&self, instruction: &Instruction, at: usize) -> String {
        let Instruction {
            name,
            bits,
            to,
            from,
            condition,
            ..
        } = *instruction;
        let known = NAMES.iter().find(|(known, _)| *known == name);
        let mut text = known.expect("all are named").1.to_owned();
        let suffix = |bits| match (self.architecture, bits) {
            (X86, _) => "",
            (X8664, 8) => "b",
            (X8664, 16) => "w",
            (X8664, 32) => "l",
            (X8664, _) => "q",
        };
        if instruction.locked && name != Name::Xchg {
            text.insert_str(0, "lock ");
        }
        match (name, to) {
            (Name::Set | Name::Jump, _) => text.push_str(condition),
            (Name::Cmov, _) => {
                text.push_str(condition);
                text.push_str(suffix(bits));
            }
            (Name::Movz | Name::Movs, Operand::Part(part)) => {
                text.push_str(suffix(bits));
                text.push_str(suffix(part.bits));
            }
            _ => text.push_str(suffix(bits)),
        }
        let (first, second) = (self.operand(to), self.operand(from));
        match (name, self.architecture) {
            (Name::Jump, _) => format!("{text} L{at}"),
            (Name::Inc | Name::Dec | Name::Neg | Name::Not | Name::Set, _) => {
                format!("{text} {first}")
            }
            (Name::Lea, X8664) => {
                let Operand::Number(offset) = from else {
                    unreachable!("the offset is a number")
                };
                let offset = offset as i64;
                format!("{text} {offset}(%rbx,%rdx,4),{first}")
            }
            (Name::Shl | Name::Shr | Name::Sar, X8664) if !matches!(from, Operand::Number(_)) => {
                format!("{text} %cl,{first}")
            }
            (_, X8664) => format!("{text} {second},{first}"),
            (_, X86) => format!("{} {first},{second}", text.to_uppercase()),
        }
    }

    fn text(&self, tail: &str) -> String {
        let mut items = Vec::new();
        for (number, of) in self.types.iter().enumerate() {
            let sign = if of.signed { "" } else { "u" };
            let value = self.memory[number];
            items.push(format!("{sign}int{}_t x{number}={value}", of.bits));
        }
        let mut columns = Vec::new();
        for (thread, registers) in self.registers.iter().enumerate() {
            for (number, value) in registers.iter().enumerate() {
                let name = self.part(Part {
                    register: number,
                    bits: self.whole(),
                    from: 0,
                });
                let name = name.trim_start_matches('%');
                let sign = if number % 2 == 0 { "u" } else { "" };
                items.push(format!(
                    "{sign}int{}_t {thread}:{name}={value}",
                    self.whole()
                ));
                columns.push(format!("{thread}:{name}"));
            }
            for (variable, name) in POINTERS.iter().enumerate() {
                let name = match self.architecture {
                    X86 => (*name).to_owned(),
                    X8664 => format!("r{}", variable + 8),
                };
                items.push(format!("{thread}:{name}=x{variable}"));
            }
        }
        columns.extend((0..VARIABLES).map(|variable| format!("x{variable}")));
        let titles: Vec<_> = (0..self.threads.len())
            .map(|number| format!("P{number}"))
            .collect();
        let longest = self.threads.iter().map(Vec::len).max().unwrap_or_default();
        let mut rows = String::new();
        // A jump skips the next instruction.
        for at in 0..=longest + 1 {
            let cell = |thread: &Vec<Instruction>| {
                let label = match at.checked_sub(2).and_then(|before| thread.get(before)) {
                    Some(before) if before.name == Name::Jump => format!("L{}: ", at - 2),
                    _ => String::new(),
                };
                let row = thread.get(at).map(|instruction| self.row(instruction, at));
                label + &row.unwrap_or_default()
            };
            let cells: Vec<_> = self.threads.iter().map(cell).collect();
            rows.push_str(&format!("{} ;\n", cells.join(" | ")));
        }
        let name = match self.architecture {
            X86 => "X86",
            X8664 => "X86_64",
        };
        format!(
            "{name} random\n{{\n{};\n}}\n{} ;\n{rows}locations [{};]\n{tail}",
            items.join(";\n"),
            titles.join(" | "),
            columns.join("; ")
        )
    }

    /// A final state, by column.
    fn columns(&self, state: &State) -> Vec<(String, String)> {
        let mut columns = Vec::new();
        for (thread, of) in state.threads.iter().enumerate() {
            for (number, value) in of.registers.iter().enumerate() {
                let letter = ["a", "b", "c", "d"][number];
                let name = match self.architecture {
                    X86 => format!("E{}X", letter.to_uppercase()),
                    X8664 => format!("r{letter}x"),
                };
                let value = match number % 2 {
                    0 => i128::from(*value),
                    _ => signed(*value, self.whole()),
                };
                columns.push((format!("{thread}:{name}"), value.to_string()));
            }
        }
        for (number, of) in self.types.iter().enumerate() {
            let value = if of.signed {
                signed(state.memory[number], of.bits)
            } else {
                i128::from(state.memory[number])
            };
            columns.push((format!("x{number}"), value.to_string()));
        }
        columns.sort();
        columns
    }
}

/// Registers of X86 that point to the variables.
const POINTERS: [&str; VARIABLES] = ["ESI", "EDI", "EBP"];

// The generator.

fn of<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len() as u64) as usize]
}

/// A number at one of the edges of some width, or any number.
fn number(random: &mut Random) -> u64 {
    let edge = 1_u64 << of(random, &[0, 1, 7, 8, 15, 16, 31, 32, 63]);
    match random.below(6) {
        0 => 0,
        1 => edge.wrapping_sub(1),
        2 => edge.wrapping_neg(),
        3 => random.next(),
        _ => edge,
    }
}

fn instruction(random: &mut Random, program: &Program) -> Instruction {
    let (name, _) = of(random, &NAMES);
    let widths: &[u32] = match program.architecture {
        X86 => &[32],
        X8664 => &[8, 16, 32, 64],
    };
    let mut bits = of(random, widths);
    let part = |random: &mut Random, bits| {
        let from = match bits {
            8 if random.below(4) == 0 => 8,
            _ => 0,
        };
        Operand::Part(Part {
            register: random.below(REGISTERS as u64) as usize,
            bits,
            from,
        })
    };
    let variable = random.below(VARIABLES as u64) as usize;
    let memory = Operand::Memory(variable, random.below(2) == 0);
    let in_memory = random.below(2) == 0;
    let is_narrow = |bits| bits == 8 || bits == 16;
    let mut name = name;
    if program.architecture == X86
        && matches!(name, Name::Movz | Name::Movs | Name::Set | Name::Lea)
        || matches!(name, Name::Cmov | Name::Lea) && bits == 8
    {
        name = Name::Add;
    }
    // An instruction in memory has the width of the variable.
    let to_memory = in_memory && !matches!(name, Name::Movz | Name::Movs | Name::Cmov | Name::Lea);
    if in_memory {
        bits = program.types[variable].bits;
    }
    let mut to = if to_memory {
        memory
    } else {
        part(random, bits)
    };
    let number = Operand::Number(number(random) & mask(bits));
    let mut from = match random.below(3) {
        0 if in_memory && !to_memory => memory,
        0 => number,
        _ => part(random, bits),
    };
    match name {
        Name::Xchg | Name::Xadd | Name::Cmpxchg => {
            from = part(random, bits);
            if name == Name::Cmpxchg && !in_memory {
                name = Name::Xadd;
            }
        }
        Name::Shl | Name::Shr | Name::Sar => {
            let small = random.below(3);
            from = match random.below(3) {
                0 if program.architecture == X8664 => Operand::Part(Part {
                    register: 2,
                    bits: 8,
                    from: 0,
                }),
                1 => Operand::Number(small),
                _ => Operand::Number(random.below(70)),
            };
        }
        Name::Movz | Name::Movs => {
            // The source is narrower; that of 32 bits is extended with its sign only.
            bits = if in_memory {
                program.types[variable].bits
            } else {
                of(random, &[8, 16])
            };
            if !(is_narrow(bits) || bits == 32 && name == Name::Movs) {
                name = Name::Mov;
                to = part(random, bits);
            } else {
                let wider: &[u32] = match bits {
                    8 => &[16, 32, 64],
                    16 => &[32, 64],
                    _ => &[64],
                };
                let bits = of(random, wider);
                to = part(random, bits);
            }
            from = if in_memory {
                memory
            } else {
                part(random, bits)
            };
        }
        Name::Set => {
            bits = 8;
            to = if in_memory && program.types[variable].bits == 8 {
                memory
            } else {
                part(random, 8)
            };
        }
        Name::Cmov => {
            if bits == 8 {
                bits = 32;
                from = part(random, 32);
                to = part(random, 32);
            } else {
                from = if in_memory {
                    memory
                } else {
                    part(random, bits)
                };
            }
        }
        Name::Lea => {
            if is_narrow(bits) {
                bits = 64;
            }
            to = part(random, bits);
            from = Operand::Number(random.below(1000).wrapping_sub(500));
        }
        Name::Jump => to = Operand::Number(0),
        _ => (),
    }
    let is_memory = matches!(to, Operand::Memory(..));
    let lockable = !matches!(
        name,
        Name::Mov
            | Name::Cmp
            | Name::Test
            | Name::Neg
            | Name::Shl
            | Name::Shr
            | Name::Sar
            | Name::Set
    );
    let locked = is_memory && (name == Name::Xchg || lockable && random.below(2) == 0);
    Instruction {
        name,
        bits,
        to,
        from,
        locked,
        condition: of(random, &CONDITIONS),
    }
}

fn program(random: &mut Random, threads: usize, most: u64) -> Program {
    let architecture = of(random, &[X86, X8664, X8664, X8664]);
    let types = std::array::from_fn(|_| Type {
        bits: match architecture {
            X86 => 32,
            X8664 => of(random, &[8, 16, 32, 64]),
        },
        signed: random.below(2) == 0,
    });
    let whole = match architecture {
        X86 => 32,
        X8664 => 64,
    };
    let registers = (0..threads)
        .map(|_| std::array::from_fn(|_| number(random) & mask(whole)))
        .collect();
    let mut program = Program {
        architecture,
        types,
        memory: std::array::from_fn(|variable| number(random) & mask(types[variable].bits)),
        registers,
        threads: Vec::new(),
    };
    for _ in 0..threads {
        let count = 1 + random.below(most);
        let code = (0..count).map(|_| instruction(random, &program)).collect();
        program.threads.push(code);
    }
    // Nothing lies behind the last instruction that a jump could skip to.
    for thread in &mut program.threads {
        let last = thread.last_mut().expect("there is one");
        if last.name == Name::Jump {
            last.name = Name::Test;
            last.bits = whole;
            last.to = Operand::Part(Part {
                register: 0,
                bits: whole,
                from: 0,
            });
            last.from = last.to;
        }
    }
    program
}

/// Reads a program; none if it reads a flag that is undefined.
fn test(text: &str) -> Option<Test> {
    match read(text) {
        Ok(test) => Some(test),
        Err(error) if matches!(error.problem, Problem::Flag(_)) => None,
        Err(error) => panic!("{error}\n{text}"),
    }
}

fn states(test: &Test, model: MemoryModel, text: &str) -> BTreeSet<Vec<(String, String)>> {
    let answer = test.run(model, &Bounds::default());
    let answer = answer.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let rows = answer.states.iter().map(|state| {
        let mut row: Vec<_> = test.keys().zip(test.cells(state)).collect();
        row.sort();
        row
    });
    rows.collect()
}

/// Compares programs of some threads, and returns how many were read.
fn compare(seed: u64, programs: usize, threads: usize, most: u64) -> usize {
    let mut random = Random(seed);
    let mut compared = 0;
    for _ in 0..programs {
        let program = program(&mut random, threads, most);
        let text = program.text("");
        let Some(test) = test(&text) else {
            continue;
        };
        let model = match threads {
            1 => of(&mut random, &MemoryModel::ALL),
            _ => MemoryModel::Sc,
        };
        let expected = program.ends();
        let expected: BTreeSet<_> = expected.iter().map(|end| program.columns(end)).collect();
        let found = states(&test, model, &text);
        assert!(
            found == expected,
            "{model}\n{text}\nfound {:?}\nexpected {:?}",
            found.difference(&expected).next(),
            expected.difference(&found).next()
        );
        compared += 1;
    }
    compared
}

#[test]
fn a_thread_computes_as_its_bits_say() {
    assert!(compare(1, 5000, 1, 7) > 3000);
}

#[test]
fn threads_interleave_as_their_bits_say() {
    assert!(compare(2, 2500, 2, 3) > 1500);
}

/// A condition holds if its constants have the bits of the final state, written with a sign or without one.
#[test]
fn conditions_ask_for_bits() {
    let mut random = Random(3);
    let mut compared = 0;
    for _ in 0..1000 {
        let program = program(&mut random, 1, 4);
        let ends = program.ends();
        let end = ends.first().expect("a thread has one end");
        let mut constants: Vec<(String, u64, u32)> = Vec::new();
        for (number, value) in end.threads[0].registers.iter().enumerate() {
            let name = program.part(Part {
                register: number,
                bits: program.whole(),
                from: 0,
            });
            constants.push((format!("0:{name}"), *value, program.whole()));
        }
        for (number, of) in program.types.iter().enumerate() {
            constants.push((format!("x{number}"), end.memory[number], of.bits));
        }
        let verdict = |flipped: Option<(usize, u64)>, random: &mut Random| {
            let equations = constants
                .iter()
                .enumerate()
                .map(|(at, (name, value, bits))| {
                    let value = match flipped {
                        Some((column, bit)) if column == at => {
                            value ^ (1 << (bit % u64::from(*bits)))
                        }
                        _ => *value,
                    };
                    match random.below(3) {
                        0 => format!("{name}={}", signed(value, *bits)),
                        1 => format!("{name}={value:#x}"),
                        _ => format!("{name}={value}"),
                    }
                });
            let equations: Vec<_> = equations.collect();
            let text = program.text(&format!("forall ({})", equations.join(" /\\ ")));
            let answer = test(&text)?.run(MemoryModel::Tso, &Bounds::default());
            Some((answer.expect("it is decided").verdict, text))
        };
        let Some((right, text)) = verdict(None, &mut random) else {
            continue;
        };
        assert_eq!(right, Verdict::Ok, "{text}");
        let flipped = (random.below(7) as usize, random.next());
        let wrong = verdict(Some(flipped), &mut random);
        let (wrong, text) = wrong.expect("it is read as before");
        assert_eq!(wrong, Verdict::No, "{text}");
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
}

#[test]
#[ignore = "takes minutes"]
fn nightly_many_programs_compute_as_their_bits_say() {
    assert!(compare(10, 300_000, 1, 8) > 100_000);
    assert!(compare(20, 20_000, 2, 4) > 8_000);
}
