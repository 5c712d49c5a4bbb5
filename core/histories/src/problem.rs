//! What may be wrong with a history.

use std::fmt::{self, Display};
use std::io;

use serde_json::Value;

use super::event::VERSION;
use super::ordered::MOST_THREADS;

/// What is wrong with a history, and where.
#[derive(Debug)]
pub struct HistoryError {
    /// The line, counted from 1, which is the header.
    pub line: u64,
    /// What is wrong with it.
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

/// What is wrong with a line of a history.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// There is no first line, or it is no object.
    #[error(
        "there is no header; a history begins with {{\"history\":\"refmap\",\"version\":{VERSION}}}"
    )]
    NoHeader,
    /// The header is that of something else.
    #[error("the header says that this is {found}, and not a history of \"refmap\"")]
    OtherFormat {
        /// What it says, as JSON.
        found: Value,
    },
    /// The header names another version.
    #[error("the history has version {found}, and {VERSION} is the only one known")]
    OtherVersion {
        /// The version, as JSON.
        found: Value,
    },
    /// The header has a field that a header does not have, or one of another type.
    #[error(
        "the header's field {field:?} is not known or not of its type; there are: history, version, \
         parameters (an object)"
    )]
    HeaderField {
        /// The field.
        field: String,
    },
    /// It is longer than any line may be.
    #[error("the line has more than {limit} bytes")]
    TooLong {
        /// How long it may be.
        limit: usize,
    },
    /// It ends before its object does.
    #[error("the line is truncated")]
    Truncated,
    /// It is not an event: other fields, other types, no JSON.
    #[error("not an event: {reason}")]
    Malformed {
        /// What the JSON reader says.
        reason: String,
    },
    /// An event is over before it begins.
    #[error("the event ends at {end}, before it begins at {begin}")]
    EndBeforeBegin {
        /// When it begins.
        begin: u64,
        /// When it ends.
        end: u64,
    },
    /// An event begins before the one of the same thread before it has ended.
    #[error(
        "the clock of thread {thread} ran backwards: the event begins at {begin}, and the one before \
         it ended at {before}"
    )]
    ClockRanBackwards {
        /// The thread.
        thread: u32,
        /// When it begins.
        begin: u64,
        /// When the event before it ended.
        before: u64,
    },
    /// Lines are not sorted by when their events begin.
    #[error(
        "the event begins at {begin}, and the line before it at {before}; lines have to be in the \
         order in which events begin"
    )]
    OutOfOrder {
        /// When it begins.
        begin: u64,
        /// When the event of the line before it begins.
        before: u64,
    },
    /// A thread's events are not 0, 1, 2, …
    #[error("this is event {found} of thread {thread}, where event {expected} has to come")]
    Place {
        /// The thread.
        thread: u32,
        /// The place that has to come.
        expected: u64,
        /// The one that comes.
        found: u64,
    },
    /// A thread did something after an event that has no end.
    #[error("thread {thread} did this after an event that has no end, which has to be its last")]
    AfterOpen {
        /// The thread.
        thread: u32,
    },
    /// More threads than can be told apart.
    #[error("there are more than {MOST_THREADS} threads")]
    TooManyThreads,
}
