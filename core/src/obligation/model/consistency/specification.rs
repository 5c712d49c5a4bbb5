//! Whether the methods of the specification agree with each other, at the images of the states in the sample.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::asking::Asking;
use super::difference::{difference, misnamed, of_the};
use super::heard::{Again, Heard, Word};
use crate::disagreement::{At, Disagreement, misfiled};
use crate::explore::Place;
use crate::model_call::{break_off, until_enough};
use crate::obligation::fault::{Inconsistency, ModelCall};
use crate::obligation::sample::{is_well_compared, number, some_of};
use crate::refinement::Refinement;
use crate::system::{ActionOf, StateOf, StepOf, TransitionSystem};
use crate::visit::{some_initial, some_steps, visit_initial, visit_steps};

/// The most steps of a state of the specification, and the most initial states, with which overridden methods are
/// compared.
const MOST_STEPS: usize = 1 << 12;
/// How long the steps of the specification may take that are compared with its other methods, and the same as a part
/// of the whole run.
const PATIENCE: Duration = Duration::from_millis(200);
const PART_OF_RUN: u32 = 50;

impl<R: Refinement> Asking<'_, R> {
    /// Compares the methods of the specification with each other, at the image of the state and the actions that its
    /// steps are said to simulate.
    pub(super) fn compare_specification(
        &self,
        (again, call): (&mut Again<R>, &mut ModelCall),
        place: Place,
        heard: &Heard<R>,
    ) -> Result<(), Inconsistency> {
        let Some(image) = &heard.image else {
            return Ok(());
        };
        let spent = Duration::from_nanos(self.spent.load(Ordering::Relaxed));
        if spent > PATIENCE && spent > self.started.elapsed() / PART_OF_RUN {
            again.not_compared += 1;
            return Ok(());
        }
        let started = Instant::now();
        let before = again.not_compared;
        let compared = self.compare_at((&mut *again, &mut *call), place, image, heard);
        // Where several things take too long, it is one state.
        again.not_compared = again.not_compared.min(before + 1);
        let nanos = started.elapsed().as_nanos() as u64;
        self.spent.fetch_add(nanos, Ordering::Relaxed);
        compared
    }

    /// Whether `enumerate` visits what `is_it`, or `None` if it takes too long to say so.
    fn visits<T>(
        &self,
        enumerate: impl FnOnce(&mut dyn FnMut(T)),
        is_it: impl Fn(&T) -> bool,
    ) -> Option<bool> {
        let started = Instant::now();
        let (mut found, mut count, mut in_time) = (false, 0usize, true);
        until_enough(|| {
            enumerate(&mut |one| {
                found = is_it(&one);
                count += 1;
                in_time = !count.is_multiple_of(MOST_STEPS) || started.elapsed() < PATIENCE;
                if found || !in_time {
                    break_off();
                }
            });
        });
        (found || in_time).then_some(found)
    }

    fn compare_at(
        &self,
        (again, call): (&mut Again<R>, &mut ModelCall),
        place: Place,
        image: &StateOf<R::Abstract>,
        heard: &Heard<R>,
    ) -> Result<(), Inconsistency> {
        let specification = self.refinement.specification();
        *call = ModelCall::Again("`next` of the specification");
        let (offered, all) = some_steps(specification, image, MOST_STEPS);
        *call = ModelCall::Again("`rule_of` or `process_of` of the specification");
        for (action, _) in &offered {
            if let Some(found) = misfiled(specification, action) {
                return Err(of_the("specification", found));
            }
            again.enumerated[specification.rule_of(action).0] = true;
            again.processes.insert(specification.process_of(action));
        }
        let number = number(place, self.walks);
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
        if is_well_compared(number) {
            let found = offered
                .iter()
                .filter_map(|(action, _)| misnamed(specification, action));
            again.misnamed.extend(found);
        }
        let answered: Vec<_> = heard.steps.iter().zip(&heard.answers).collect();
        let mut others = vec![image.clone()];
        let mut actions = Vec::new();
        for &((_, to), answer) in some_of(&answered, number) {
            *call = ModelCall::Map;
            let target = self.refinement.map(to);
            if let Some(action) = answer.action(0) {
                let target = answer.target(&target, 0);
                self.compare_action(call, action, target, &offered)?;
                actions.push(action);
                if !all {
                    self.compare_step((&mut *again, &mut *call), place, image, action, target);
                }
            } else if *image == target
                && let Some(difference) = difference(image, &target)
            {
                return Err(Inconsistency::Equal {
                    what: "states of the specification",
                    difference,
                });
            }
            for (number, action) in answer.actions().enumerate().skip(1) {
                let (from, to) = (answer.source(image, number), answer.target(&target, number));
                self.compare_step((&mut *again, &mut *call), place, from, action, to);
            }
            if !others.contains(&target) {
                others.push(target);
            }
        }
        if all {
            *call = ModelCall::Again("an overridden method of the specification");
            let at = At {
                system: specification,
                from: image,
                offered: &offered,
            };
            let few = some_of(&offered, number).map(|(action, _)| action);
            let mut doubts = Vec::new();
            let found = at.disagreement(
                actions.into_iter().chain(few),
                &others,
                &mut |rule, found| {
                    doubts.push((Word::Rule(rule), found));
                },
            );
            for (word, found) in doubts {
                again.note(word, place, found);
            }
            if let Some(found) = found {
                return Err(of_the("specification", found));
            }
        }
        self.compare_initial((&mut *again, &mut *call), place, image)
    }

    /// Compares `allows` with the steps of a state that has too many to be kept.
    fn compare_step(
        &self,
        (again, call): (&mut Again<R>, &mut ModelCall),
        place: Place,
        image: &StateOf<R::Abstract>,
        action: &ActionOf<R::Abstract>,
        target: &StateOf<R::Abstract>,
    ) {
        let specification = self.refinement.specification();
        *call = ModelCall::Allows;
        if !specification.allows(image, action, target) {
            return;
        }
        *call = ModelCall::Again("`next` of the specification");
        let next = |visit: &mut dyn FnMut(_)| {
            visit_steps(specification, image, &mut |action, to| visit((action, to)));
        };
        let is_it = |(other, to): &StepOf<R::Abstract>| other == action && to == target;
        match self.visits(next, is_it) {
            Some(true) => (),
            None => again.not_compared += 1,
            Some(false) => {
                let found = Disagreement::overridden("allows", "next", action);
                let rule = specification.rule_of(action);
                again.note(Word::Rule(rule), place, found);
            }
        }
    }

    /// Compares what is said of an action that a step simulates.
    fn compare_action(
        &self,
        call: &mut ModelCall,
        action: &ActionOf<R::Abstract>,
        target: &StateOf<R::Abstract>,
        offered: &[StepOf<R::Abstract>],
    ) -> Result<(), Inconsistency> {
        let specification = self.refinement.specification();
        *call = ModelCall::Again("`inputs` of the specification");
        if let Some(found) = misfiled(specification, action) {
            return Err(of_the("specification", found));
        }
        let inputs = specification.inputs(action);
        let is_fixed = specification.inputs(&inputs) == inputs
            && specification.rule_of(&inputs) == specification.rule_of(action)
            && specification.process_of(&inputs) == specification.process_of(action);
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
        (again, call): (&mut Again<R>, &mut ModelCall),
        place: Place,
        image: &StateOf<R::Abstract>,
    ) -> Result<(), Inconsistency> {
        let specification = self.refinement.specification();
        *call = ModelCall::Again("`initial` of the specification");
        let initial = self.initial_of_specification.get_or_init(|| {
            let (initial, all) = some_initial(specification, MOST_STEPS);
            all.then(|| initial.into_iter().collect())
        });
        let found = || Disagreement::overridden("is_initial", "initial", image);
        let Some(initial) = initial else {
            // Of too many only those are looked for that initial states map to.
            if place.length > 0 || !is_well_compared(number(place, self.walks)) {
                return Ok(());
            }
            let enumerate = |visit: &mut dyn FnMut(_)| visit_initial(specification, visit);
            return match self.visits(enumerate, |state| state == image) {
                Some(is) if is == specification.is_initial(image) => Ok(()),
                Some(_) => Err(of_the("specification", found())),
                None => {
                    again.not_compared += 1;
                    Ok(())
                }
            };
        };
        *call = ModelCall::IsInitial;
        if specification.is_initial(image) == initial.contains(image) {
            return Ok(());
        }
        match initial.is_empty() {
            true => {
                again.note(Word::Initial, place, found());
                Ok(())
            }
            false => Err(of_the("specification", found())),
        }
    }
}
