//! Operation that another tool recorded, in a neutral form.

use serde_json::Value;

/// Operation that another tool recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Logical process: a new number for each one that begins after an operation of its predecessor was never answered.
    /// Numbers are given in the order of the first invocation.
    pub thread: u32,
    /// Name of the function, without a colon: "read", "write", "cas", "append", …
    pub function: String,
    /// Key: the operation's field `key` if it has one; otherwise that of an independent pair `[key value]`, if the caller
    /// asked for keys.
    pub key: Option<Value>,
    /// Argument of the call.
    pub argument: Value,
    /// Answer; none where it is not known.
    pub answer: Option<Value>,
    /// Time of the invocation in nanoseconds, or its position where the format has no times. Each event of the file is
    /// later than the one before.
    pub begin: u64,
    /// Time of the answer; none where it is not known.
    pub end: Option<u64>,
    /// Line of the invocation, from 1.
    pub line: u64,
    /// Line of the completion; none if the operation is still open at the end of the file.
    pub end_line: Option<u64>,
}
