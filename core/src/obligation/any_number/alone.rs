//! Single states and steps, judged without those before them.

use crate::crowd::Judge;
use crate::erased::{ErasedRefinement, ErasedState, ErasedStep};
use crate::explore::{Place, StateId, Visitor, look_at, look_at_step};
use crate::obligation::obligations::{Counts, Failure};
use crate::obligation::visitor::{Plan, Tester};

/// Judge of single states and steps, by the obligations of a plan.
pub(super) struct Alone<'p, 'a> {
    plan: &'p Plan<'a>,
    tester: Tester<'p, 'a, ErasedRefinement<'a>>,
}

impl<'p, 'a> Alone<'p, 'a> {
    pub fn new(plan: &'p Plan<'a>) -> Self {
        let tester = plan.tester();
        Self { plan, tester }
    }

    /// Names of the obligations that fail. What the model itself does wrong is none of them.
    fn failing(&self, counts: &Counts) -> Vec<String> {
        let failures = self.plan.obligations.failures(counts);
        let failures = failures.filter(|(failure, _)| *failure != Failure::Model);
        failures
            .map(|(failure, _)| self.plan.obligations.name(failure))
            .collect()
    }
}

/// Place of a state that is none of a search.
fn place(is_initial: bool) -> Place {
    Place {
        length: u32::from(!is_initial),
        state: StateId(0),
        step: None,
    }
}

impl Judge for Alone<'_, '_> {
    fn of_state(&self, state: &ErasedState, is_initial: bool) -> Vec<String> {
        let mut tally = self.tester.tally();
        look_at(&self.tester, &mut tally, place(is_initial), state);
        self.failing(&tally.counts)
    }

    fn of_step(&self, from: &ErasedState, (action, to): &ErasedStep) -> Vec<String> {
        let mut tally = self.tester.tally();
        let image = self.tester.image(&mut tally, from);
        let step = place(false).of_step(0);
        look_at_step(&self.tester, &mut tally, step, (from, &image), action, to);
        self.failing(&tally.counts)
    }
}
