//! States of some number of members, as they are looked at where views are searched.

use std::cell::Cell;

use super::alone::Alone;
use crate::crowd::{CrowdFault, ErasedParts, Judge, Stated, ViewSearch};
use crate::erased::{ErasedRefinement, ErasedState, ErasedStep, ErasedSystem};
use crate::explore::{Place, StateId, Visitor, look_at, look_at_step};
use crate::functions::Functions;
use crate::model_call::{catch, named};
use crate::obligation::visitor::{Plan, Tally, Tester};
use crate::refinement::Refinement;
use crate::system::steps;

/// States of one number of members, with what was found of them.
pub(super) struct Level<'p, 'a> {
    pub plan: &'p Plan<'a>,
    pub tester: Tester<'p, 'a, ErasedRefinement<'a>>,
    pub tally: Tally<ErasedRefinement<'a>>,
    pub system: ErasedSystem<'a>,
    judge: Alone<'p, 'a>,
    /// Those in which something failed first, by their numbers.
    pub failed: Vec<(StateId, ErasedState)>,
}

/// Looks at a state, and says at which of its steps.
type Look<'l, 'p, 'a> = dyn FnMut(&mut Level<'p, 'a>, &Cell<Place>) -> Result<(), CrowdFault> + 'l;

/// Abstract state of a state, if one is needed.
type Image<'p, 'a> = <Tester<'p, 'a, ErasedRefinement<'a>> as Visitor<ErasedSystem<'a>>>::Image;

impl<'p, 'a> Level<'p, 'a> {
    /// Those of the instance of a plan.
    pub fn new(plan: &'p Plan<'a>) -> Self {
        let tester = plan.tester();
        Self {
            tally: tester.tally(),
            tester,
            system: *plan.asking.refinement.implementation(),
            judge: Alone::new(plan),
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
        let names = |level: &Self| {
            let rules = named("`rules` of the implementation", || {
                level.system.call_rules()
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
        let looked = self.look(place, state, &mut |level, _| {
            look_at(&level.tester, &mut level.tally, place, state);
            Ok(())
        });
        debug_assert!(looked.is_ok(), "a state has no steps here");
    }

    /// Looks at a state and its steps, and adds where they lead to.
    ///
    /// # Errors
    ///
    /// If a target is none of a crowd.
    pub fn look_at_all(
        &mut self,
        views: &ViewSearch<'_>,
        place: Place,
        stated: &Stated,
        targets: &mut Vec<ErasedParts>,
    ) -> Result<(), CrowdFault> {
        let state = &stated.state;
        self.look(place, state, &mut |level, at| {
            let image = look_at(&level.tester, &mut level.tally, place, state);
            let taken = level.steps(state);
            for (position, step) in (0..).zip(&taken) {
                at.set(place.of_step(position));
                targets.extend(views.target(stated, &step.1)?);
                level.look_at_step(at.get(), state, &image, step);
            }
            at.set(place);
            let count = taken.len() as u32;
            level.tester.leave(&mut level.tally, place, state, count);
            Ok(())
        })
    }

    /// Looks at the steps of a state in which members stand for others, but at none of these, and adds where they lead to.
    ///
    /// # Errors
    ///
    /// If a target is none of a crowd.
    pub fn look_at_steps(
        &mut self,
        views: &ViewSearch<'_>,
        place: Place,
        stated: &Stated,
        targets: &mut Vec<ErasedParts>,
    ) -> Result<(), CrowdFault> {
        let state = &stated.state;
        self.look(place, state, &mut |level, at| {
            let image = level.tester.image(&mut level.tally, state);
            for (position, step) in (0..).zip(&level.steps(state)) {
                at.set(place.of_step(position));
                let Some(target) = views.target(stated, &step.1)? else {
                    continue;
                };
                // A step fails if it does beside whatever others: an obligation does not speak of them.
                let better = level.passing(views, stated, step, &target)?;
                if let Some((other, step)) = better {
                    let image = level.tester.image(&mut level.tally, &other);
                    level.look_at_step(at.get(), &other, &image, &step);
                } else {
                    level.look_at_step(at.get(), state, &image, step);
                }
                targets.push(target);
            }
            Ok(())
        })
    }

    /// Of a step that fails, the same one of a state with other members of the same kinds in the place of those that are left out, where no step does
    /// that leads to the same. Steps are told apart by that alone: actions may have the numbers of members.
    fn passing(
        &self,
        views: &ViewSearch<'_>,
        stated: &Stated,
        step: &ErasedStep,
        target: &ErasedParts,
    ) -> Result<Option<(ErasedState, ErasedStep)>, CrowdFault> {
        let passes = |state: &ErasedState, step: &ErasedStep| {
            let failing = self.judge.of_step(state, step);
            failing.is_empty()
        };
        if passes(&stated.state, step) {
            return Ok(None);
        }
        for other in views.varied(stated) {
            let mut same = Vec::new();
            for step in self.steps(&other.state) {
                if views.target(&other, &step.1)?.as_ref() == Some(target) {
                    same.push(step);
                }
            }
            let all_pass = same.iter().all(|step| passes(&other.state, step));
            if let Some(step) = same.into_iter().next().filter(|_| all_pass) {
                return Ok(Some((other.state, step)));
            }
        }
        Ok(None)
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
        look: &mut Look<'_, 'p, 'a>,
    ) -> Result<(), CrowdFault> {
        let at = Cell::new(place);
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
