//! Findings of a search.

use crate::explore::explored::End;
use crate::explore::graph::Graph;
use crate::explore::predecessors::Predecessors;
use crate::explore::segments::SegmentedVec;
use crate::model_call::Panic;

/// Findings of a search: the states, and how it went. Of what was found of them the model knows.
pub(in crate::explore) struct Found<K> {
    pub log: SegmentedVec<K>,
    pub predecessors: Predecessors,
    /// Number of initial states, if the log keeps no others.
    pub initial_only: Option<usize>,
    pub end: End,
    pub initial_states: u64,
    pub unexamined: u64,
    pub transitions: u64,
    pub depth: u32,
    pub seconds: f64,
    pub peak_memory_bytes: u64,
    pub store_bytes: u64,
    pub set_bytes: u64,
    pub graph: Option<Graph>,
    pub graph_too_large: Option<u64>,
    pub panic: Option<Panic>,
}
