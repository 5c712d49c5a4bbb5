//! Locks refine mutual exclusion, for any number of threads.

mod lock;
mod readers_writers;
mod spin;

pub use lock::LockRefinement;
pub use readers_writers::ReadersWritersRefinement;
pub use spin::AnySpinLock;
