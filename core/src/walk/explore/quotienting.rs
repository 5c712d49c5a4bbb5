//! Identification of states, whatever it is by.

use super::asymmetry::Asymmetry;
use crate::statement::system::{StateOf, TransitionSystem};
use crate::statement::trace::Trace;

/// Identification of states, whether their type is known or not.
pub trait Quotienting<S: TransitionSystem>: Sync {
    /// The state that stands for `state`.
    fn canonical(&self, system: &S, state: &StateOf<S>) -> StateOf<S>;
}

/// Identification of states that is undone for a behaviour.
pub trait Lifting<S: TransitionSystem>: Quotienting<S> {
    /// The behaviour of the system that a sequence of steps between representatives stands for: each
    /// step begins where the one before it ended, up to an exchange.
    ///
    /// # Errors
    ///
    /// If the permutations are none that identify these states.
    fn lift(&self, system: &S, representatives: Trace<S>) -> Result<Trace<S>, Asymmetry>;
    /// Number of permutations.
    fn permutations(&self) -> usize;
    /// True if counters are shifted.
    fn shifts(&self) -> bool;
}
