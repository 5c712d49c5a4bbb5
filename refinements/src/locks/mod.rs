//! Locks refine mutual exclusion, for any number of threads.

mod lock;
mod readers_writers;
mod spin;
mod szymanski;
mod test_and_set;
mod ticket;

pub use lock::{LockRefinement, ThreadLock};
pub use readers_writers::ReadersWritersRefinement;
pub use spin::AnySpinLock;
pub use szymanski::AnySzymanski;
pub use test_and_set::AnyTestAndSet;
pub use ticket::AnyTicketLock;
