//! A refinement that says one thing more of itself.

use refmap::{ActionOf, Invariant, Process, Refinement, StateOf};

/// A refinement that says one thing more of itself.
pub struct Changed<R>(pub R, pub Change);

/// What it says.
pub enum Change {
    /// These obligations cannot be decided.
    Undecided(&'static [&'static str]),
    /// There is an invariant that nothing satisfies.
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

    fn answer(
        &self,
        from: &StateOf<R::Concrete>,
        action: &ActionOf<R::Concrete>,
        to: &StateOf<R::Concrete>,
    ) -> Option<ActionOf<R::Abstract>> {
        self.0.answer(from, action, to)
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

    fn undecidable(&self, obligation: &str) -> Option<&'static str> {
        match self.1 {
            Change::Undecided(all) => all.contains(&obligation).then_some("steps are joined"),
            Change::Falsified => None,
        }
    }
}
