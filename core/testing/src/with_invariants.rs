//! Wrapper that changes the invariants of a refinement.

use refmap::{AbstractSteps, ActionOf, Invariant, Process, Refinement, StateOf, TransitionSystem};

use crate::Itself;

/// A system as an implementation of itself, with an invariant.
pub fn with_invariant<S: TransitionSystem>(
    system: S,
    name: &'static str,
    holds: impl Fn(&StateOf<S>) -> bool + Send + Sync + 'static,
) -> impl Refinement<Implementation = S, Specification = S> {
    let invariant = Invariant::new(name, "a test", holds);
    WithInvariants::new(Itself(system), move |all: &mut Vec<_>| {
        all.push(invariant.clone());
    })
}

/// Refinement with other invariants than it has.
pub struct WithInvariants<R, C> {
    of: R,
    change: C,
}

impl<R, C> WithInvariants<R, C>
where
    R: Refinement,
    C: Fn(&mut Vec<Invariant<R::Implementation>>) + Sync,
{
    /// A refinement whose invariants are changed.
    pub fn new(of: R, change: C) -> Self {
        Self { of, change }
    }
}

impl<R, C> Refinement for WithInvariants<R, C>
where
    R: Refinement,
    C: Fn(&mut Vec<Invariant<R::Implementation>>) + Sync,
{
    type Implementation = R::Implementation;
    type Specification = R::Specification;

    fn implementation(&self) -> &R::Implementation {
        self.of.implementation()
    }

    fn specification(&self) -> &R::Specification {
        self.of.specification()
    }

    fn map(&self, state: &StateOf<R::Implementation>) -> StateOf<R::Specification> {
        self.of.map(state)
    }

    fn abstract_steps(
        &self,
        from: &StateOf<R::Implementation>,
        action: &ActionOf<R::Implementation>,
        to: &StateOf<R::Implementation>,
    ) -> AbstractSteps<ActionOf<R::Specification>> {
        self.of.abstract_steps(from, action, to)
    }

    fn invariants(&self) -> Vec<Invariant<R::Implementation>> {
        let mut invariants = self.of.invariants();
        (self.change)(&mut invariants);
        invariants
    }

    fn environment(&self) -> &[Process] {
        self.of.environment()
    }
}
