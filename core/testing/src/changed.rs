//! Wrapper that adds one declaration to a refinement.

use refmap::obligation::ObligationKind;
use refmap::{AbstractSteps, ActionOf, Invariant, Process, Refinement, StateOf};

/// Refinement with one additional declaration.
pub struct Changed<R>(pub R, pub Change);

/// The declaration.
pub enum Change {
    /// These obligations are unsupported.
    Undecided(Vec<ObligationKind>),
    /// An invariant that no state satisfies.
    Falsified,
}

impl<R: Refinement> Refinement for Changed<R> {
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
        if matches!(self.1, Change::Falsified) {
            invariants.push(Invariant::new("never", "a test", |_: &_| false));
        }
        invariants
    }

    fn environment(&self) -> &[Process] {
        self.0.environment()
    }

    fn unsupported(&self, obligation: ObligationKind) -> Option<&'static str> {
        match &self.1 {
            Change::Undecided(all) => all.contains(&obligation).then_some("steps are joined"),
            Change::Falsified => None,
        }
    }
}
