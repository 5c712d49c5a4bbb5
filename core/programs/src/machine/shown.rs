//! Observation of a machine.

use serde::Serialize;

use crate::expression::Value;

/// Observation: of each thread, its output and how it ended.
pub type Observation = Vec<Shown>;

/// Observation of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State)]
pub struct Shown {
    /// Output values, in program order.
    pub output: Vec<Value>,
    /// How the thread ended, if it has.
    pub end: End,
}

/// How a thread ended.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, refmap::State,
)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The thread runs, or was cut off; an observer cannot distinguish the two.
    #[default]
    None,
    /// The thread performed all its instructions.
    Ended,
    /// An assertion failed.
    Failed,
    /// The thread stopped at a fault.
    Faulty,
}
