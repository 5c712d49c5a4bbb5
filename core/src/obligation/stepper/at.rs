//! A place in a refinement that is stepped through: what depends on the types of its states and actions, and no more, as
//! it is compiled for each refinement.

use super::standing::{Begin, MOST_OFFERED, Standing};
use crate::explore::{Place, StateId, Visitor, look_at, look_at_step};
use crate::model_call::{first_visited, named};
use crate::obligation::counterexample::{Transition, state, step};
use crate::obligation::obligations::Failure;
use crate::obligation::visitor::Tester;
use crate::obligation::{deadlock, initiality, invariant, observation, simulation};
use crate::refinement::Refinement;
use crate::report::json::json;
use crate::report::{Counterexample, Step};
use crate::system::{ActionOf, StateOf, TransitionSystem};
use crate::trace::Trace;
use crate::visit::{visit_initial, visit_steps};

impl<R: Refinement> Begin for Tester<'_, R> {
    fn begin(&self) -> Box<dyn Standing + '_> {
        Box::new(At {
            tester: self,
            state: None,
            offered: Vec::new(),
            failures: Vec::new(),
        })
    }
}

/// An initial state, or a step and where it leads.
type Taken<R> = (
    Option<ActionOf<<R as Refinement>::Concrete>>,
    StateOf<<R as Refinement>::Concrete>,
);

struct At<'a, R: Refinement> {
    tester: &'a Tester<'a, R>,
    /// None before an initial state is chosen.
    state: Option<StateOf<R::Concrete>>,
    offered: Vec<Taken<R>>,
    /// Obligations that failed in the last test.
    failures: Vec<Failure>,
}

impl<R: Refinement> Standing for At<'_, R> {
    fn look(&mut self) -> bool {
        let all;
        let refinement = self.tester.refinement;
        if self.cut().is_some() {
            self.offered.clear();
            return true;
        }
        (self.offered, all) = enumerate(refinement, self.state.as_ref(), MOST_OFFERED);
        all
    }

    fn cut(&self) -> Option<String> {
        let (constraint, state) = (self.tester.constraint?, self.state.as_ref()?);
        (!constraint.contains(state)).then(|| constraint.name().to_owned())
    }

    fn offered(&self) -> usize {
        self.offered.len()
    }

    fn step(&self, number: usize) -> Step {
        match self.transition(number) {
            Some(taken) => step(self.tester.refinement, taken),
            None => state(self.tester.refinement, &self.offered[number].1),
        }
    }

    fn is(&self, number: usize, step: &Step) -> bool {
        let (action, to) = &self.offered[number];
        let system = self.tester.refinement.implementation();
        action.as_ref().map(json) == step.action && system.show(to) == step.state
    }

    fn take(&mut self, number: usize) {
        self.state = Some(self.offered.swap_remove(number).1);
        self.offered.clear();
    }

    fn test(&mut self, number: usize) {
        let tester = self.tester;
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
            let (steps, _) = enumerate(tester.refinement, Some(to), 1);
            tester.leave(counts, place, to, steps.len() as u32);
        }
        let failures = tester.obligations.failures(&tally);
        self.failures = failures.into_iter().map(|(failure, _)| failure).collect();
    }

    fn failures(&self) -> Vec<String> {
        let name = |failure: &Failure| self.tester.obligations.name(*failure);
        self.failures.iter().map(name).collect()
    }

    fn explain(&self, number: usize, failure: usize) -> Option<Counterexample> {
        let Tester {
            refinement,
            obligations,
            asking,
            ..
        } = self.tester;
        let mut trace = Trace {
            initial: self.offered[number].1.clone(),
            steps: Vec::new(),
        };
        if let Some((from, action, _)) = self.transition(number) {
            let to = std::mem::replace(&mut trace.initial, from.clone());
            trace.steps.push((action.clone(), to));
        }
        let (refinement, trace): (&R, _) = (refinement, &trace);
        Some(match self.failures[failure] {
            Failure::Observation => observation::explain(refinement, trace),
            Failure::Initiality => initiality::explain(refinement, trace),
            Failure::Simulation(_) => simulation::explain(refinement, trace),
            Failure::Agency => obligations.agency.explain(refinement, trace),
            Failure::Invariant(place) => {
                invariant::explain(refinement, trace, &asking.invariants[place])
            }
            Failure::Deadlock => deadlock::explain(refinement, trace),
            // What the model does wrong is found by asking it again, which nothing here does.
            Failure::Model => return None,
        })
    }
}

impl<R: Refinement> At<'_, R> {
    /// The step of a number, if it is no initial state.
    fn transition(&self, number: usize) -> Option<Transition<'_, R::Concrete>> {
        let (action, to) = &self.offered[number];
        Some((self.state.as_ref()?, action.as_ref()?, to))
    }
}

/// Steps that can be taken from a state, or the initial states.
fn enumerate<R: Refinement>(
    refinement: &R,
    from: Option<&StateOf<R::Concrete>>,
    most: usize,
) -> (Vec<Taken<R>>, bool) {
    let system = refinement.implementation();
    first_visited(most, |visit| match from {
        None => named("`initial` of the implementation", || {
            visit_initial(system, &mut |to| visit((None, to)));
        }),
        Some(from) => named("`next` of the implementation", || {
            visit_steps(system, from, &mut |action, to| visit((Some(action), to)));
        }),
    })
}
