//! Exit status of a command.

/// Exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Every obligation holds, or the expected results came about.
    Success = 0,
    /// An obligation is violated, or a result differs from the expected one.
    Violated = 1,
    /// The command or its input is invalid.
    Unusable = 2,
    /// The search stopped before anything could be claimed.
    Incomplete = 3,
}
