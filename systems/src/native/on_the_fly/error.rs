//! What can go wrong: in the use of a heap, and in a collector with a fault.

use serde::Serialize;

use super::reference::Reference;

/// A reference to an object that is no longer there. Without a fault in the collector this does not
/// come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{reference} is stale: its slot is {}", found.map_or("free".to_owned(), |g| format!("at generation {g}")))]
pub struct Stale {
    /// What was used.
    pub reference: Reference,
    /// The generation of the object in its slot; none if the slot is free.
    pub found: Option<u32>,
}

/// Why an operation was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeapError {
    /// No slot is free: a cycle of the collector may free some.
    #[error("no slot of the heap is free")]
    Full,
    /// A root of another mutator.
    #[error("{0} is not a root of this mutator")]
    NotARoot(Reference),
    /// An object has fewer fields.
    #[error("there is no field {field}; an object has {fields}")]
    NoSuchField {
        /// The field asked for.
        field: u32,
        /// How many there are.
        fields: u32,
    },
    /// The collector has freed what was reachable.
    #[error(transparent)]
    Stale(#[from] Stale),
}

/// What a correct collector never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Violation {
    /// Something reachable was freed, and then used.
    #[error("stale reference: {0}")]
    Stale(Stale),
    /// Something reachable was freed, as the audit at the end found.
    #[error("audit: {0}")]
    Audit(Stale),
    /// Something is on a worklist and is not marked: two took themselves for the winner of a race to
    /// mark, or one of them had the wrong sense.
    #[error("worklist: {0} is on it and is not marked")]
    NotGrey(Reference),
    /// More was on the worklists than there are objects: they are not disjoint.
    #[error("worklist: more objects were traced in a cycle than the heap has, {0}")]
    TracedTwice(u32),
    /// A reference was returned by two allocations.
    #[error("identity: {0} was allocated twice")]
    AllocatedTwice(Reference),
}
