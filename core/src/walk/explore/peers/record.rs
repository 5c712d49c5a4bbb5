//! Records: the findings of one process, as it tells them to the one that judges.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::statement::asked::model_call::Panic;

/// Sizes of the levels of a process, and the states that its findings mention, whose keys come before it.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::walk::explore) struct Mentions {
    /// Number of states of each level.
    pub sizes: Vec<u64>,
    /// Levels of the states that are mentioned.
    pub levels: Vec<u32>,
}

/// Findings of one process.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::walk::explore) struct Record {
    /// Tally of the obligations,
    pub tally: Option<Value>,
    /// and the numbers of its states there, and among those of all processes.
    pub numbers: Vec<(u64, u64)>,
    /// Distinct initial states,
    pub initial_states: u64,
    /// transitions from the states expanded,
    pub transitions: u64,
    /// and states for which there was no time.
    pub unexamined: u64,
    /// Some steps are unknown.
    pub is_incomplete: bool,
    /// Panic of a function of the model that was not called for a state or a step.
    pub panic: Option<Panic>,
    pub peak_memory_bytes: u64,
    pub store_bytes: u64,
    pub set_bytes: u64,
    /// Bytes of all keys.
    pub key_bytes: u64,
    /// Levels of the keys that come before it, which split the states of all.
    pub splitters: Vec<u32>,
}
