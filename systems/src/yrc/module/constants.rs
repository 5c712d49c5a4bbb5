//! Constants of the module.

/// The module for an instance: its CONSTANTS.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// Number of `Objects`.
    pub objects: u8,
    /// Number of `Threads`.
    pub threads: u8,
    /// `QueueSize`.
    pub queue: u8,
    /// `RootsThreshold`.
    pub threshold: u8,
}
