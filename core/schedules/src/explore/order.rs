//! Orders in which executions are explored.

/// The order in which executions are explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// Each thread that can run is as likely as the others, at each step.
    #[cfg(feature = "shuttle")]
    Random {
        /// Determines the choices.
        seed: u64,
        /// Number of executions.
        executions: usize,
    },
    /// Probabilistic concurrency testing: threads have random priorities, which change at few points.
    #[cfg(feature = "shuttle")]
    Pct {
        /// Determines the choices.
        seed: u64,
        /// One more than the number of changes, which is the number of steps whose order a fault depends on.
        depth: usize,
        /// Number of executions.
        executions: usize,
    },
    /// One execution, with the choices of an earlier one. Where they do not fit, because the program
    /// is another one or they are too few, the thread that runs goes on.
    #[cfg(feature = "shuttle")]
    Repeat(Vec<u32>),
    /// Every execution of Loom's model of memory.
    #[cfg(feature = "loom")]
    Every {
        /// Most preemptions of an execution; those with more are left out.
        preemptions: Option<usize>,
        /// Most executions. Once as many were explored, the exploration ends, and is not complete.
        most: usize,
    },
}
