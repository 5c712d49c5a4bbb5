//! What can be seen of a program that runs.

use serde::Serialize;

use crate::expression::Value;

/// What can be seen of a running program: of each thread what it has shown, and how it ended.
pub type Observation = Vec<Shown>;

/// What can be seen of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Shown {
    /// The values that it has shown, in program order.
    pub output: Vec<Value>,
    /// How it ended, if it has.
    pub end: End,
}

/// How a thread ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It has not, or was cut off, which nobody can tell from outside.
    #[default]
    None,
    /// It has performed everything.
    Ended,
    /// An assertion failed.
    Failed,
    /// It came to something that it cannot compute.
    Faulty,
}
