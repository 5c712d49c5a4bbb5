//! Testing beyond the bounds of exploration: random walks, the shortening of what they find, and
//! generators of behaviours for property tests.
//!
//! A walk starts in a random initial state and takes random steps; the same [`Visitor`] looks at its
//! states and steps as in an exploration. Nothing is remembered but what the visitor counts, so a
//! walk reaches as deep as patience does, and what walks find nothing wrong with is not thereby
//! right. A walk is determined by the seed and its own number, so a failing one is walked again
//! rather than kept.
//!
//! [`Visitor`]: crate::internal::explore::Visitor

pub(crate) mod generator;
pub(crate) mod shrink;
pub(crate) mod states;
pub(crate) mod walk;

#[cfg(feature = "quickcheck")]
pub mod arbitrary;
#[cfg(feature = "proptest")]
pub mod strategy;

pub use generator::Generator;
pub use walk::random_trace;

/// Random walks in the place of exploration.
///
/// Each step is drawn in two draws, the rule among those enabled and then the instance among those
/// of the rule: otherwise a rule with a hundred instances would leave next to no turn to one with a
/// single one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walks {
    /// Number of walks.
    pub walks: u32,
    /// Number of steps that each of them takes, unless it ends before in a state without one.
    pub steps: u32,
    /// Seed that determines all choices.
    pub seed: u64,
}

/// Random draws in the place of a pass over all type-correct states, to decide `inductive:*`.
///
/// Each begins with a state on a random walk, most often, of which a few variables are changed, and goes on to one in which
/// fewer invariants fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Samples {
    /// Number of states that are drawn.
    pub samples: u64,
    /// Seed that determines all choices, and walks where the check makes none.
    pub seed: u64,
}
