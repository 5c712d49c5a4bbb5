//! Whether the methods of the specification agree with each other, at the images of the states in the sample.
//!
//! The effort is bounded by numbers of steps and of initial states, never by time, so that a report is the same each time. What is
//! not overridden is derived from `next` and `initial`, and need not be compared with them.

use std::cell::Cell;

use foldhash::HashSet;

use super::asking::Asking;
use super::heard::{Heard, RecheckFindings, Restated};
use crate::statement::asked::answer::StepAnswer;
use crate::statement::asked::disagreement::{Disagreement, StateWithSteps, misfiled};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::{break_off, named, until_enough};
use crate::statement::asked::overridden::Overridden;
use crate::statement::asked::visit::{some_initial, some_steps, visit_initial, visit_steps};
use crate::statement::erased::{ErasedAction, ErasedState, ErasedStep};
use crate::statement::refinement::Refinement;
use crate::view::consistency::sample::{is_well_compared, number, some_of};
use crate::view::consistency::{Inconsistency, asked_twice, difference, of_the};
use crate::walk::explore::Place;

/// The most steps of a state of the specification with which overridden methods are compared, of one of the first states and of a
/// later one; and the most initial states.
const MOST_STEPS: usize = 1 << 12;
const MOST_STEPS_LATER: usize = 1 << 8;
/// The most steps, or initial states, that are visited at a state in search of those that an overridden method has allowed.
const MOST_VISITED: usize = 1 << 16;
const MOST_VISITED_LATER: usize = 1 << 12;

const NEXT: &str = "`next` of the specification";
const INITIAL: &str = "`initial` of the specification";

/// Number of visits that are left at a state.
struct Budget {
    left: Cell<usize>,
    /// Whether it did not suffice.
    is_exceeded: Cell<bool>,
}

impl Budget {
    fn new(is_well_compared: bool) -> Self {
        Self {
            left: Cell::new(if is_well_compared {
                MOST_VISITED
            } else {
                MOST_VISITED_LATER
            }),
            is_exceeded: Cell::new(false),
        }
    }

    /// Whether `enumerate` visits what `is_it`, or `None` if there is too much to say so.
    fn visits<T>(
        &self,
        enumerate: impl FnOnce(&mut dyn FnMut(T)),
        is_it: impl Fn(&T) -> bool,
    ) -> Option<bool> {
        let (mut found, mut is_exceeded) = (false, false);
        until_enough(|| {
            enumerate(&mut |one| {
                found = is_it(&one);
                is_exceeded = !found && self.left.get() == 0;
                self.left.set(self.left.get().saturating_sub(1));
                if found || is_exceeded {
                    break_off();
                }
            });
        });
        if is_exceeded {
            self.is_exceeded.set(true);
        }
        (!is_exceeded).then_some(found)
    }
}

impl Asking<'_> {
    /// Compares the methods of the specification with each other, at the image of the state and the actions that its
    /// steps are said to simulate.
    pub(super) fn compare_specification(
        &self,
        again: &mut RecheckFindings,
        place: Place,
        heard: &Heard,
    ) -> Result<(), Inconsistency> {
        let Some(image) = &heard.image else {
            return Ok(());
        };
        let budget = Budget::new(is_well_compared(number(place, self.walks)));
        let compared = self.compare_at(again, &budget, place, image, heard);
        again.not_compared += u64::from(budget.is_exceeded.get());
        compared
    }

    fn compare_at(
        &self,
        again: &mut RecheckFindings,
        budget: &Budget,
        place: Place,
        image: &ErasedState,
        heard: &Heard,
    ) -> Result<(), Inconsistency> {
        let specification = self.refinement.specification();
        let number = number(place, self.walks);
        let most = if is_well_compared(number) {
            MOST_STEPS
        } else {
            MOST_STEPS_LATER
        };
        let steps = || some_steps(specification, image, most);
        let (offered, all) = named(NEXT, steps);
        for (action, _) in &offered {
            if let Some(found) = misfiled(specification, action) {
                return Err(of_the("specification", found));
            }
            let rule = specification.call_rule(action);
            again.enumerated[rule.0] = true;
            again.names_of_specification.note(rule, place, action);
            again.processes.insert(specification.call_process(action));
        }
        for (action, _) in some_of(&offered, number) {
            let mut others = offered.iter().map(|(other, _)| other);
            let differ = others.find_map(|other| {
                (other == action)
                    .then(|| difference(action, other))
                    .flatten()
            });
            if let Some(difference) = differ {
                let what = "actions of the specification";
                return Err(Inconsistency::Equal { what, difference });
            }
        }
        // The result of an action may be open here: it is offered twice only if it leads to one state twice.
        let twice = named(
            "`hash` or `eq` of a state or an action of the specification",
            || {
                let mut known = HashSet::default();
                offered.iter().find(|step| !known.insert(*step))
            },
        );
        if let Some((action, _)) = twice {
            let action = format!("{action:?}");
            return Err(of_the(
                "specification",
                Disagreement::OfferedTwice { action },
            ));
        }
        let known = offered.iter().map(|(action, _)| action);
        let named_by_steps = heard.answers.iter().flat_map(StepAnswer::actions);
        let overridden = known.chain(named_by_steps).next().map(|action| {
            let object = specification.0;
            let of = || {
                let derives = object.derives_candidates();
                Overridden::of(specification, object.type_name(), derives, image, action)
            };
            *self.overridden_of_specification.get_or_init(of)
        });
        let overridden = overridden.unwrap_or(Overridden::ALL);
        if !overridden.of_steps() {
            // What is derived is not compared; `next` is to be a function all the same.
            asked_twice(NEXT, || steps().0)?;
        }
        let answered: Vec<_> = heard.steps.iter().zip(&heard.answers).collect();
        let mut others = vec![image.clone()];
        let mut actions = Vec::new();
        for &((_, to), answer) in some_of(&answered, number) {
            let target = named("`map`", || self.refinement.map(to));
            if let Some(action) = answer.actions().first() {
                let target = answer.target(&target, 0);
                self.compare_action(action, target, &offered)?;
                actions.push(action);
                if !all && overridden.allows {
                    self.compare_step(again, budget, place, image, action, target);
                }
            } else if *image == target
                && let Some(difference) = difference(image, &target)
            {
                return Err(Inconsistency::Equal {
                    what: "states of the specification",
                    difference,
                });
            }
            let later = answer.with_source().iter().enumerate().skip(1);
            for (number, action) in later.filter(|_| overridden.allows) {
                let (from, to) = (answer.source(image, number), answer.target(&target, number));
                self.compare_step(again, budget, place, from, action, to);
            }
            if !others.contains(&target) {
                others.push(target);
            }
        }
        if all {
            let at = StateWithSteps {
                system: specification,
                from: image,
                offered: &offered,
                overridden,
            };
            let few = some_of(&offered, number).map(|(action, _)| action);
            let mut doubts = Vec::new();
            let actions = actions.into_iter().chain(few);
            let found = at.disagreement(actions, &others, &mut |rule, found| {
                doubts.push((Restated::Rule(rule), found));
            });
            for (word, found) in doubts {
                again.note(word, place, found);
            }
            if let Some(found) = found {
                return Err(of_the("specification", found));
            }
        }
        if overridden.is_initial {
            self.compare_initial(again, budget, place, image)?;
        }
        Ok(())
    }

    /// Compares `allows` with the steps of a state that has too many to be kept.
    fn compare_step(
        &self,
        again: &mut RecheckFindings,
        budget: &Budget,
        place: Place,
        image: &ErasedState,
        action: &ErasedAction,
        target: &ErasedState,
    ) {
        let specification = self.refinement.specification();
        let allows = || specification.call_allows(image, action, target);
        if !named("`allows` of the specification", allows) {
            return;
        }
        let next = |visit: &mut dyn FnMut(_)| {
            visit_steps(specification, image, &mut |other, to| {
                visit(other == *action && to == target);
            });
        };
        let is_it = |is_it: &bool| *is_it;
        if named(NEXT, || budget.visits(next, is_it)) == Some(false) {
            let found = Disagreement::overridden("allows", "next", action);
            let rule = specification.call_rule(action);
            again.note(Restated::Rule(rule), place, found);
        }
    }

    /// Compares what is said of an action that a step simulates.
    fn compare_action(
        &self,
        action: &ErasedAction,
        target: &ErasedState,
        offered: &[ErasedStep],
    ) -> Result<(), Inconsistency> {
        let specification = self.refinement.specification();
        if let Some(found) = misfiled(specification, action) {
            return Err(of_the("specification", found));
        }
        let (inputs, again) = named("`inputs` of the specification", || {
            let inputs = specification.call_inputs(action);
            let again = specification.call_inputs(&inputs);
            (inputs, again)
        });
        let is_fixed = again == inputs
            && specification.call_rule(&inputs) == specification.call_rule(action)
            && specification.call_process(&inputs) == specification.call_process(action);
        if !is_fixed {
            return Err(Inconsistency::Inputs {
                action: format!("{action:?}"),
                inputs: format!("{inputs:?}"),
            });
        }
        let mut offered = offered.iter();
        let equal = offered.find(|(other, to)| other == action && to == target);
        match equal.and_then(|(_, to)| difference(to, target)) {
            None => Ok(()),
            Some(difference) => Err(Inconsistency::Equal {
                what: "states of the specification",
                difference,
            }),
        }
    }

    /// Compares `is_initial` of the specification with `initial`.
    fn compare_initial(
        &self,
        again: &mut RecheckFindings,
        budget: &Budget,
        place: Place,
        image: &ErasedState,
    ) -> Result<(), Inconsistency> {
        let specification = self.refinement.specification();
        let initial = self.initial_of_specification.get_or_init(|| {
            let (initial, all) = named(INITIAL, || some_initial(specification, MOST_STEPS));
            all.then(|| initial.into_iter().collect())
        });
        let is_initial = || {
            named("`is_initial` of the specification", || {
                specification.call_is_initial(image)
            })
        };
        let found = || Disagreement::overridden("is_initial", "initial", image);
        let Some(initial) = initial else {
            // Of too many only those are looked for that initial states map to.
            if place.length > 0 || !is_well_compared(number(place, self.walks)) {
                return Ok(());
            }
            let enumerate = |visit: &mut dyn FnMut(_)| visit_initial(specification, visit);
            let visits = || budget.visits(enumerate, |state| state == image);
            return match named(INITIAL, visits) {
                Some(is) if is != is_initial() => Err(of_the("specification", found())),
                _ => Ok(()),
            };
        };
        if is_initial() == initial.contains(image) {
            return Ok(());
        }
        if initial.is_empty() {
            again.note(Restated::Initial, place, found());
            Ok(())
        } else {
            Err(of_the("specification", found()))
        }
    }
}
