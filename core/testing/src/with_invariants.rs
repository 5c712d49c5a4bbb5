//! Wrapper that changes the invariants of a refinement.

use refmap::{AbstractSteps, ActionOf, Invariant, Process, Refinement, StateOf};

/// Refinement with other invariants than it has.
pub struct WithInvariants<R, C> {
    of: R,
    change: C,
}

impl<R, C> WithInvariants<R, C>
where
    R: Refinement,
    C: Fn(&mut Vec<Invariant<R::Concrete>>) + Sync,
{
    /// A refinement whose invariants are changed.
    pub fn new(of: R, change: C) -> Self {
        Self { of, change }
    }
}

impl<R, C> Refinement for WithInvariants<R, C>
where
    R: Refinement,
    C: Fn(&mut Vec<Invariant<R::Concrete>>) + Sync,
{
    type Concrete = R::Concrete;
    type Abstract = R::Abstract;

    fn implementation(&self) -> &R::Concrete {
        self.of.implementation()
    }

    fn specification(&self) -> &R::Abstract {
        self.of.specification()
    }

    fn map(&self, state: &StateOf<R::Concrete>) -> StateOf<R::Abstract> {
        self.of.map(state)
    }

    fn abstract_steps(
        &self,
        from: &StateOf<R::Concrete>,
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> AbstractSteps<ActionOf<R::Abstract>> {
        self.of.abstract_steps(from, action, to)
    }

    fn invariants(&self) -> Vec<Invariant<R::Concrete>> {
        let mut invariants = self.of.invariants();
        (self.change)(&mut invariants);
        invariants
    }

    fn environment(&self) -> &[Process] {
        self.of.environment()
    }
}
