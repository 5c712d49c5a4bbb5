//! Locations of every width, with a sign and without one, against memory that is nothing but bits. Every semantics is
//! compared: out of order, with store buffers, and by axioms.

use refmap_programs::store_buffers::Buffered;
use refmap_programs::{
    Afterwards, Integer, Location, Machine, MemoryModel, Operator, Outcome, ProgramBuilder,
    Register, Returned, Sign, ThreadBuilder, Update, Value, axiomatic, ends, outcomes,
};

use crate::memory::generator::Random;

const LOCATIONS: usize = 3;
const REGISTERS: usize = 4;
const STATES: u64 = 10_000;
/// Greatest number of candidates for the axioms; programs with more are left out.
const CANDIDATES: u64 = 1_000;

#[derive(Clone, Copy, Debug)]
enum Access {
    Load,
    Store,
    Exchange,
    Fetch(Operator),
    Swap(Returned),
    Exclusive,
}

const ACCESSES: [Access; 11] = [
    Access::Load,
    Access::Store,
    Access::Exchange,
    Access::Fetch(Operator::Add),
    Access::Fetch(Operator::Subtract),
    Access::Fetch(Operator::And),
    Access::Fetch(Operator::Or),
    Access::Fetch(Operator::Xor),
    Access::Swap(Returned::Old),
    Access::Swap(Returned::Success),
    Access::Exclusive,
];

/// Operand: a register, or a number.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Register(usize),
    Number(i64),
}

#[derive(Clone, Copy, Debug)]
struct Step {
    access: Access,
    location: usize,
    into: usize,
    operands: [Operand; 2],
    in_block: bool,
}

#[derive(Clone, Debug)]
struct Case {
    types: [Integer; LOCATIONS],
    initial: [i64; LOCATIONS],
    steps: Vec<Step>,
}

// Memory of bits.

fn bits_of(value: i64, integer: Integer) -> u64 {
    value as u64 & (u64::MAX >> (64 - integer.bits))
}

/// The number that the bits are.
fn number(bits: u64, integer: Integer) -> i64 {
    let is_negative = integer.sign == Sign::Signed && bits >> (integer.bits - 1) == 1;
    if is_negative {
        (i128::from(bits) - (1_i128 << integer.bits)) as i64
    } else {
        bits as i64
    }
}

impl Case {
    /// Final registers and memory.
    fn run(&self) -> ([i64; REGISTERS], [i64; LOCATIONS]) {
        let mut registers = [0_i64; REGISTERS];
        let mut memory: [u64; LOCATIONS] =
            std::array::from_fn(|at| bits_of(self.initial[at], self.types[at]));
        for step in &self.steps {
            let integer = self.types[step.location];
            let cell = &mut memory[step.location];
            let old = number(*cell, integer);
            let [first, second] = step.operands.map(|operand| match operand {
                Operand::Register(register) => registers[register],
                Operand::Number(number) => number,
            });
            let (new, result) = match step.access {
                Access::Load => (None, Some(old)),
                Access::Store => (Some(first), None),
                Access::Exchange => (Some(first), Some(old)),
                Access::Fetch(operator) => {
                    let new = match operator {
                        Operator::Add => old.wrapping_add(first),
                        Operator::Subtract => old.wrapping_sub(first),
                        Operator::And => old & first,
                        Operator::Or => old | first,
                        _ => old ^ first,
                    };
                    (Some(new), Some(old))
                }
                Access::Swap(returned) => {
                    let equal = bits_of(first, integer) == *cell;
                    let result = match returned {
                        Returned::Old => old,
                        Returned::Success => i64::from(equal),
                    };
                    (equal.then_some(second), Some(result))
                }
                Access::Exclusive => (Some(first), Some(1)),
            };
            if let Some(new) = new {
                *cell = bits_of(new, integer);
            }
            if let Some(result) = result {
                registers[step.into] = result;
            }
        }
        let memory = std::array::from_fn(|at| number(memory[at], self.types[at]));
        (registers, memory)
    }

    fn program(&self) -> ProgramBuilder {
        let mut program = ProgramBuilder::new("typed");
        let locations: Vec<Location> = (0..LOCATIONS)
            .map(|at| program.typed_location(format!("x{at}"), self.initial[at], self.types[at]))
            .collect();
        program.thread("t", |t| {
            let registers: Vec<Register> = (0..REGISTERS)
                .map(|at| t.register_with(format!("r{at}"), 0, Afterwards::Kept))
                .collect();
            for step in &self.steps {
                if step.in_block {
                    t.atomic(|t| step.state(t, &locations, &registers));
                } else {
                    step.state(t, &locations, &registers);
                }
            }
        });
        program
    }

    fn is_exclusive(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| matches!(step.access, Access::Exclusive))
    }
}

impl Step {
    fn state(&self, t: &mut ThreadBuilder<'_>, locations: &[Location], registers: &[Register]) {
        let (at, into) = (locations[self.location], registers[self.into]);
        let [first, second] = self.operands.map(|operand| match operand {
            Operand::Register(register) => registers[register].into(),
            Operand::Number(number) => refmap_programs::Expression::from(number),
        });
        match self.access {
            Access::Load => t.load(into, at),
            Access::Store => t.store(at, first),
            Access::Exchange => t.exchange(into, at, first),
            Access::Fetch(operator) => {
                t.update(
                    Some((into, Returned::Old)),
                    at,
                    Update::Fetch(operator, first),
                );
            }
            Access::Swap(returned) => {
                t.compare_and_swap(Some((into, returned)), at, first, second);
            }
            Access::Exclusive => {
                let linked = registers[REGISTERS - 1];
                t.load_linked(linked, at);
                t.store_conditional(into, at, first);
            }
        }
    }
}

fn case(random: &mut Random) -> Case {
    let types = std::array::from_fn(|_| Integer {
        bits: [1, 2, 7, 8, 16, 31, 32, 33, 63, 64][random.below(10) as usize],
        sign: [Sign::Signed, Sign::Unsigned][random.below(2) as usize],
    });
    // Numbers at the edges of the widths, and beyond.
    let number = |random: &mut Random, integer: Integer| {
        let edge = 1_u64.unbounded_shl(integer.bits - random.below(2) as u32) as i64;
        match random.below(6) {
            0 => edge,
            1 => edge.wrapping_sub(1),
            2 => edge.wrapping_neg(),
            3 => random.next() as i64,
            _ => random.below(3) as i64 - 1,
        }
    };
    let initial = std::array::from_fn(|at: usize| number(random, types[at]));
    let steps = (0..2 + random.below(6)).map(|_| {
        let location = random.below(LOCATIONS as u64) as usize;
        let operand = |random: &mut Random| match random.below(2) {
            // The last register is that of LL.
            0 => Operand::Register(random.below(REGISTERS as u64 - 1) as usize),
            _ => Operand::Number(number(random, types[location])),
        };
        Step {
            access: ACCESSES[random.below(11) as usize],
            location,
            into: random.below(REGISTERS as u64 - 1) as usize,
            operands: [operand(random), operand(random)],
            in_block: random.below(4) == 0,
        }
    });
    let steps = steps.collect();
    Case {
        types,
        initial,
        steps,
    }
}

/// The numbers of an outcome of one thread; the register of LL is left out.
fn numbers(outcome: &Outcome) -> (Vec<Value>, Vec<Value>) {
    let kept = outcome.threads[0].kept[..REGISTERS - 1].to_vec();
    (kept, outcome.memory.clone())
}

#[test]
fn every_access_has_the_width_of_its_location() {
    let mut random = Random(7);
    let (mut swaps, mut by_axioms) = (0, 0);
    for _ in 0..600 {
        let case = case(&mut random);
        let (registers, memory) = case.run();
        let values = |numbers: &[i64]| -> Vec<Value> {
            numbers
                .iter()
                .map(|number| Value::Number(*number))
                .collect()
        };
        let expected = (values(&registers[..REGISTERS - 1]), values(&memory));
        let program = case.program().build().expect("it is well formed");
        let check = |found: &[Outcome], semantics: &str| {
            assert_eq!(found.len(), 1, "{semantics}\n{program}");
            assert_eq!(numbers(&found[0]), expected, "{semantics}\n{case:?}");
        };
        for model in MemoryModel::ALL {
            let machine = Machine::new(program.clone(), model);
            let found = outcomes(&machine, STATES).expect("the program is small");
            check(&Vec::from_iter(found), model.name());
            if let Ok(system) = Buffered::new(program.clone(), model) {
                let ends = ends(&system, STATES, None).expect("the program is small");
                let found: Vec<_> = ends.states.iter().map(|end| system.outcome(end)).collect();
                check(&found, "store buffers");
            }
        }
        if !case.is_exclusive() {
            let found = axiomatic::outcomes(&program, MemoryModel::Sc, CANDIDATES);
            if let Ok(found) = found {
                check(&Vec::from_iter(found), "axioms");
                by_axioms += 1;
            }
        }
        let kinds = case.steps.iter();
        swaps += kinds
            .filter(|step| matches!(step.access, Access::Swap(_)))
            .count();
    }
    assert!(swaps > 300 && by_axioms > 200, "{swaps} {by_axioms}");
}
