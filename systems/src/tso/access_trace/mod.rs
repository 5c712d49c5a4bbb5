//! Access traces: the model at the granularity of accesses, to validate recorded executions.
//!
//! An [`Access`] is what one thread of the collector's code does at one moment, with the value that it read or
//! wrote: it loads `fM`, it wins a race to mark, it requests a handshake. In the model an access is a sequence of
//! steps of that thread's process at [`Granularity::Fine`](super::Granularity::Fine), followed by local steps of the
//! process. So every state reached by accesses and commits is reachable in the model; the converse fails, since in
//! the model other processes can interleave with those steps.
//!
//! The fused steps, and why no recorded execution is lost by it:
//!
//! - A1. Guards, choices and assignments of a process's own variables are fused with the previous access, or
//!   with the next one that determines the choice.
//! - A2. A handshake request to all mutators is one access. A mutator that is requested early and answers at once
//!   could as well have been requested last; a poll that finds no request is not recorded.
//! - A3. The observation that all mutators have answered is one access, with the transfer of their work: no
//!   mutator is requested again before it.
//! - A4. A CAS is one access, from the lock to the unlock, with an empty buffer: pending stores
//!   would be committed before the unlock, and no other process can load in between.
//! - A5. Objects that the sweep visits and does not free are visited at its end. They are marked then, as they
//!   were: in this phase no object is unmarked.
//! - A6. A load whose value is not recorded (of `fM`, by the collector, the only process that stores it) is fused
//!   with the adjacent access.

mod access;
mod execution;
mod model;
mod refusal;

pub use access::Access;
pub use model::AccessModel;
