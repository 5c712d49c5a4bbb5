//! Events of an execution.

use refmap::IndexSet;

use crate::expression::{Location, Value};
use crate::model::AccessKind;

/// Greatest number of events of an execution.
pub(super) const MOST_EVENTS: usize = 64;

/// Effects of one event.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// Kind of the access; `None` for an atomic block.
    pub kind: Option<AccessKind>,
    /// External reads, at most one per location.
    pub reads: Vec<(Location, Value)>,
    /// Final writes to memory, at most one per location.
    pub writes: Vec<(Location, Value)>,
    /// Earlier events of its thread that precede it under every model.
    pub after: IndexSet,
    /// Events that the value of a store depends on.
    pub value_after: IndexSet,
}

impl Event {
    pub fn touches(&self, location: Location) -> bool {
        let mut all = self.reads.iter().chain(&self.writes);
        all.any(|(at, _)| *at == location)
    }
}
