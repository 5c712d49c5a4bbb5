//! Any system as an implementation of itself, or of another instance.

use refmap::AbstractSteps::{self, One};
use refmap::{ActionOf, Refinement, StateOf, TransitionSystem};

/// System as an implementation of itself: each state is mapped to itself, and each step is one abstract step.
pub struct Itself<S>(pub S);

/// The same of a system and another instance of it.
pub struct Alike<S> {
    pub implementation: S,
    pub specification: S,
}

macro_rules! step_by_step {
    ($type_:ident by $implementation:tt $specification:tt) => {
        impl<S: TransitionSystem> Refinement for $type_<S> {
            type Implementation = S;
            type Specification = S;

            fn implementation(&self) -> &S {
                &self.$implementation
            }

            fn specification(&self) -> &S {
                &self.$specification
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
    };
}

step_by_step!(Itself by 0 0);
step_by_step!(Alike by implementation specification);
