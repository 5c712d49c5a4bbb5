//! Wrapper that adds a false invariant to a refinement.

use refmap::{AbstractSteps, ActionOf, Invariant, Process, Refinement, StateOf};

/// Refinement with an invariant that no state satisfies, `never`.
pub struct Falsified<R>(pub R);

impl<R: Refinement> Refinement for Falsified<R> {
    type Concrete = R::Concrete;
    type Abstract = R::Abstract;

    fn implementation(&self) -> &R::Concrete {
        self.0.implementation()
    }

    fn specification(&self) -> &R::Abstract {
        self.0.specification()
    }

    fn map(&self, state: &StateOf<R::Concrete>) -> StateOf<R::Abstract> {
        self.0.map(state)
    }

    fn abstract_steps(
        &self,
        from: &StateOf<R::Concrete>,
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> AbstractSteps<ActionOf<R::Abstract>> {
        self.0.abstract_steps(from, action, to)
    }

    fn invariants(&self) -> Vec<Invariant<R::Concrete>> {
        let mut invariants = self.0.invariants();
        invariants.push(Invariant::new("never", "a test", |_: &_| false));
        invariants
    }

    fn environment(&self) -> &[Process] {
        self.0.environment()
    }
}
