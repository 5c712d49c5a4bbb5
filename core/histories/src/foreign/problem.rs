//! Errors in the history of another tool.

use std::io;

use refmap::internal::input::Interrupted;
use serde_json::Value;

use crate::event::MOST_THREADS;
use crate::history::LONGEST_LINE;

/// Greatest depth to which values are nested; an operation itself has depth 1.
pub const DEEPEST: usize = 100;

/// Error in the history of another tool, with its line.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ForeignError {
    /// Line, from 1. Of an operation that is written on many lines and lacks something, the first.
    pub line: u64,
    /// The error.
    #[source]
    pub problem: ForeignProblem,
}

/// Kind of error in the history of another tool.
#[derive(Debug, thiserror::Error)]
pub enum ForeignProblem {
    /// The line cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// A limit was reached before the line was read.
    #[error("{0}")]
    Interrupted(Interrupted),
    /// The text is not EDN.
    #[error("not EDN: {expected} is expected at column {column}")]
    NotEdn {
        /// Column in characters, from 1.
        column: u64,
        /// The text that EDN requires here.
        expected: &'static str,
    },
    /// The text is not JSON.
    #[error("not JSON: {reason} at column {column}")]
    NotJson {
        /// Column in bytes, from 1.
        column: u64,
        /// Message of the JSON reader.
        reason: String,
    },
    /// The input ends before the operation of this line does, or before the vector around all operations.
    #[error("the input ends before what this line begins")]
    Truncated,
    /// The operation takes too many bytes.
    #[error("an operation has more than {LONGEST_LINE} bytes")]
    TooLong,
    /// Values are nested too deeply.
    #[error("values are nested more than {DEEPEST} deep")]
    TooDeep,
    /// The value is not a map, and so not an operation.
    #[error("an operation is a map, and this is none")]
    NoMap,
    /// A map has a field twice, or two keys of one text.
    #[error("the field {field:?} is there twice")]
    Twice {
        /// The field.
        field: String,
    },
    /// The operation lacks a field.
    #[error("the operation has no field {field:?}")]
    Missing {
        /// The field.
        field: &'static str,
    },
    /// A field has a value of a wrong type.
    #[error("the field {field:?} is {found}, which is not {expected}")]
    WrongField {
        /// The field.
        field: &'static str,
        /// Type that the field has to have.
        expected: &'static str,
        /// Its value, as JSON.
        found: Value,
    },
    /// There is no such type of operation.
    #[error("there is no type {found:?}; there are: invoke, ok, fail, info")]
    NoSuchType {
        /// The type given.
        found: String,
    },
    /// The index is smaller than the one before, so that the lines are not in the order of the events.
    #[error("the index {index} comes after {before}; lines have to be in the order of the events")]
    IndexRanBackwards {
        /// Index of this line.
        index: u64,
        /// Index of the operation before.
        before: u64,
    },
    /// A process completes an operation, and none is open.
    #[error("process {process} completes an operation, and has not invoked one")]
    NotInvoked {
        /// The process.
        process: i64,
    },
    /// A process invokes an operation while another one is open.
    #[error("process {process} invokes an operation before the one of line {since} is complete")]
    Busy {
        /// The process.
        process: i64,
        /// Line of the open invocation.
        since: u64,
    },
    /// The completion names another function than the invocation.
    #[error("process {process} completes {found:?}, and has invoked {invoked:?}")]
    OtherFunction {
        /// The process.
        process: i64,
        /// Function of the invocation.
        invoked: String,
        /// Function of the completion.
        found: String,
    },
    /// The completion names another key than the invocation.
    #[error(
        "process {process} completes an operation on key {found}, and has invoked one on {invoked}"
    )]
    OtherKey {
        /// The process.
        process: i64,
        /// Key of the invocation, as JSON.
        invoked: String,
        /// Key of the completion, as JSON.
        found: String,
    },
    /// Keys are expected, and the value is not a pair of a key and a value.
    #[error("the value is {found}, which is not a pair [key value]")]
    NoPair {
        /// The value, as JSON.
        found: Value,
    },
    /// There are too many logical processes.
    #[error(
        "there are more than {MOST_THREADS} processes, counting anew after each unknown outcome"
    )]
    TooManyProcesses,
}

impl From<io::Error> for ForeignProblem {
    fn from(error: io::Error) -> Self {
        match Interrupted::in_error(&error) {
            Some(interrupted) => Self::Interrupted(interrupted),
            None => Self::Io(error),
        }
    }
}
