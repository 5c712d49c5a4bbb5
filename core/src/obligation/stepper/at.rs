//! A place in a refinement that is stepped through.

use crate::obligation::counterexample::{Transition, state, step};
use crate::obligation::obligations::Failure;
use crate::obligation::visitor::Plan;
use crate::report::{Counterexample, Step};
use crate::statement::asked::model_call::{first_visited, named};
use crate::statement::asked::visit::{visit_initial, visit_steps};
use crate::statement::erased::{ErasedAction, ErasedRefinement, ErasedState, ErasedSystem};
use crate::statement::refinement::Refinement;
use crate::statement::shown::json::json;
use crate::statement::system::TransitionSystem;
use crate::statement::trace::Trace;
use crate::walk::explore::{Place, StateId, Visitor, look_at, look_at_step};

/// The most initial states, and the most steps of a state, that are offered.
pub const MOST_OFFERED: usize = 1000;

/// An initial state, or a step and where it leads.
type TakenStep = (Option<ErasedAction>, ErasedState);

/// Position to which choices have led, and what can be taken from there, by numbers. What asks the model may panic as it
/// does, but for [`step`](Self::step).
pub(super) struct At<'a, 'p> {
    plan: &'a Plan<'p>,
    /// None before an initial state is chosen.
    state: Option<ErasedState>,
    offered: Vec<TakenStep>,
    /// Obligations that failed in the last test.
    failures: Vec<Failure>,
}

impl<'a, 'p> At<'a, 'p> {
    /// Before an initial state is chosen.
    pub fn beginning(plan: &'a Plan<'p>) -> Self {
        Self {
            plan,
            state: None,
            offered: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Finds out what can be taken, at most [`MOST_OFFERED`], and says whether that is all.
    pub fn look(&mut self) -> bool {
        let all;
        let refinement = self.plan.asking.refinement;
        if self.cut().is_some() {
            self.offered.clear();
            return true;
        }
        (self.offered, all) = enumerate(refinement, self.state.as_ref(), MOST_OFFERED);
        all
    }

    /// The constraint that the state does not satisfy, if there is one: nothing is taken from there.
    pub fn cut(&self) -> Option<String> {
        let (constraint, state) = (self.plan.constraint?, self.state.as_ref()?);
        (!constraint.contains(state)).then(|| constraint.name().to_owned())
    }

    /// Number of initial states or steps that were found.
    pub fn offered(&self) -> usize {
        self.offered.len()
    }

    /// One of what was found: an initial state or a step.
    pub fn step(&self, number: usize) -> Step {
        match self.transition(number) {
            Some(taken) => step(self.plan.asking.refinement, taken),
            None => state(self.plan.asking.refinement, &self.offered[number].1),
        }
    }

    /// True if it is this step.
    pub fn is(&self, number: usize, step: &Step) -> bool {
        let (action, to) = &self.offered[number];
        let system = self.plan.asking.refinement.implementation();
        action.as_ref().map(json) == step.action && system.show(to) == step.state
    }

    /// Takes it. What can be taken from there is to be found out next.
    pub fn take(&mut self, number: usize) {
        self.state = Some(self.offered.swap_remove(number).1);
        self.offered.clear();
    }

    /// Tests the obligations at it.
    pub fn test(&mut self, number: usize) {
        let tester = &self.plan.tester();
        // Nothing is left of an earlier test if the model panics in this one.
        self.failures.clear();
        let mut tally = tester.tally();
        let (action, to) = &self.offered[number];
        let counts = &mut tally;
        let place = Place {
            length: u32::from(action.is_some()),
            state: StateId(0),
            step: None,
        };
        if let (Some(from), Some(action)) = (&self.state, action) {
            let image = tester.image(counts, from);
            look_at_step(tester, counts, place, (from, &image), action, to);
        }
        look_at(tester, counts, place, to);
        if tester.is_expanded(counts, place, to) {
            let (steps, _) = enumerate(self.plan.asking.refinement, Some(to), 1);
            tester.leave(counts, place, to, steps.len() as u32);
        }
        let failures = self.plan.obligations.failures(&tally.counts);
        self.failures = failures.into_iter().map(|(failure, _)| failure).collect();
    }

    /// Names of the obligations that failed in the test.
    pub fn failures(&self) -> Vec<String> {
        let name = |failure: &Failure| self.plan.obligations.name(*failure);
        self.failures.iter().map(name).collect()
    }

    /// Explanation of the failure at this place of [`failures`](Self::failures), if one behaviour shows it.
    pub fn explain(&self, number: usize, failure: usize) -> Option<Counterexample> {
        let Plan {
            obligations,
            asking,
            ..
        } = self.plan;
        let mut trace = Trace {
            initial: self.offered[number].1.clone(),
            steps: Vec::new(),
        };
        if let Some((from, action, _)) = self.transition(number) {
            let to = std::mem::replace(&mut trace.initial, from.clone());
            trace.steps.push((action.clone(), to));
        }
        obligations.explain(
            self.failures[failure],
            asking.refinement,
            asking.invariants,
            &trace,
        )
    }

    /// The step of a number, if it is no initial state.
    fn transition(&self, number: usize) -> Option<Transition<'_, ErasedSystem<'_>>> {
        let (action, to) = &self.offered[number];
        Some((self.state.as_ref()?, action.as_ref()?, to))
    }
}

/// Steps that can be taken from a state, or the initial states.
fn enumerate(
    refinement: &ErasedRefinement<'_>,
    from: Option<&ErasedState>,
    most: usize,
) -> (Vec<TakenStep>, bool) {
    let system = refinement.implementation();
    first_visited(most, |visit| match from {
        None => named("`initial` of the implementation", || {
            visit_initial(system, &mut |to| visit((None, to)));
        }),
        Some(from) => named("`next` of the implementation", || {
            visit_steps(system, from, &mut |action, to| {
                visit((Some(action), to.clone()))
            });
        }),
    })
}
