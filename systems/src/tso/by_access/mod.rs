//! The model access by access: which of its steps answer to what a thread of the collector's code is seen
//! to do.
//!
//! An [`Access`] is what one thread does at one moment, with what it read or wrote: it loads `fM`, it wins
//! a race to mark, it asks for a handshake. To take it is to take some steps of that thread's process one
//! after the other, those of the model at [`Granularity::Fine`], with what is the process's own behind
//! them. So whatever is reached by accesses and commits is reached by the model; there are runs of the
//! model that are none of accesses, because something came between those steps.
//!
//! What is taken together, and why that loses nothing that a thread shows:
//!
//! - A1. Guards, choices and changes of a process's own variables are taken with the access before them, or
//!   with the one after them that says what is chosen.
//! - A2. Asking for a handshake is one access. Whoever is asked early and answers at once could as well have
//!   been asked with the last one; who looks and is not asked shows nothing.
//! - A3. That all have answered is one access, with the taking over of their work: nobody is asked again
//!   before it.
//! - A4. A CAS is one access, from the lock to the unlock, and comes when nothing is pending: what is
//!   pending would be committed before the unlock with nobody able to look in between.
//! - A5. What the sweep looks at and does not free is looked at when it ends. By then it is marked, as it
//!   was: in this phase nothing is unmarked.
//! - A6. A load whose value is not told (of `fM`, by the collector, which alone writes it) is taken with the
//!   access next to it.

mod access;
mod model;
mod refusal;
mod run;

pub use access::Access;
pub use model::{ByAccess, Size};
