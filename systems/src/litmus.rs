//! Litmus tests that the format of the herd tools for X86 cannot state: acquire and release fences,
//! dependencies by address, and exclusive accesses. Those that it can are the files in `litmus/`.
//!
//! Names are built as the herd tools build them: the shape, then the ordering between the accesses of
//! each thread that has two (`po` for none). The shapes are those of Alglave, Maranget &
//! Tautschnig, *Herding Cats*; the verdicts follow from the orderings of Ugawa, Abe & Maeda,
//! *Model Checking Copy Phases of Concurrent Copying Garbage Collection with Various Memory Models*,
//! section 3.1, and of its section 4.2.2 for the two weaker fences.

use refmap_programs::{
    Afterwards, Expression, Fence, Location, Operator, Outcome, Program, ProgramBuilder, Register,
    ThreadBuilder, Value,
};

/// Memory models under which the queried final state of a test is reachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Under none.
    Never,
    /// Under PSO and RMO.
    FromPso,
    /// Under TSO, PSO and RMO.
    FromTso,
    /// Under RMO alone.
    Rmo,
}

/// A litmus test: a program, and a query on its final states.
#[derive(Debug)]
pub struct LitmusTest {
    pub name: &'static str,
    pub program: Program,
    /// Values of the registers in the queried state, by threads and in order.
    pub registers: Vec<i64>,
    /// Values of locations in the queried state.
    pub memory: Vec<(Location, i64)>,
    /// Models under which that state is reachable.
    pub reached: Reached,
    pub reason: &'static str,
}

impl LitmusTest {
    /// Whether `outcome` is the queried state.
    pub fn asks_for(&self, outcome: &Outcome) -> bool {
        let kept = outcome.threads.iter().flat_map(|thread| &thread.kept);
        let registers = self.registers.iter().map(|number| Value::Number(*number));
        let holds = |(location, number): &(Location, i64)| {
            outcome.memory[usize::from(location.0)] == Value::Number(*number)
        };
        outcome.is_complete() && kept.copied().eq(registers) && self.memory.iter().all(holds)
    }
}

/// Ordering between two accesses of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Nothing,
    Fence(Fence),
    /// Address dependency of the second on the first.
    Address,
    /// Data dependency.
    Data,
    /// Control dependency.
    Control,
}

/// An access of a thread.
#[derive(Clone, Copy)]
enum Access {
    Read(Location),
    Write(Location, i64),
}

use Access::{Read, Write};
use Between::{Address, Control, Data, Nothing};
const ACQUIRE: Between = Between::Fence(Fence::Acquire);
const RELEASE: Between = Between::Fence(Fence::Release);

/// A thread of one or two accesses, which keeps the values that it reads.
fn thread(t: &mut ThreadBuilder<'_>, first: Access, second: Option<(Between, Access)>) {
    let mut number = 0;
    let mut register = |t: &mut ThreadBuilder<'_>| {
        number += 1;
        t.register_with(format!("r{number}"), 0, Afterwards::Kept)
    };
    let read = match first {
        Read(location) => {
            let into = register(t);
            t.load(into, location);
            Some(into)
        }
        Write(location, value) => {
            t.store(location, value);
            None
        }
    };
    let Some((between, second)) = second else {
        return;
    };
    // 0, with a dependency on the value read.
    let nothing = |read: Option<Register>| -> Expression {
        let read = read.expect("only what follows a read depends on it");
        Expression::of(Operator::Xor, read, read)
    };
    let into = match second {
        Read(_) => Some(register(t)),
        Write(..) => None,
    };
    let access = |t: &mut ThreadBuilder<'_>| match (second, between) {
        (Read(location), Address) => t.load(
            into.expect("a read has a register"),
            location.address() + nothing(read),
        ),
        (Write(location, value), Address) => t.store(location.address() + nothing(read), value),
        (Write(location, value), Data) => t.store(location, nothing(read) + value),
        (Read(location), _) => t.load(into.expect("a read has a register"), location),
        (Write(location, value), _) => t.store(location, value),
    };
    match between {
        Between::Fence(fence) => {
            t.fence(fence);
            access(t);
        }
        Control => {
            let read = read.expect("only what follows a read depends on it");
            t.when(read.equals(1), access);
        }
        Nothing | Address | Data => access(t),
    }
}

/// Shapes of tests: the first and second access of each thread.
#[derive(Clone, Copy)]
enum Shape {
    /// Store buffering: both write, then read the initial value of the other's location.
    Sb,
    /// Message passing: the flag is read, and then the old message.
    Mp,
    /// Load buffering: both read the value that the other writes later.
    Lb,
    /// A write is overtaken by one that it caused.
    S,
    /// Two writes each, of which the first ones come last.
    TwoPlusTwoW,
    /// Two readers disagree on the order of two writes.
    Iriw,
    /// Write-to-read causality: a write is read without the write that caused it.
    Wrc,
    /// … by way of two others.
    Isa2,
}

fn test(
    name: &'static str,
    shape: Shape,
    between: &[Between],
    reached: Reached,
    reason: &'static str,
) -> LitmusTest {
    let mut program = ProgramBuilder::new(name);
    let [x, y, z] = ["x", "y", "z"].map(|name| program.location(name, 0));
    let (threads, registers, memory): (Vec<_>, Vec<i64>, Vec<_>) = match shape {
        Shape::Sb => (
            vec![(Write(x, 1), Some(Read(y))), (Write(y, 1), Some(Read(x)))],
            vec![0, 0],
            vec![],
        ),
        Shape::Mp => (
            vec![(Write(x, 1), Some(Write(y, 1))), (Read(y), Some(Read(x)))],
            vec![1, 0],
            vec![],
        ),
        Shape::Lb => (
            vec![(Read(x), Some(Write(y, 1))), (Read(y), Some(Write(x, 1)))],
            vec![1, 1],
            vec![],
        ),
        Shape::S => (
            vec![
                (Write(x, 2), Some(Write(y, 1))),
                (Read(y), Some(Write(x, 1))),
            ],
            vec![1],
            vec![(x, 2)],
        ),
        Shape::TwoPlusTwoW => (
            vec![
                (Write(x, 2), Some(Write(y, 1))),
                (Write(y, 2), Some(Write(x, 1))),
            ],
            vec![],
            vec![(x, 2), (y, 2)],
        ),
        Shape::Iriw => (
            vec![
                (Read(x), Some(Read(y))),
                (Read(y), Some(Read(x))),
                (Write(x, 1), None),
                (Write(y, 1), None),
            ],
            vec![1, 0, 1, 0],
            vec![],
        ),
        Shape::Wrc => (
            vec![
                (Read(x), Some(Write(y, 1))),
                (Read(y), Some(Read(x))),
                (Write(x, 1), None),
            ],
            vec![1, 1, 0],
            vec![],
        ),
        Shape::Isa2 => (
            vec![
                (Write(x, 1), Some(Write(y, 1))),
                (Read(y), Some(Write(z, 1))),
                (Read(z), Some(Read(x))),
            ],
            vec![1, 1, 0],
            vec![],
        ),
    };
    let mut between = between.iter();
    for (number, (first, second)) in threads.into_iter().enumerate() {
        let second = second.map(|second| {
            let between = between
                .next()
                .expect("something stands between two accesses");
            (*between, second)
        });
        program.thread(format!("P{number}"), |t| thread(t, first, second));
    }
    LitmusTest {
        name,
        program: program.build().expect("the test is well formed"),
        registers,
        memory,
        reached,
        reason,
    }
}

/// All tests.
pub fn tests() -> Vec<LitmusTest> {
    use Reached::{FromPso, FromTso, Never, Rmo};
    use Shape::{Iriw, Isa2, Lb, Mp, S, Sb, TwoPlusTwoW, Wrc};
    let acquire = "an acquire fence orders earlier reads before later accesses";
    let release = "a release fence orders earlier accesses before later writes";
    let both = "both sides are in order";
    let dependency = "what depends on a read comes after it";
    let other_thread = "RMO reorders the thread that has no fence and no dependency";
    let no_read = "there is no earlier read";
    let no_write = "there is no later write";
    let writes = "PSO reorders the writes";
    let speculation = "nothing is speculated";
    let multi_copy = "memory is multi-copy atomic";
    let mut tests = vec![
        test("SB+acqs", Sb, &[ACQUIRE, ACQUIRE], FromTso, no_read),
        test("SB+rels", Sb, &[RELEASE, RELEASE], FromTso, no_write),
        test("MP+rel+acq", Mp, &[RELEASE, ACQUIRE], Never, both),
        test("MP+rel+po", Mp, &[RELEASE, Nothing], Rmo, other_thread),
        test("MP+po+acq", Mp, &[Nothing, ACQUIRE], FromPso, writes),
        test("MP+acq+acq", Mp, &[ACQUIRE, ACQUIRE], FromPso, no_read),
        test("MP+rel+rel", Mp, &[RELEASE, RELEASE], Rmo, no_write),
        test("MP+rel+addr", Mp, &[RELEASE, Address], Never, dependency),
        test("MP+rel+ctrl", Mp, &[RELEASE, Control], Never, speculation),
        test("MP+po+addr", Mp, &[Nothing, Address], FromPso, writes),
        test("LB+acqs", Lb, &[ACQUIRE, ACQUIRE], Never, acquire),
        test("LB+rels", Lb, &[RELEASE, RELEASE], Never, release),
        test("LB+acq+po", Lb, &[ACQUIRE, Nothing], Rmo, other_thread),
        test("LB+datas", Lb, &[Data, Data], Never, dependency),
        test("LB+addrs", Lb, &[Address, Address], Never, dependency),
        test("LB+ctrls", Lb, &[Control, Control], Never, speculation),
        test("LB+data+po", Lb, &[Data, Nothing], Rmo, other_thread),
        test("S+rel+data", S, &[RELEASE, Data], Never, dependency),
        test("S+rel+addr", S, &[RELEASE, Address], Never, dependency),
        test("S+rel+ctrl", S, &[RELEASE, Control], Never, speculation),
        test("S+rel+po", S, &[RELEASE, Nothing], Rmo, other_thread),
        test("S+po+data", S, &[Nothing, Data], FromPso, writes),
        test(
            "2+2W+rels",
            TwoPlusTwoW,
            &[RELEASE, RELEASE],
            Never,
            release,
        ),
        test(
            "2+2W+acqs",
            TwoPlusTwoW,
            &[ACQUIRE, ACQUIRE],
            FromPso,
            no_read,
        ),
        test("IRIW+acqs", Iriw, &[ACQUIRE, ACQUIRE], Never, multi_copy),
        test("IRIW+addrs", Iriw, &[Address, Address], Never, multi_copy),
        test("IRIW+ctrls", Iriw, &[Control, Control], Never, speculation),
        test("IRIW+rels", Iriw, &[RELEASE, RELEASE], Rmo, no_write),
        test("IRIW+addr+po", Iriw, &[Address, Nothing], Rmo, other_thread),
        test("WRC+data+addr", Wrc, &[Data, Address], Never, multi_copy),
        test("WRC+rel+acq", Wrc, &[RELEASE, ACQUIRE], Never, both),
        test("WRC+data+po", Wrc, &[Data, Nothing], Rmo, other_thread),
        test(
            "ISA2+rel+data+addr",
            Isa2,
            &[RELEASE, Data, Address],
            Never,
            dependency,
        ),
        test(
            "ISA2+rel+rel+acq",
            Isa2,
            &[RELEASE, RELEASE, ACQUIRE],
            Never,
            both,
        ),
        test(
            "ISA2+po+data+addr",
            Isa2,
            &[Nothing, Data, Address],
            FromPso,
            writes,
        ),
        test(
            "ISA2+rel+po+addr",
            Isa2,
            &[RELEASE, Nothing, Address],
            Rmo,
            other_thread,
        ),
    ];
    tests.extend([
        thin_air(),
        forwarded_dependency(),
        exclusive(),
        intervention(),
        exclusive_store_buffering(),
    ]);
    tests
}

/// Load buffering in which each thread writes 42 only if it has read it: each could justify the other,
/// and 42 would appear out of thin air.
fn thin_air() -> LitmusTest {
    let mut program = ProgramBuilder::new("thin air");
    let locations = ["x", "y"].map(|name| program.location(name, 0));
    for me in 0..2 {
        program.thread(format!("P{me}"), |t| {
            let r = t.register_with("r", 0, Afterwards::Kept);
            t.load(r, locations[me]);
            t.when(Expression::from(r).equals(42), |t| {
                t.store(locations[1 - me], 42);
            });
        });
    }
    LitmusTest {
        name: "LB+out-of-thin-air",
        program: program.build().expect("the test is well formed"),
        registers: vec![42, 42],
        memory: vec![],
        reached: Reached::Never,
        reason: "a value has to be written before it is read",
    }
}

/// Load buffering in which a thread forwards the value read through its own pending store.
fn forwarded_dependency() -> LitmusTest {
    let mut program = ProgramBuilder::new("LB+data-rfi-datas");
    let [x, y, a, b] = ["x", "y", "a", "b"].map(|name| program.location(name, 0));
    for (from, by, to) in [(x, a, y), (y, b, x)] {
        program.thread(format!("P{}", from.0), |t| {
            let r = t.register_with("r", 0, Afterwards::Kept);
            let s = t.register("s");
            t.load(r, from);
            t.store(by, r);
            t.load(s, by);
            t.store(to, Expression::of(Operator::Xor, s, s) + 1);
        });
    }
    LitmusTest {
        name: "LB+data-rfi-datas",
        program: program.build().expect("the test is well formed"),
        registers: vec![1, 1],
        memory: vec![],
        reached: Reached::Never,
        reason: "a store passes nothing on before its value is known",
    }
}

/// Two exclusive increments, both of which read 0 and succeed.
fn exclusive() -> LitmusTest {
    let mut program = ProgramBuilder::new("2LL-SC");
    let x = program.location("x", 0);
    for me in 0..2 {
        program.thread(format!("P{me}"), |t| {
            let r = t.register_with("r", 0, Afterwards::Kept);
            let succeeded = t.register_with("succeeded", 0, Afterwards::Kept);
            t.load_linked(r, x);
            t.store_conditional(succeeded, x, r + 1);
        });
    }
    LitmusTest {
        name: "2LL-SC",
        program: program.build().expect("the test is well formed"),
        registers: vec![0, 1, 0, 1],
        memory: vec![],
        reached: Reached::Never,
        reason: "an SC fails if another thread has written since the LL",
    }
}

/// An exclusive access that another thread's plain store comes between, and that succeeds.
fn intervention() -> LitmusTest {
    let mut program = ProgramBuilder::new("LL-SC+W");
    let x = program.location("x", 0);
    program.thread("P0", |t| {
        let r = t.register_with("r", 0, Afterwards::Kept);
        let succeeded = t.register_with("succeeded", 0, Afterwards::Kept);
        t.load_linked(r, x);
        t.store_conditional(succeeded, x, 1);
    });
    program.thread("P1", |t| t.store(x, 2));
    LitmusTest {
        name: "LL-SC+W",
        program: program.build().expect("the test is well formed"),
        // P0 did not read what P1 wrote, and yet overwrote it.
        registers: vec![0, 1],
        memory: vec![(x, 1)],
        reached: Reached::Never,
        reason: "an SC fails if another thread has written since the LL",
    }
}

/// Store buffering with exclusive stores: an SC is no plain store, and no fence either.
fn exclusive_store_buffering() -> LitmusTest {
    let mut program = ProgramBuilder::new("SB+LL-SCs");
    let locations = ["x", "y"].map(|name| program.location(name, 0));
    for me in 0..2 {
        program.thread(format!("P{me}"), |t| {
            let (r, succeeded) = (t.register("r"), t.register("succeeded"));
            let seen = t.register_with("seen", 0, Afterwards::Kept);
            t.load_linked(r, locations[me]);
            t.store_conditional(succeeded, locations[me], 1);
            t.load(seen, locations[1 - me]);
        });
    }
    LitmusTest {
        name: "SB+LL-SCs",
        program: program.build().expect("the test is well formed"),
        registers: vec![0, 0],
        memory: vec![(locations[0], 1), (locations[1], 1)],
        reached: Reached::Rmo,
        reason: "under RMO nothing orders an SC with another location",
    }
}
