//! States of some number of members, as they are looked at where views are searched.

use std::cell::Cell;

use crate::crowd::{CrowdFault, ErasedParts, StatedMembers, ViewSearch};
use crate::erased::{ErasedRefinement, ErasedState, ErasedStep, ErasedSystem};
use crate::explore::{Place, StateId, Visitor, look_at, look_at_step};
use crate::obligation::visitor::{Plan, Tally, Tester};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::hiding::Hiding;
use crate::statement::asked::model_call::{catch, named};
use crate::statement::refinement::Refinement;
use crate::statement::system::steps;

/// States of one number of members, with what was found of them.
pub(super) struct SizedStates<'p, 'a> {
    pub plan: &'p Plan<'a>,
    pub tester: Tester<'p, 'a, ErasedRefinement<'a>>,
    pub tally: Tally<ErasedRefinement<'a>>,
    pub system: ErasedSystem<'a>,
    /// Those in which something failed first, by their numbers.
    pub failed: Vec<(StateId, ErasedState)>,
}

/// Looks at a state, and says at which of its steps.
type LookAtState<'l, 'p, 'a> =
    dyn FnMut(&mut SizedStates<'p, 'a>, &Cell<Place>) -> Result<(), CrowdFault> + 'l;

/// Abstract state of a state, if one is needed.
type Image<'p, 'a> = <Tester<'p, 'a, ErasedRefinement<'a>> as Visitor<ErasedSystem<'a>>>::Image;

impl<'p, 'a> SizedStates<'p, 'a> {
    /// Those of the instance of a plan.
    pub fn new(plan: &'p Plan<'a>) -> Self {
        let tester = plan.tester();
        Self {
            tally: tester.tally(),
            tester,
            system: *plan.asking.refinement.implementation(),
            plan,
            failed: Vec::new(),
        }
    }

    /// True if something failed.
    pub fn has_failed(&self) -> bool {
        let mut failures = self.plan.obligations.failures(&self.tally.counts);
        failures.next().is_some()
    }

    /// True if rules have the numbers that they have in another instance.
    pub fn has_rules_of(&self, other: &Self) -> bool {
        let names = |these: &Self| {
            let rules = named("`rules` of the implementation", || {
                these.system.call_rules()
            });
            let names = rules.iter().map(|rule| rule.name.clone());
            names.collect::<Vec<_>>()
        };
        names(self) == names(other)
    }

    /// True if something failed with which a check ends.
    pub fn is_enough(&self) -> bool {
        self.plan.stop(&self.tally.counts).is_some()
    }

    /// Looks at a state without its steps.
    pub fn look_at_state(&mut self, place: Place, state: &ErasedState) {
        let looked = self.look(place, state, &mut |these, _| {
            look_at(&these.tester, &mut these.tally, place, state);
            Ok(())
        });
        debug_assert!(looked.is_ok(), "a state has no steps here");
    }

    /// Looks at the steps of a state, but not at those of members that stand for others, and adds where they lead to. If no member does, it looks at the state as well.
    ///
    /// # Errors
    ///
    /// If a target is none of a crowd.
    pub fn look_at_steps(
        &mut self,
        views: &ViewSearch<'_>,
        place: Place,
        stated: &StatedMembers,
        targets: &mut Vec<ErasedParts>,
    ) -> Result<(), CrowdFault> {
        let state = &stated.state;
        let is_alone = stated.others() == 0;
        self.look(place, state, &mut |these, at| {
            let image = if is_alone {
                look_at(&these.tester, &mut these.tally, place, state)
            } else {
                these.tester.image(&mut these.tally, state)
            };
            let taken = these.steps(state);
            for (position, step) in (0..).zip(&taken) {
                at.set(place.of_step(position));
                if let Some(target) = views.target(stated, &step.1)? {
                    targets.push(target);
                    these.look_at_step(at.get(), state, &image, step);
                }
            }
            at.set(place);
            if is_alone {
                let count = taken.len() as u32;
                these.tester.leave(&mut these.tally, place, state, count);
            }
            Ok(())
        })
    }

    fn steps(&self, state: &ErasedState) -> Vec<ErasedStep> {
        named("`next` of the implementation", || {
            steps(&self.system, state)
        })
    }

    fn look_at_step(
        &mut self,
        place: Place,
        from: &ErasedState,
        image: &Image<'p, 'a>,
        (action, to): &ErasedStep,
    ) {
        let (tester, tally) = (&self.tester, &mut self.tally);
        tester.offered(tally, action);
        look_at_step(tester, tally, place, (from, image), action, to);
    }

    /// Looks at a state, where a function of the model may panic.
    fn look(
        &mut self,
        place: Place,
        state: &ErasedState,
        look: &mut LookAtState<'_, 'p, 'a>,
    ) -> Result<(), CrowdFault> {
        let at = Cell::new(place);
        let _hidden = Hiding::begin();
        let looked = catch(|| look(self, &at));
        let looked = looked.unwrap_or_else(|panic| {
            self.tester.panicked(&mut self.tally, at.get(), panic);
            Ok(())
        });
        let mut failures = self.plan.obligations.failures(&self.tally.counts);
        if failures.any(|(_, first)| first.state == place.state) {
            self.failed.push((place.state, state.clone()));
        }
        looked
    }
}
