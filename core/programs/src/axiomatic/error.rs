//! Error of the enumeration of executions.

use super::event::MOST_EVENTS;

/// Error: the executions of a program cannot be enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotEnumerated {
    /// The program uses an instruction that this semantics does not cover.
    #[error("LL and SC have no axioms here")]
    Exclusive,
    /// A thread reads several locations at once.
    #[error("a read of several locations at once has no axioms here")]
    Snapshot,
    /// Loops have no bound, so there is no end of executions.
    #[error("loops have no bound, so executions have no end")]
    Unbounded,
    /// There are more candidates than the limit allows.
    #[error("there are more than {limit} candidates")]
    TooMany {
        /// The limit.
        limit: u64,
    },
    /// An execution has too many events.
    #[error("an execution has more than {MOST_EVENTS} events")]
    TooLong,
}
