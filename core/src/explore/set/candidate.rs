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
    pub origin: StepOfChunk,
}

/// A step of one of the states that are expanded together.
///
/// PERF: states are numbered with 64 bits, and a wave has some hundred thousand candidates, so that each counts its source
/// from the first state of the chunk on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::explore) struct StepOfChunk {
    /// Place of its source among the states of the chunk.
    pub source: u32,
    /// Number of the step among that state's steps, in the order of `next`.
    pub step: u32,
}

impl StepOfChunk {
    /// That of a state to which no step leads, or one that is not known.
    pub const NONE: Self = Self {
        source: u32::MAX,
        step: u32::MAX,
    };

    /// The step by its place, of a chunk that begins with a state.
    pub fn of(self, first: u64) -> Option<Predecessor> {
        (self != Self::NONE).then(|| Predecessor {
            source: StateId(first + u64::from(self.source)),
            step: self.step,
        })
    }
}

/// A step, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Predecessor {
    /// The state from which it is taken.
    pub source: StateId,
    /// Number of the step among that state's steps, in the order of `next`.
    pub step: u32,
}
