//! Errors in a history.

use std::fmt::{self, Display};
use std::io;

use serde_json::Value;

use super::event::{MOST_THREADS, VERSION};

/// Error in a history, with its line.
#[derive(Debug)]
pub struct HistoryError {
    /// Line, from 1, which is the header.
    pub line: u64,
    /// The error.
    pub problem: Problem,
}

impl Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for HistoryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// Kind of error in a line of a history.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The line cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// There is no first line, or it is not an object.
    #[error(
        "there is no header; a history begins with {{\"history\":\"refmap\",\"version\":{VERSION}}}"
    )]
    NoHeader,
    /// The header is of another format.
    #[error("the header says that this is {found}, and not a history of \"refmap\"")]
    OtherFormat {
        /// Its value, as JSON.
        found: Value,
    },
    /// The header has another version.
    #[error("the history has version {found}, and {VERSION} is the only one known")]
    OtherVersion {
        /// The version, as JSON.
        found: Value,
    },
    /// The header has an unknown field, or one of a wrong type.
    #[error(
        "the header's field {field:?} is not known or not of its type; there are: history, version, \
         parameters (an object)"
    )]
    HeaderField {
        /// The field.
        field: String,
    },
    /// The line is too long.
    #[error("the line has more than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// The line ends before its object does.
    #[error("the line is truncated")]
    Truncated,
    /// The line is not an event: wrong fields, wrong types, or not JSON.
    #[error("not an event: {reason}")]
    Malformed {
        /// Message of the JSON reader.
        reason: String,
    },
    /// An event ends before it begins.
    #[error("the event ends at {end}, before it begins at {begin}")]
    EndBeforeBegin {
        /// Start time.
        begin: u64,
        /// End time.
        end: u64,
    },
    /// An event begins before the preceding event of its thread ends.
    #[error(
        "the clock of thread {thread} ran backwards: the event begins at {begin}, and the one before \
         it ended at {before}"
    )]
    ClockRanBackwards {
        /// The thread.
        thread: u32,
        /// Start time.
        begin: u64,
        /// End time of the preceding event.
        before: u64,
    },
    /// Lines are not sorted by the start time of their events.
    #[error(
        "the event begins at {begin}, and the line before it at {before}; lines have to be in the \
         order in which events begin"
    )]
    OutOfOrder {
        /// Start time.
        begin: u64,
        /// Start time of the preceding line's event.
        before: u64,
    },
    /// The places of a thread's events are not 0, 1, 2, …
    #[error("this is event {found} of thread {thread}, where event {expected} has to come")]
    Place {
        /// The thread.
        thread: u32,
        /// The expected place.
        expected: u64,
        /// The place found.
        found: u64,
    },
    /// A thread has an event after one that has no end.
    #[error("thread {thread} did this after an event that has no end, which has to be its last")]
    AfterOpen {
        /// The thread.
        thread: u32,
    },
    /// There are too many threads.
    #[error("there are more than {MOST_THREADS} threads")]
    TooManyThreads,
}
