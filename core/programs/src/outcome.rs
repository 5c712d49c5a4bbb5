//! Outcome of a program: its terminal state.

use serde::Serialize;

use super::expression::{Fault, Value};

/// Outcome of a program: its terminal state, without the path to it, so that two semantics can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Outcome {
    /// Contents of each location.
    pub memory: Vec<Value>,
    /// The threads.
    pub threads: Vec<ThreadOutcome>,
}

/// Outcome of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct ThreadOutcome {
    /// Kind of end.
    pub end: ThreadEnd,
    /// Values that it has output.
    pub output: Vec<Value>,
    /// Contents of the kept registers, in their order, if the thread reached its end.
    pub kept: Vec<Value>,
}

/// Kind of end of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum ThreadEnd {
    /// Its last instruction, with everything performed.
    Ended,
    /// Blocked at an atomic block.
    Stuck,
    /// Cut off by the bound on backward jumps.
    CutOff,
    /// A failed assertion, the instruction of this number.
    Failed(#[state(varint)] u16),
    /// A fault.
    Faulty(Fault),
}

impl Outcome {
    /// True if every thread reached its end.
    pub fn is_complete(&self) -> bool {
        self.threads
            .iter()
            .all(|thread| thread.end == ThreadEnd::Ended)
    }
}
