//! Generator of random programs, deterministic for a seed.

use refmap_programs::{
    Afterwards, Expression, Fence, Integer, Location, Operator, Place, Presence, Program,
    ProgramBuilder, Register, Returned, Sign, ThreadBuilder, Update, Value,
};

/// Parameters of the generator.
#[derive(Clone, Copy, Debug)]
pub struct Mixture {
    /// Greatest number of threads, at least 2.
    pub threads: u64,
    /// Greatest number of instructions of a thread, at least 2.
    pub instructions: u64,
    /// Whether programs use LL and SC.
    pub exclusive: bool,
    /// Whether programs use atomic blocks.
    pub atomic: bool,
    /// Whether there are places for fences between instructions. The threads then output their registers at the
    /// end.
    pub places: bool,
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }
}

/// Names available to a thread of a random program.
struct Hand {
    locations: Vec<Location>,
    pointer: Location,
    registers: Vec<Register>,
    address: Register,
    mixture: Mixture,
    /// Whether the program consists of loads and stores only.
    plain: bool,
}

pub fn program(seed: u64, mixture: Mixture) -> Program {
    builder(seed, mixture)
        .build()
        .expect("the generator states programs that are well formed")
}

/// The same with loops without a bound, if each of them reads or chooses.
pub fn unbounded_program(seed: u64, mixture: Mixture) -> Option<Program> {
    let mut program = builder(seed, mixture);
    program.without_bound();
    program.build().ok()
}

/// Type of a location: a narrow one in every fourth program, so that the numbers of a program do not fit it.
fn integer(seed: u64, location: u64) -> Integer {
    match (seed % 4, (seed / 4 + location) % 3) {
        (1, 0) => Integer {
            bits: 1,
            sign: Sign::Unsigned,
        },
        (1, 1) => Integer {
            bits: 2,
            sign: Sign::Signed,
        },
        _ => Integer::I64,
    }
}

fn builder(seed: u64, mixture: Mixture) -> ProgramBuilder {
    let mut random = Random(seed);
    let mut program = ProgramBuilder::new(format!("random {seed}"));
    let plain = seed.is_multiple_of(2);
    let count = if plain { 2 } else { 2 + random.below(2) };
    let locations: Vec<_> = (0..count)
        .map(|number| {
            let initial = random.below(2) as i64;
            program.typed_location(format!("x{number}"), initial, integer(seed, number))
        })
        .collect();
    let pointer = program.location("p", Value::Address(random.of(&locations)));
    program.backward_jumps(random.below(2) as u8);
    for number in 0..2 + random.below(mixture.threads - 1) {
        program.thread(format!("t{number}"), |t| {
            let hand = Hand {
                locations: locations.clone(),
                pointer,
                registers: (0..3)
                    .map(|number| t.register_with(format!("r{number}"), 0, Afterwards::Kept))
                    .collect(),
                address: t.register_with("a", Value::Address(locations[0]), Afterwards::Kept),
                mixture,
                plain,
            };
            for at in 0..2 + random.below(mixture.instructions - 1) {
                if mixture.places && at > 0 {
                    let kinds: &[_] = match random.below(4) {
                        0 => &[Fence::Acquire, Fence::Full],
                        1 => &[Fence::Release],
                        _ => &[Fence::Full],
                    };
                    let kinds = kinds.iter().copied();
                    t.fence_kinds_at(&format!("{number}.{at}"), kinds, Presence::Absent);
                }
                hand.instruction(t, &mut random, 0);
            }
            if mixture.places {
                hand.registers.iter().for_each(|held| t.output(*held));
            }
        });
    }
    program
}

/// An expression with the value 0 that depends on a register.
fn nothing_of(register: Register) -> Expression {
    Expression::of(Operator::Xor, register, register)
}

impl Hand {
    fn place(&self, random: &mut Random) -> Place {
        match random.below(6) {
            _ if self.plain => random.of(&self.locations).into(),
            0 => self.address.into(),
            // An address that depends on a register and is constant.
            1 => {
                let register = random.of(&self.registers);
                let location = random.of(&self.locations);
                (location.address() + nothing_of(register)).into()
            }
            _ => random.of(&self.locations).into(),
        }
    }

    fn value(&self, random: &mut Random) -> Expression {
        let register = random.of(&self.registers);
        match random.below(5) {
            0 => register.into(),
            1 => nothing_of(register) + 1,
            _ => (random.below(3) as i64).into(),
        }
    }

    fn instruction(&self, t: &mut ThreadBuilder<'_>, random: &mut Random, depth: u32) {
        let register = random.of(&self.registers);
        let kinds = match (self.plain, depth) {
            (true, _) => 10,
            (false, 0 | 1) => 24,
            (false, _) => 19,
        };
        match random.below(kinds) {
            0..=4 => t.load(register, self.place(random)),
            5..=9 => t.store(self.place(random), self.value(random)),
            10 => t.load(self.address, self.pointer),
            11 => t.store(self.pointer, random.of(&self.locations).address()),
            12 => t.cas(
                register,
                self.place(random),
                self.value(random),
                self.value(random),
            ),
            13 => t.exchange(register, self.place(random), self.value(random)),
            14 => {
                let result = Some((register, Returned::Old));
                let update = Update::Fetch(Operator::Xor, self.value(random));
                t.update(result, self.place(random), update);
            }
            15 | 16 => t.fence(random.of(&Fence::ALL)),
            17 => t.assign(register, self.value(random)),
            18 => match random.below(3) {
                0 => t.output(register),
                1 => t.assert(register.differs(2)),
                _ => t.choose(register, [0, 1]),
            },
            19 | 20 => {
                let (yes, no) = (random.next(), random.next());
                t.if_else(
                    register.equals(1),
                    |t| self.instruction(t, &mut Random(yes), depth + 1),
                    |t| {
                        if no % 2 == 0 {
                            self.instruction(t, &mut Random(no), depth + 1);
                        }
                    },
                );
            }
            21 => {
                let body = random.next();
                t.repeat_until(register.equals(1), |t| {
                    self.instruction(t, &mut Random(body), depth + 2);
                });
            }
            22 if self.mixture.exclusive => {
                let (place, again) = (self.place(random), random.below(4) == 0);
                t.load_linked(register, place.clone());
                if again {
                    self.instruction(t, random, 2);
                }
                let succeeded = random.of(&self.registers);
                t.store_conditional(succeeded, place, self.value(random));
            }
            23 if self.mixture.atomic => {
                let (a, b) = (random.of(&self.locations), random.of(&self.locations));
                let require = random.below(4) == 0;
                t.atomic(|t| {
                    t.load(register, a);
                    if require {
                        t.require(register.differs(2));
                    }
                    t.store(b, register + 1);
                    t.load(register, b);
                });
            }
            _ => t.store(random.of(&self.locations), 1 + random.below(2) as i64),
        }
    }
}
