//! Locks of any number of threads, and what they are for.

pub mod bakery;
pub mod exclusion;
pub mod readers_writers;
pub mod shared_exclusion;
pub mod spin;
pub mod szymanski;
pub mod test_and_set;
pub mod ticket;

/// Greatest number of threads.
pub const MAX_THREADS: usize = 12;
