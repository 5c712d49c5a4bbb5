//! Primitives of whichever scheduler runs the thread that makes them.

pub mod hint;
pub mod sync;
pub mod thread;

mod arc;
mod atomic;
mod condvar;
pub(crate) mod ended;
mod mutex;
pub(crate) mod panics;
pub(crate) mod record;
mod rwlock;
mod scheduler;
#[cfg(feature = "shuttle")]
pub(crate) mod task;
mod waits;

#[cfg(feature = "loom")]
pub(crate) use scheduler::current;
pub use scheduler::is_scheduled;
pub(crate) use scheduler::{Scheduler, under};
