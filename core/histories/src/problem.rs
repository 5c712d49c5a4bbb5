//! Errors in a history.

use refmap::internal::{counted, grouped};
use std::fmt::{self, Display};
use std::io;

use refmap::internal::input::Interrupted;
use serde_json::Value;

use super::event::{MOST_THREADS, VERSION, line};

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

/// Error: an event names something that the instance of the header does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no {what} {number}: of the header's instance the {what}s are numbered from 0, and there are {count}"
)]
pub struct NoSuch {
    /// Kind of thing, as a noun in the singular.
    pub what: &'static str,
    /// The number given.
    pub number: u64,
    /// Number of these that there are.
    pub count: u64,
}

impl NoSuch {
    /// Checks that `number` is one of `count` numbers from 0.
    ///
    /// # Errors
    ///
    /// If it is not.
    pub fn unless(
        what: &'static str,
        number: impl Into<u64>,
        count: impl Into<u64>,
    ) -> Result<(), Self> {
        let (number, count) = (number.into(), count.into());
        if number < count {
            Ok(())
        } else {
            Err(Self {
                what,
                number,
                count,
            })
        }
    }
}

/// Kind of error in a line of a history.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The line cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// A limit was reached before the line was read.
    #[error("{0}")]
    Interrupted(Interrupted),
    /// The input ends, and no line says that the history does: it may have been cut. All events before were read.
    #[error("the history has no end: {}", if *.within_line {
        "the input ends in the middle of this line"
    } else {
        "no line says that this is the last event"
    })]
    NoEnd {
        /// True if this line was cut; otherwise it is the last one, and whole.
        within_line: bool,
    },
    /// The line that ends the history gives another number of events than there are before it.
    #[error("the history ends after {}, as this line says, and there are {}", counted(*given, "event"), grouped(*found))]
    OtherEnd {
        /// The number of events that the line gives.
        given: u64,
        /// The number of events before it.
        found: u64,
    },
    /// The event was not recorded, and nothing is known of which it may be.
    #[error(
        "the event was not recorded: of this specification it is not known which values it may have had"
    )]
    NotRecorded,
    /// The history has several objects, and is not decided object by object.
    #[error(
        "the event is of another object than those before it: a history of several objects is sequentially consistent only by an order \
         of them all, which those of each do not make; decide it as linearizable, or one object alone"
    )]
    NotLocal,
    /// There is a line after the one that ends the history.
    #[error("there is a line after the end of the history")]
    AfterEnd,
    /// The line has a field `history`, and does not end the history.
    #[error("not the end of a history, {{\"history\":\"end\",\"events\":NUMBER}}: {reason}")]
    End {
        /// Message of the JSON reader.
        reason: String,
    },
    /// The event names something that the instance does not have, by its header.
    #[error(transparent)]
    NoSuch(#[from] NoSuch),
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
    /// The header has a field twice.
    #[error("the header has the field {field:?} twice")]
    TwiceInHeader {
        /// The field.
        field: String,
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

impl HistoryError {
    /// The same error in a history of which event after event was read from these lines of a file of another form.
    #[must_use]
    pub fn with_lines(self, lines: &[u64]) -> Self {
        let Self { line: own, problem } = self;
        let number = own.checked_sub(line(0));
        let known = number.and_then(|number| lines.get(number as usize));
        Self {
            line: known.copied().unwrap_or(own),
            problem,
        }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        match Interrupted::in_error(&error) {
            Some(interrupted) => Self::Interrupted(interrupted),
            None => Self::Io(error),
        }
    }
}
