//! Programs under weak memory models.
//!
//! A [`Program`] is a set of threads over shared locations, stated with a [`ProgramBuilder`]. A [`Machine`] is the
//! transition system of a program under one of the six [`MemoryModel`]s of Ugawa, Abe & Maeda (*Model Checking Copy
//! Phases of Concurrent Copying Garbage Collection with Various Memory Models*, Table 1).
//!
//! Store buffering: each thread stores to one location and loads the other. Both may load 0 under TSO, and not under SC:
//!
//! ```
//! use refmap_programs::{Machine, MemoryModel, ProgramBuilder, outcomes};
//!
//! let mut program = ProgramBuilder::new("store buffering");
//! let locations = [program.location("x", 0), program.location("y", 0)];
//! for me in 0..2 {
//!     program.thread(format!("thread {me}"), |t| {
//!         let loaded = t.register("loaded");
//!         t.store(locations[me], 1);
//!         t.load(loaded, locations[1 - me]);
//!         t.output(loaded);
//!     });
//! }
//! let program = program.build()?;
//! let both_load_0 = |model| {
//!     let outcomes = outcomes(&Machine::new(program.clone(), model), 1_000).expect("there are few states");
//!     outcomes.iter().any(|outcome| outcome.threads.iter().all(|thread| thread.output == [0.into()]))
//! };
//! assert!(!both_load_0(MemoryModel::Sc));
//! assert!(both_load_0(MemoryModel::Tso));
//! # Ok::<(), refmap_programs::BuildError>(())
//! ```
//!
//! The book in the repository, `examples/book`, has a page on weak memory.
//!
//! Not modelled: speculation past branches, of which reports, answers and syntheses warn where it could load early
//! ([`Program::control_dependencies`]); partially overlapping accesses; and memories that are not multi-copy atomic, in which a write
//! becomes visible to some threads before others.

pub mod axiomatic;
mod behaviour;
mod builder;
mod code;
mod control;
mod ends;
mod expression;
mod fetch;
#[cfg(feature = "any-number")]
mod identical;
pub mod litmus;
mod machine;
mod model;
mod outcome;
mod program;
mod state;
pub mod store_buffers;
pub mod synthesis;

pub use behaviour::{Behaviours, ProgramRefinement};
pub use builder::{BuildError, Label, ProgramBuilder, ThreadBuilder};
pub use control::{ControlDependencies, ControlDependency};
pub use ends::{Ends, TooManyStates, ends, outcomes};
pub use expression::{
    Expression, Fault, Integer, Location, Names, Operator, Place, Register, Sign, Value,
};
#[cfg(feature = "any-number")]
pub use identical::{EachShows, IdenticalThreads, NotAlike, OneThread, Threads};
pub use machine::{Action, Effect, End, Machine, Observation, Show, Shown};
pub use model::{AccessKind, MemoryModel, UnknownModel};
pub use outcome::{Outcome, ThreadEnd, ThreadOutcome};
pub use program::{
    Afterwards, DrawnField, DrawnObject, Fence, FencePlace, Instruction, LoadKind,
    MOST_INSTRUCTIONS, MOST_LOCATIONS, MOST_REGISTERS, MOST_THREADS, Presence, PrivateRegister,
    Program, Returned, Snapshot, Thread, UnknownPlace, Update, Variable,
};
pub use state::{Operand, Operands, Pending, Progress, State, ThreadState};
