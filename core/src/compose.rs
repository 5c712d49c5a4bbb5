//! Composition: if S₃ refines S₂ and S₂ refines S₁, then S₃ refines S₁ by way of S₂.
//!
//! Source: Havelund & Shankar, Appendix A.1, `transitive`. Composition preserves observation,
//! initiality and simulation; it does not preserve `environment` and `coverage`, so a composed
//! refinement is checked as composed, between its ends.

use std::sync::Arc;

use crate::constraint::Constraint;
use crate::invariant::Invariant;
use crate::obligation::ObligationKind;
use crate::property::Property;
use crate::refinement::{Refinement, Waiver};
use crate::rule::Process;
use crate::system::{ActionOf, ObservationOf, StateOf, StepOf, TransitionSystem};

/// The refinement of the upper specification by the lower implementation.
pub struct Composed<U, L> {
    upper: Arc<U>,
    lower: Arc<L>,
}

/// `lower` refines the implementation of `upper`, so its implementation refines the specification
/// of `upper`.
///
/// An invariant of `upper` is pulled back through the mapping of `lower`. Where its name is taken
/// it gets `above.` in front.
pub fn compose<U, L>(upper: U, lower: L) -> Composed<U, L>
where
    U: Refinement,
    L: Refinement<Abstract = U::Concrete>,
{
    Composed {
        upper: Arc::new(upper),
        lower: Arc::new(lower),
    }
}

impl<U, L> Refinement for Composed<U, L>
where
    U: Refinement + Send + 'static,
    U::Abstract: TransitionSystem<Observation = ObservationOf<L::Concrete>>,
    L: Refinement<Abstract = U::Concrete> + Send + 'static,
{
    type Concrete = L::Concrete;
    type Abstract = U::Abstract;

    fn implementation(&self) -> &Self::Concrete {
        self.lower.implementation()
    }

    fn specification(&self) -> &Self::Abstract {
        self.upper.specification()
    }

    fn map(&self, state: &StateOf<Self::Concrete>) -> StateOf<Self::Abstract> {
        self.upper.map(&self.lower.map(state))
    }

    fn abstract_action(
        &self,
        from: &StateOf<Self::Concrete>,
        action: &ActionOf<Self::Concrete>,
        to: &StateOf<Self::Concrete>,
    ) -> Option<ActionOf<Self::Abstract>> {
        let between = self.lower.abstract_action(from, action, to)?;
        let before = self.lower.abstract_steps_before(from, action, to);
        let last = before.into_iter().next_back().map(|(_, state)| state);
        let from = last.unwrap_or_else(|| self.lower.map(from));
        self.upper
            .abstract_action(&from, &between, &self.lower.map(to))
    }

    fn abstract_steps_before(
        &self,
        from: &StateOf<Self::Concrete>,
        action: &ActionOf<Self::Concrete>,
        to: &StateOf<Self::Concrete>,
    ) -> Vec<StepOf<Self::Abstract>> {
        let mut steps = Vec::new();
        let mut between = self.lower.map(from);
        for (action, state) in self.lower.abstract_steps_before(from, action, to) {
            steps.extend(self.upper.abstract_steps_before(&between, &action, &state));
            if let Some(action) = self.upper.abstract_action(&between, &action, &state) {
                steps.push((action, self.upper.map(&state)));
            }
            between = state;
        }
        if let Some(action) = self.lower.abstract_action(from, action, to) {
            let to = self.lower.map(to);
            steps.extend(self.upper.abstract_steps_before(&between, &action, &to));
        }
        steps
    }

    fn invariants(&self) -> Vec<Invariant<Self::Concrete>> {
        let mut invariants = self.lower.invariants();
        for above in self.upper.invariants() {
            let lower = self.lower.clone();
            let mut pulled = above.pull_back(move |state| lower.map(state));
            while invariants.iter().any(|own| own.name() == pulled.name()) {
                let name = format!("above.{}", pulled.name());
                pulled = pulled.renamed(name);
            }
            invariants.push(pulled);
        }
        invariants
    }

    /// Constraint of the lower half, and that of the upper one pulled back.
    fn constraint(&self) -> Option<Constraint<Self::Concrete>> {
        let lower = self.lower.clone();
        let pulled = |above: Constraint<U::Concrete>| {
            above.pull_back(move |state: &StateOf<L::Concrete>| lower.map(state))
        };
        match (self.lower.constraint(), self.upper.constraint().map(pulled)) {
            (Some(own), Some(above)) => Some(own.and(above)),
            (own, above) => own.or(above),
        }
    }

    /// Properties of the lower half, and those of the upper one pulled back. A property of the upper half is one of its
    /// implementation, whose fairness the lower half has to show.
    fn liveness(&self) -> Vec<Property<Self::Concrete>> {
        let mut properties = self.lower.liveness();
        for above in self.upper.liveness() {
            let lower = self.lower.clone();
            let mut pulled = above.pull_back(move |state| lower.map(state));
            while properties.iter().any(|own| own.name() == pulled.name()) {
                let name = format!("above.{}", pulled.name());
                pulled = pulled.renamed(name);
            }
            properties.push(pulled);
        }
        properties
    }

    fn environment(&self) -> &[Process] {
        self.upper.environment()
    }

    fn at_rest(&self, state: &StateOf<Self::Concrete>, process: Process) -> bool {
        self.lower.at_rest(state, process) && self.upper.at_rest(&self.lower.map(state), process)
    }

    fn unsupported(&self, obligation: ObligationKind) -> Option<&'static str> {
        let lower = self.lower.unsupported(obligation);
        lower.or_else(|| self.upper.unsupported(obligation))
    }

    fn acts_for(&self, process: Process) -> Process {
        self.upper.acts_for(self.lower.acts_for(process))
    }

    fn waivers(&self) -> Vec<Waiver> {
        self.upper.waivers()
    }
}
