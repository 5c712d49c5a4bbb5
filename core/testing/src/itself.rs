//! Any system as an implementation of itself.

use refmap::AbstractSteps::{self, One};
use refmap::{ActionOf, Refinement, StateOf, TransitionSystem};

/// System as an implementation of itself, without a copy of it: each state is mapped to itself, and each step is one abstract step.
pub struct Itself<S>(pub S);

impl<S: TransitionSystem> Refinement for Itself<S> {
    type Implementation = S;
    type Specification = S;

    fn implementation(&self) -> &S {
        &self.0
    }

    fn specification(&self) -> &S {
        &self.0
    }

    fn map(&self, state: &StateOf<S>) -> StateOf<S> {
        state.clone()
    }

    fn abstract_steps(
        &self,
        _: &StateOf<S>,
        action: &ActionOf<S>,
        _: &StateOf<S>,
    ) -> AbstractSteps<ActionOf<S>> {
        One(action.clone())
    }
}
