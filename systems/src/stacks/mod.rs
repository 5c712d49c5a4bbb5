//! Stacks of nodes, which threads push and pop.

pub mod stack;
pub mod treiber;

/// Greatest number of nodes.
pub const MAX_NODES: usize = 4;
/// Greatest number of threads.
pub const MAX_THREADS: usize = 8;
