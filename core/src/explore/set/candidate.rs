//! A candidate: a target of a step that is new, or may be.

use crate::explore::StateId;

/// A target that is new, or may be.
#[derive(Clone)]
pub(in crate::explore) struct Candidate<K> {
    /// Form in which the state is kept.
    pub key: K,
    /// Hash by which the state is looked for.
    pub hash: u64,
    /// The step that leads to it.
    pub predecessor: Predecessor,
}

/// A step, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Predecessor {
    /// The state from which it is taken.
    pub source: StateId,
    /// Number of the step among that state's steps, in the order of `next`.
    pub step: u32,
}

impl Predecessor {
    /// Predecessor of an initial state, to which no step leads.
    pub const NONE: Self = Self {
        source: StateId(u32::MAX),
        step: u32::MAX,
    };
}
