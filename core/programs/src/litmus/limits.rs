//! Limits of a litmus test.

/// Greatest length of a text, in bytes.
pub const MOST_BYTES: usize = 1 << 20;
/// Greatest number of variables of a litmus test. Every state holds all of them.
pub const MOST_LOCATIONS: usize = 128;
/// Greatest number of instructions of a thread of a litmus test.
pub const MOST_INSTRUCTIONS: usize = 256;
/// Number of backward jumps after which a thread of a litmus test is cut off.
pub const BACKWARD_JUMPS: u8 = 16;
