//! Findings of a search.

use crate::statement::asked::model_call::Panic;
use crate::walk::explore::disk::Written;
use crate::walk::explore::explored::End;
use crate::walk::explore::graph::Graph;
use crate::walk::explore::spill::Spilled;
use crate::walk::explore::store::Reached;

/// Findings of a search: the states, and how it went. Of what was found of them the model knows.
pub(in crate::walk::explore) struct Found {
    pub store: Box<dyn Reached>,
    pub end: End,
    /// Number of the process whose limit ended it, of several, unless that is one on all of them.
    pub limit_process: Option<usize>,
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
    /// Account of the disk, if states were to go there.
    pub spilled: Option<Spilled>,
    /// Account of the checkpoints, if there were to be any.
    pub written: Option<Written>,
}
