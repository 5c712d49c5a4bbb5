//! Locks refine mutual exclusion, for any number of threads.

mod lock;
mod spin;

pub use lock::LockRefinement;
pub use spin::AnySpinLock;
