//! Threads and what they share, run by Shuttle or Loom where a test says so.
//!
//! The unit tests of a crate, its `cfg(test)`, name these types in the place of the standard library's.
//! So the source that is tested under a scheduler is the source of the crate, in the same build as its
//! other tests, and what the crate's users compile names the standard library alone. Which of the three
//! a value is of is decided when it is made.
//!
//! Left out is what none of those crates uses.

mod atomic;
mod mutex;
mod scheduler;
pub mod thread;

pub use atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, fence};
pub use mutex::{Mutex, MutexGuard};
pub use scheduler::{Scheduler, is_scheduled, under};
pub use std::sync::atomic::Ordering;
