//! Checks that threads that take a lock increment a counter as if each did so in one step.

// ANCHOR: specification
use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Action, Invariant, Process, Refinement, State, TransitionSystem, guard};
use serde::Serialize;

/// The specification: a counter that counts modulo 4, and is incremented in one step.
struct Atomic {
    threads: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = Atomic)]
#[rule(process = "thread")]
enum Change {
    Increment {
        #[process(0..system.threads)]
        thread: u8,
    },
}

impl TransitionSystem for Atomic {
    type State = u8;
    type Action = Change;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, _: &Change, counter: &mut u8) -> Option<()> {
        *counter = (*counter + 1) % 4;
        Some(())
    }

    fn observe(&self, counter: &u8) -> u8 {
        *counter
    }
}
// ANCHOR_END: specification

// ANCHOR: state
/// The implementation: each thread reads the counter, and then writes what it read plus one.
struct Threads {
    threads: u8,
    lock: Lock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Lock {
    /// A thread holds it from its read to its write.
    Held,
    /// There is none.
    Absent,
    /// A thread takes it and never gives it back.
    Kept,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
#[state(system = Threads)]
struct Memory {
    #[state(range = 0..4)]
    counter: u8,
    /// The thread that holds the lock.
    #[state(range = 0..system.threads)]
    holder: Option<u8>,
    /// Value that each thread read and has yet to write.
    #[state(len = system.threads, range = 0..4)]
    read: Vec<Option<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
#[action(system = Threads)]
#[rule(process = "thread")]
#[process(0..system.threads)]
enum Step {
    Read {
        #[process]
        thread: u8,
    },
    Write {
        #[process]
        thread: u8,
    },
}
// ANCHOR_END: state

// ANCHOR: rules
impl TransitionSystem for Threads {
    type State = Memory;
    type Action = Step;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(Memory)) {
        visit(Memory {
            counter: 0,
            holder: None,
            read: vec![None; self.threads.into()],
        });
    }

    fn fire(&self, step: &Step, memory: &mut Memory) -> Option<()> {
        match *step {
            // A thread that has the lock, or takes it, reads the counter.
            Step::Read { thread } => {
                let is_free = memory.holder.is_none_or(|holder| holder == thread);
                let read = &mut memory.read[usize::from(thread)];
                guard("the lock is free", is_free)?;
                guard("the thread has not read", read.is_none())?;
                *read = Some(memory.counter);
                if self.lock != Lock::Absent {
                    memory.holder = Some(thread);
                }
            }
            // A thread that has read writes, and gives the lock back.
            Step::Write { thread } => {
                let read = memory.read[usize::from(thread)].take()?;
                memory.counter = (read + 1) % 4;
                if self.lock == Lock::Held {
                    memory.holder = None;
                }
            }
        }
        Some(())
    }

    fn observe(&self, memory: &Memory) -> u8 {
        memory.counter
    }
}
// ANCHOR_END: rules

// ANCHOR: refinement
/// The claim, and why it is true.
struct ThreadsRefineAtomic {
    implementation: Threads,
    specification: Atomic,
    environment: Vec<Process>,
}

impl ThreadsRefineAtomic {
    fn new(threads: u8, lock: Lock) -> Self {
        let thread = |number| Process::numbered("thread", number);
        Self {
            implementation: Threads { threads, lock },
            specification: Atomic { threads },
            environment: (0..threads.into()).map(thread).collect(),
        }
    }
}

impl Refinement for ThreadsRefineAtomic {
    type Implementation = Threads;
    type Specification = Atomic;

    fn implementation(&self) -> &Threads {
        &self.implementation
    }

    fn specification(&self) -> &Atomic {
        &self.specification
    }

    /// The refinement mapping: the state of the specification that stands for a state of the implementation.
    fn map(&self, memory: &Memory) -> u8 {
        memory.counter
    }

    /// The step of the specification that a step of the implementation simulates, if it is not a stutter.
    fn abstract_steps(&self, _: &Memory, step: &Step, _: &Memory) -> AbstractSteps<Change> {
        match *step {
            Step::Read { .. } => Stutter,
            Step::Write { thread } => One(Change::Increment { thread }),
        }
    }

    /// Why the mapping works: what a thread read is still true when it writes.
    fn invariants(&self) -> Vec<Invariant<Threads>> {
        let is_current =
            |memory: &Memory| memory.read.iter().flatten().all(|n| *n == memory.counter);
        vec![Invariant::new(
            "read_is_current",
            "this project",
            is_current,
        )]
    }

    /// The threads may increment whenever they want to, and the implementation has to let them.
    fn environment(&self) -> &[Process] {
        &self.environment
    }

    /// A thread is between two operations unless it has read and not written.
    fn at_rest(&self, memory: &Memory, process: Process) -> bool {
        let thread = process.number.expect("threads are numbered");
        memory.read[usize::from(thread)].is_none()
    }
}
// ANCHOR_END: refinement

// ANCHOR: catalogue
use refmap::obligation::Checker;
use refmap_cli::catalogue::{Catalogue, Check, number};
use refmap_cli::clap::{self, Args};

/// The parameters of the check, each an option of its command.
#[derive(Clone, Args)]
struct Scope {
    /// Number of threads
    #[arg(long, default_value_t = 2, value_parser = number::<u8>(1..=4))]
    threads: u8,
    /// State of the lock
    #[arg(long, value_enum, default_value_t = Lock::Held)]
    lock: Lock,
}

/// Checks of this project, and the page of its claims.
fn catalogue() -> Catalogue {
    let counter = Check::new(
        "counter",
        "threads that read and write a counter refine one that is incremented at once",
        "this project",
        |scope: &Scope| {
            let refinement = ThreadsRefineAtomic::new(scope.threads, scope.lock);
            Ok(Box::new(Checker::owning(refinement)))
        },
    );
    Catalogue {
        checks: vec![counter],
        claims: include_str!("../CLAIMS.md").to_owned(),
        ..Catalogue::default()
    }
}
// ANCHOR_END: catalogue

// ANCHOR: main
fn main() -> std::process::ExitCode {
    refmap_cli::main(
        env!("CARGO_PKG_NAME"),
        "Checks that my counter counts.",
        &catalogue(),
    )
}
// ANCHOR_END: main

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Settings;

    #[test]
    fn all_claims_are_as_claimed() {
        let catalogue = catalogue();
        let claims = catalogue.claims().expect("each row is a claim");
        assert!(!claims.is_empty(), "the page has no row");
        for claim in claims {
            let report = catalogue.run(&claim, &Settings::default());
            let report = report.expect("it is checked");
            let differences = claim.differences(&report);
            assert_eq!(differences, [""; 0], "{}\n{report}", claim.command);
        }
    }
}
// ANCHOR_END: tests
