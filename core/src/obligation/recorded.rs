//! The graph that a search recorded.

use crate::statement::shown::number::grouped;
use crate::walk::explore::{End, Graph, Limit};

/// The graph of a search: all of it, or the steps of the states that were expanded first.
pub(super) struct RecordedGraph {
    graph: Option<Graph>,
    /// Reason why it is not complete, if it is not.
    missing: Option<String>,
}

impl RecordedGraph {
    /// Record of a search. A part of a graph is looked at only if there is memory for that, and the user wants it.
    pub fn of(graph: Option<Graph>, too_large: Option<u64>, end: End) -> Self {
        let missing = match too_large {
            Some(steps) => Some(format!(
                "there was no room for the graph, which takes some 4 bytes a step, beyond {} steps",
                grouped(steps)
            )),
            None if end == End::Complete && graph.is_some() => None,
            None => Some("it needs the complete graph".to_owned()),
        };
        let ended = match end {
            End::Limit(Limit::OutOfMemory | Limit::Cancelled) => true,
            End::Complete | End::Stopped | End::Panicked | End::Limit(_) => false,
        };
        Self {
            graph: graph.filter(|graph| missing.is_none() || !ended && graph.states() > 0),
            missing,
        }
    }

    /// That nothing was recorded.
    pub fn nothing() -> Self {
        Self {
            graph: None,
            missing: Some("it needs the complete graph".to_owned()),
        }
    }

    /// The graph, with which a violation that it shows is told; otherwise why nothing can be said.
    pub fn graph(&self) -> Result<&Graph, String> {
        self.graph.as_ref().ok_or_else(|| {
            let missing = self.missing.as_deref().unwrap_or_default();
            format!("not evaluated: {missing}")
        })
    }

    /// Reason why an obligation is not decided that the graph does not violate, if it is not complete.
    pub fn open(&self) -> Option<String> {
        let (graph, missing) = (self.graph.as_ref()?, self.missing.as_ref()?);
        Some(format!(
            "not decided: {missing}; the {} states whose steps are known do not violate it",
            graph.states()
        ))
    }
}
