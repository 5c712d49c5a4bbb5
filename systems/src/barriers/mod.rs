//! Barriers of any number of threads, and what they are for.

pub mod rounds;
pub mod sense_reversing;

/// Greatest number of threads.
pub const MAX_THREADS: usize = 12;
