//! Errors in the use of a heap, and violations by a faulty collector.

use serde::Serialize;

use super::reference::Reference;

/// A stale reference: its object was freed. A correct collector does not free a reachable object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{reference} is stale: its slot is {}", found.map_or("free".to_owned(), |g| format!("at generation {g}")))]
pub struct Stale {
    pub reference: Reference,
    /// The generation of the object in its slot; none if the slot is free.
    pub found: Option<u32>,
}

/// Error of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeapError {
    /// No slot is free; a cycle of the collector may free some.
    #[error("no slot of the heap is free")]
    Full,
    /// A root of another mutator.
    #[error("{0} is not a root of this mutator")]
    NotARoot(Reference),
    /// The field does not exist.
    #[error("there is no field {field}; an object has {fields}")]
    NoSuchField {
        /// The field asked for.
        field: u32,
        /// Number of fields.
        fields: u32,
    },
    /// The collector has freed a reachable object.
    #[error(transparent)]
    Stale(#[from] Stale),
}

/// Violation of the collector's safety.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Violation {
    /// A reachable object was freed, and then used.
    #[error("stale reference: {0}")]
    Stale(Stale),
    /// A reachable object was freed, as the final audit found.
    #[error("audit: {0}")]
    Audit(Stale),
    /// An object on a worklist is not marked: two threads won one race to mark, or one of them had the wrong sense.
    #[error("worklist: {0} is on it and is not marked")]
    NotGrey(Reference),
    /// More objects were on worklists than exist: the worklists are not disjoint.
    #[error("worklist: more objects were traced in a cycle than the heap has, {0}")]
    TracedTwice(u32),
    /// A reference was returned by two allocations.
    #[error("identity: {0} was allocated twice")]
    AllocatedTwice(Reference),
}
