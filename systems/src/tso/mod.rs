//! The on-the-fly mark-sweep collector for x86-TSO, its mutators, and the memory between them.
//!
//! Source: Gammie, Hosking & Engelhardt, *Relaxing Safely: Verified On-the-Fly Garbage Collection for
//! x86-TSO* (PLDI 2015), called [Gammie et al.] elsewhere; sections and figures are the paper's. Where
//! the paper leaves something to its proof development (the Archive of Formal Proofs entry
//! ConcurrentGC), the model follows that: the steps of marking and of handshakes, and the initial
//! states.
//!
//! One file a concept: the collector is Fig. 2, a mutator Fig. 6, marking
//! Fig. 5, handshakes Fig. 4, memory Fig. 9; the commands of all are labelled by a [`Label`]. What it is for is in
//! [`specification`]. `reduced` joins steps where only freeing matters, and `by_access` takes
//! steps as the accesses of code that runs.
//!
//! Deviations.
//!
//! - D1: a store buffer holds at most as many stores as the instance says; the paper's are unbounded. A
//!   store that finds no room waits, so behaviours with more stores in flight are hidden. The collector
//!   never has more than two pending, so that a buffer of two places is as good as any for it; a variant
//!   without fences may want more.
//! - D2: handshake bits and worklists are not subject to the memory model, as in the paper.
//! - D3: objects have no payload, and mutators no step that changes only their own data: nothing here
//!   looks at either.
//! - D4: a handshake sets the ghost phases to its own value, where the development counts them up. With
//!   all handshakes in place the two agree; with one left out a count would drift.
//! - D5: registers whose value is never read again are cleared, where the scope says so. That hides
//!   nothing but what no step asks for, and `test_registers` tests that none does.
//! - D6: the variant without CAS keeps the first load and the tests of Fig. 5, and leaves out the lock, the
//!   second load and the test of who won; it takes itself for the winner.
//! - D7: a mutator knows by a variable of its own, not by a ghost, that its roots are marked in this
//!   cycle; the variant that drops the insertion barrier afterwards looks at it, and no other keeps it.
//! - D8: marking loads the mark before `fM`, as the development does. Fig. 5 prints the other order, which is
//!   [`Loads::SenseFirst`].
//!
//! Granularity. At [`Granularity::Fine`] each command is a step. At [`Granularity::Coarse`] steps that nobody
//! can tell apart are run together, and every invariant stays in sight: `coarse` says which, and why.
//! [`Granularity::Reduced`] goes further, for the sake of what is freed alone.

mod by_access;
mod coarse;
mod collector;
mod colours;
mod drawing;
mod handshakes;
mod label;
mod marking;
mod memory;
mod mutator;
mod packing;
#[cfg(test)]
mod plainly;
mod reduced;
mod request;
mod scope;
pub mod specification;
mod stability;
mod state;
mod symmetry;
mod system;

pub use by_access::{Access, ByAccess, Size};
pub use colours::{Heap, pointed_to, reach};
pub use label::{
    AnswerStep, FlipStep, Label, MarkLoopStep, Marker, MarkingStep, MutatorStep, Round, RoundStep,
    SetFaStep, SweepStep, SysStep,
};
pub use request::Act;
pub use scope::{
    Allocate, Barriers, Flip, Granularity, Initial, Loads, MAX_BUFFER, MAX_FIELDS, MAX_MUTATORS,
    MAX_REFS, Memory, Part, Remains, Scope, ScopeError, UnknownPart, Variant, Without,
};
pub use state::{
    Buffer, Gc, HandshakePhase, HandshakeType, Mark, Marking, Mutator, Mutators, Object, Phase,
    State, Store, Sys, Who, place_of,
};
pub use symmetry::Exchange;
pub use system::OnTheFly;
