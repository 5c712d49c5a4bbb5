//! Errors of a search of several processes.

/// Reason why processes do not search together, or not any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeersError {
    /// A process has ended, or cannot be reached any more.
    #[error("process {process} was lost: {reason}")]
    Lost {
        /// Number of the process.
        process: usize,
        /// Reason for it.
        reason: String,
    },
    /// A process was started with another search.
    #[error(
        "process {process} searches something else: {what} is {there} there, and {first} in process 0"
    )]
    Other {
        /// Number of the process.
        process: usize,
        /// Name of what differs.
        what: String,
        /// Value in that process.
        there: String,
        /// Value in process 0.
        first: String,
    },
    /// A message is none that a process of this version sends.
    #[error("process {process} has sent what cannot be read")]
    Garbled {
        /// Number of the process.
        process: usize,
    },
}
