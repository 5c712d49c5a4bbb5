//! The on-the-fly mark-sweep collector for x86-TSO, its mutators, and the memory between them.
//!
//! Source: Gammie, Hosking & Engelhardt, *Relaxing Safely: Verified On-the-Fly Garbage Collection for
//! x86-TSO* (PLDI 2015), called [Gammie et al.] elsewhere; sections and figures are the paper's. Where
//! the paper leaves something to its proof development (the Archive of Formal Proofs entry
//! ConcurrentGC), the model follows that: the steps of marking and of handshakes, and the initial
//! states.
//!
//! One file a concept: the collector is Fig. 2, a mutator Fig. 6, marking Fig. 5, handshakes Fig. 4, memory
//! Fig. 9; each command has a [`Label`]. [`specification`] is what the collector has to implement.
//! `local_fusion` and `lipton_reduction` reduce the number of interleavings, and `access_trace` groups steps
//! into the accesses that running code records.
//!
//! Deviations.
//!
//! - D1: a store buffer has the capacity that the instance states; the paper's are unbounded. A store
//!   into a full buffer blocks, so behaviours with more stores in flight are hidden. The collector
//!   never has more than two pending, so two places suffice for it; a variant without fences may need more.
//! - D2: handshake bits and worklists are not subject to the memory model, as in the paper.
//! - D3: objects have no payload, and mutators no step that changes only their own data: no property here
//!   depends on either.
//! - D4: a handshake sets the ghost phases to its own value, where the development counts them up. With
//!   all handshakes in place the two agree; with one left out a count would drift.
//! - D5: dead registers, whose value is never read again, are cleared if the scope says so. That hides
//!   no behaviour, since no step reads them; `test_registers` tests the declarations of reads.
//! - D6: the variant without CAS keeps the first load and the tests of Fig. 5, and leaves out the lock, the
//!   second load and the test of who won: it continues as the winner.
//! - D7: a mutator records in a variable of its own, not in a ghost, that its roots are marked in this
//!   cycle. Only the variant that drops the insertion barrier afterwards sets and reads it.
//! - D8: marking loads the mark before `fM`, as the development does. Fig. 5 prints the other order, which is
//!   [`LoadOrder::SenseFirst`].
//! - D9: with any number of mutators ([`AnyOnTheFly`]) dead registers are always cleared, which hides no behaviour (D5). There is no Lipton
//!   reduction of them, since its transactions move several mutators.
//!
//! Granularity. At [`Granularity::Fine`] each command is a step. [`Granularity::Coarse`] is local fusion: steps
//! that are invisible to the other processes and to every invariant are fused with a neighbour. [`Granularity::Reduced`]
//! is Lipton reduction, which preserves what is freed, and not the invariants.

mod access_trace;
mod any_number;
mod collector;
mod colours;
mod drawing;
mod handshake_round;
mod handshakes;
mod kept;
mod label;
mod lipton_reduction;
mod local_fusion;
mod marking;
mod memory;
mod mutator;
#[cfg(test)]
mod naive_search;
mod names;
mod packing;
mod progress;
mod request;
mod scope;
pub mod specification;
mod stability;
mod state;
mod system;

pub use access_trace::{Access, AccessModel};
pub use any_number::{
    AnyAct, AnyCollectOnlyGarbage, AnyOnTheFly, HeldProgram, Holder, Observed, OneMutator, Shared,
    SharedProgram,
};
pub use colours::{Heap, pointed_to, reach};
pub use handshake_round::HandshakeRound;
pub use label::{
    AnswerStep, FlipStep, Label, MarkLoopStep, Marker, MarkingStep, MutatorStep, RoundStep,
    SetFaStep, SweepStep, SysStep,
};
pub use progress::Progress;
pub use request::Act;
pub use scope::{
    Allocate, Barriers, Flip, Granularity, Initial, LoadOrder, MAX_BUFFER, MAX_FIELDS,
    MAX_MUTATORS, MAX_REFS, MUTATORS, Memory, Part, REFERENCES, ResidualFence, Scope, ScopeError,
    UnknownName, Variant, Without, named,
};
pub use state::{
    Buffer, Gc, HandshakePhase, HandshakeType, Mark, Marking, Mutator, Mutators, Object, Phase,
    State, Store, Sys, Who, place_of,
};
pub use system::OnTheFly;
