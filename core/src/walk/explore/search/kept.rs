//! Data that a search with checkpoints keeps beside itself.

use serde_json::Value;

use crate::walk::explore::StateId;
use crate::walk::explore::disk::{Checksum, Journal};

/// A run of the list of states: its level, its first state, and the one after its last.
#[derive(Clone, Copy, Debug)]
pub(in crate::walk::explore) struct Listed {
    pub level: u32,
    pub first: u64,
    pub end: u64,
}

/// Extent of a search between two waves: what a checkpoint has of its figures.
pub(in crate::walk::explore) struct Extent {
    /// The first state of the wave that comes next.
    pub next: u64,
    pub states: usize,
    pub transitions: u64,
    pub depth: u32,
    /// Data of what was found; none where the model is at fault.
    pub tally: Option<Value>,
}

/// Data that a search with checkpoints keeps beside the search itself.
pub(in crate::walk::explore) struct Kept<K> {
    pub journal: Journal,
    /// Number of states that the journal has,
    pub states: usize,
    /// and of chunks.
    pub chunks: usize,
    /// Number of initial states.
    pub initial: usize,
    /// Checksum of the initial states as the model enumerates them, once all were.
    pub enumerated: Option<Checksum>,
    /// States of the sample, with their distances from an initial state.
    pub sample: Vec<(StateId, u32, K)>,
    /// Runs of the list, of a search of several processes.
    pub listed: Vec<Listed>,
    /// States at which something was found before the search went on, of such a search: their levels and keys.
    pub earlier: Vec<(u32, K)>,
}

impl<K> Kept<K> {
    /// True if it is time for a checkpoint of several processes. There is one from the first level on, since any of them can be lost.
    pub fn is_due(&self) -> bool {
        let written = &self.journal.written;
        self.journal.is_due() || written.checkpoints == 0 && written.ended.is_none()
    }

    pub fn new(journal: Journal) -> Self {
        Self {
            journal,
            states: 0,
            chunks: 0,
            initial: 0,
            enumerated: None,
            sample: Vec::new(),
            listed: Vec::new(),
            earlier: Vec::new(),
        }
    }
}
