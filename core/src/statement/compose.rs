//! Composition: if S₃ refines S₂ and S₂ refines S₁, then S₃ refines S₁ by way of S₂.
//!
//! Source: Havelund & Shankar, Appendix A.1, `transitive`. Composition preserves observation,
//! initiality and simulation; it does not preserve `environment` and `coverage`, so a composed
//! refinement is checked as composed, between its ends.

use std::sync::Arc;

use crate::statement::abstract_steps::AbstractSteps;
use crate::statement::asked::answer::states_between;
use crate::statement::constraint::Constraint;
use crate::statement::invariant::Invariant;
use crate::statement::property::Property;
use crate::statement::refinement::{Refinement, Waiver};
use crate::statement::rule::Process;
use crate::statement::system::{ActionOf, ObservationOf, StateOf, TransitionSystem};

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
    L: Refinement<Specification = U::Implementation>,
{
    Composed {
        upper: Arc::new(upper),
        lower: Arc::new(lower),
    }
}

impl<U, L> Refinement for Composed<U, L>
where
    U: Refinement + Send + 'static,
    U::Specification: TransitionSystem<Observation = ObservationOf<L::Implementation>>,
    L: Refinement<Specification = U::Implementation> + Send + 'static,
{
    type Implementation = L::Implementation;
    type Specification = U::Specification;

    fn implementation(&self) -> &Self::Implementation {
        self.lower.implementation()
    }

    fn specification(&self) -> &Self::Specification {
        self.upper.specification()
    }

    fn map(&self, state: &StateOf<Self::Implementation>) -> StateOf<Self::Specification> {
        self.upper.map(&self.lower.map(state))
    }

    /// Steps of the upper refinement for each of the lower one's, at the states between.
    fn abstract_steps(
        &self,
        from: &StateOf<Self::Implementation>,
        action: &ActionOf<Self::Implementation>,
        to: &StateOf<Self::Implementation>,
    ) -> AbstractSteps<ActionOf<Self::Specification>> {
        let Self { upper, lower } = self;
        let steps = lower.abstract_steps(from, action, to);
        if let AbstractSteps::Stutter = steps {
            return AbstractSteps::Stutter;
        }
        let (source, target) = (lower.map(from), lower.map(to));
        if let AbstractSteps::One(action) = &steps {
            return upper.abstract_steps(&source, action, &target);
        }
        let actions = steps.actions();
        let between = states_between(lower.specification(), &source, actions);
        let sources = std::iter::once(&source).chain(&between);
        let targets = between.iter().chain([&target]);
        let mut all = Vec::new();
        // The first step that the lower specification does not take is led to the target: what comes of it is tested as any answer is.
        for (action, (from, to)) in actions.iter().zip(sources.zip(targets)) {
            all.extend_from_slice(upper.abstract_steps(from, action, to).actions());
        }
        AbstractSteps::Several(all)
    }

    fn invariants(&self) -> Vec<Invariant<Self::Implementation>> {
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
    fn constraint(&self) -> Option<Constraint<Self::Implementation>> {
        let lower = self.lower.clone();
        let pulled = |above: Constraint<U::Implementation>| {
            above.pull_back(move |state: &StateOf<L::Implementation>| lower.map(state))
        };
        match (self.lower.constraint(), self.upper.constraint().map(pulled)) {
            (Some(own), Some(above)) => Some(own.and(above)),
            (own, above) => own.or(above),
        }
    }

    /// Properties of the lower half, and those of the upper one pulled back. A property of the upper half is one of its
    /// implementation, whose fairness the lower half has to show.
    fn liveness(&self) -> Vec<Property<Self::Implementation>> {
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

    fn at_rest(&self, state: &StateOf<Self::Implementation>, process: Process) -> bool {
        self.lower.at_rest(state, process) && self.upper.at_rest(&self.lower.map(state), process)
    }

    fn acts_for(&self, process: Process) -> Process {
        self.upper.acts_for(self.lower.acts_for(process))
    }

    fn waivers(&self) -> Vec<Waiver> {
        self.upper.waivers()
    }
}
