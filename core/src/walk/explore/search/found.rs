//! Findings of a search.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::state::StateSearch;
use crate::statement::asked::model_call::Panic;
use crate::walk::explore::disk::{Journal, Written};
use crate::walk::explore::explored::End;
use crate::walk::explore::graph::Graph;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::set::Visited;
use crate::walk::explore::spill::Spilled;
use crate::walk::explore::store::{Reached, Store};

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

/// End of a search.
pub(super) struct Ended {
    pub end: End,
    /// Number of the process whose limit that is, of several, unless it is one on all of them.
    pub limit_process: Option<usize>,
}

impl Ended {
    /// End that is no limit of a process.
    pub fn of_all(end: End) -> Self {
        Self {
            end,
            limit_process: None,
        }
    }
}

/// Figures of a search in one process, which it tells process 0 in the end.
#[derive(Serialize, Deserialize)]
pub(super) struct SearchFigures {
    /// Transitions from the states expanded,
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
    pub spilled: Option<Spilled>,
}

impl SearchFigures {
    /// Adds that of another process.
    pub fn add(&mut self, other: Self) {
        self.transitions += other.transitions;
        self.unexamined += other.unexamined;
        self.is_incomplete |= other.is_incomplete;
        self.panic = self.panic.take().or(other.panic);
        self.peak_memory_bytes += other.peak_memory_bytes;
        self.store_bytes += other.store_bytes;
        self.set_bytes += other.set_bytes;
        if let (Some(spilled), Some(other)) = (&mut self.spilled, other.spilled) {
            spilled.bytes += other.bytes;
            spilled.ended = spilled.ended.take().or(other.ended);
        }
    }

    /// Findings of a search that has no graph.
    pub fn found<K: Compared>(
        self,
        ended: Ended,
        store: Store<K>,
        initial_states: u64,
        journal: Option<Journal>,
        started: Instant,
    ) -> Found {
        let earlier = journal
            .as_ref()
            .map_or(0.0, |journal| journal.earlier_seconds);
        let panicked = self.is_incomplete || self.panic.is_some();
        Found {
            end: match ended.end {
                End::Complete if panicked => End::Panicked,
                end => end,
            },
            limit_process: ended.limit_process,
            initial_states,
            unexamined: self.unexamined,
            transitions: self.transitions,
            depth: store.depth(),
            seconds: earlier + started.elapsed().as_secs_f64(),
            peak_memory_bytes: self.peak_memory_bytes,
            store_bytes: self.store_bytes,
            set_bytes: self.set_bytes,
            graph: None,
            graph_too_large: None,
            panic: self.panic,
            spilled: self.spilled,
            written: journal.map(|journal| journal.written),
            store: Box::new(store),
        }
    }
}

impl<K, I> StateSearch<'_, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Figures of this process.
    pub(super) fn record(&mut self) -> SearchFigures {
        let store_bytes = self.store_bytes();
        self.resident.look(store_bytes);
        SearchFigures {
            transitions: self.transitions,
            unexamined: self.unexamined,
            is_incomplete: self.incomplete,
            panic: self.panic.take(),
            peak_memory_bytes: self.resident.peak(),
            store_bytes,
            set_bytes: self.visited.bytes(),
            spilled: self.list.disk.as_ref().map(|disk| Spilled {
                bytes: disk.bytes(),
                ended: self.unwritten.take(),
            }),
        }
    }

    /// Findings of the search of a process that is alone.
    pub(super) fn found(self, ended: Ended, record: SearchFigures) -> Found {
        // Where something panicked it is not known of which states steps are missing.
        let panicked = record.is_incomplete || record.panic.is_some();
        let journal = self.kept.map(|kept| kept.journal);
        let (initial, started) = (self.initial_states, self.clock.started);
        let store = self.list.store(self.predecessors);
        Found {
            graph: self.graph.filter(|_| !panicked),
            graph_too_large: self.graph_too_large,
            ..record.found(ended, store, initial, journal, started)
        }
    }
}
