//! Data that a search with checkpoints keeps beside itself.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::walk::explore::StateId;
use crate::walk::explore::disk::{Checksum, Journal, SavedState};
use crate::walk::explore::span::Span;

/// Position of a search between two waves: what a checkpoint is of.
pub(in crate::walk::explore) struct BetweenWaves {
    /// The states of the level that is being expanded that are left.
    pub left: Span,
    /// Number of all states.
    pub states: u64,
    pub told: Told,
}

/// Findings of a process, as it tells them for a checkpoint or in the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::walk::explore) struct Told {
    /// Data of what was found; none where the model is at fault.
    pub tally: Option<Value>,
    pub transitions: u64,
    /// Numbers of the states that these mention, in order, and the states.
    pub mentioned: Vec<(u64, SavedState)>,
}

/// Data that a search with checkpoints keeps beside the search itself.
pub(in crate::walk::explore) struct KeptForCheckpoints<K> {
    pub journal: Journal,
    /// Number of states that the journal has,
    pub states: u64,
    /// and of chunks.
    pub chunks: usize,
    /// Checksum of the initial states as the model enumerates them, once all were.
    pub enumerated: Option<Checksum>,
    /// States of the sample, with their distances from an initial state.
    pub sample: Vec<(StateId, u32, K)>,
    /// States at which something was found before the search went on, if it is one of several processes.
    pub earlier: Vec<SavedState>,
}

impl<K> KeptForCheckpoints<K> {
    pub fn new(journal: Journal) -> Self {
        Self {
            journal,
            states: 0,
            chunks: 0,
            enumerated: None,
            sample: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// True if more is written.
    pub fn goes_on(&self) -> bool {
        self.journal.written.ended.is_none()
    }

    /// True if it is time for a checkpoint of several processes. There is one from the first level on, since any of them can be lost.
    pub fn is_due(&self) -> bool {
        self.journal.is_due() || self.journal.written.checkpoints == 0 && self.goes_on()
    }
}
