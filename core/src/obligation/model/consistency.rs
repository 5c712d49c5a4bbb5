//! Whether a model is consistent with itself: its functions are functions of what they are given, and the
//! methods that it overrides agree with those from which they are derived.
//!
//! A search asks each question once, so a model that would answer otherwise the next time is believed. In a sample of
//! the states, spread over the whole run, everything is asked again and compared. The sample is counted, and never timed, so
//! that reports are the same each time, and it is as small as lets asking again take a tenth of the instructions of a search.

mod asking;
mod difference;
mod heard;
mod names;
mod specification;

use std::fmt::Debug;

pub(in crate::obligation) use self::asking::{Asking, Rechecks};
use self::difference::{asked_twice, difference_of_texts, is_reordered, of_the};
pub(in crate::obligation) use self::difference::{difference, same, text_of};
pub(in crate::obligation) use self::heard::{Again, Heard, Word};
use crate::answer::answer;
use crate::disagreement::{At, Disagreement};
use crate::explore::Place;
use crate::functions::{Functions, RefinementFunctions};
use crate::model_call::{named, tolerated};
use crate::obligation::fault::{Fault, Inconsistency};
use crate::obligation::sample::{FEW, is_asked_again, number, some_of};
use crate::overridden::Overridden;
use crate::refinement::Refinement;
use crate::report::number::counted;
use crate::rule::RuleId;
use crate::system::{StateOf, StepOf, steps};

const NEXT: &str = "`next` of the implementation";

const CLONE_OF_ACTION: &str = "`clone` of an action";
const CLONE_OF_STATE: &str = "`clone` of a state";
const CLONE_OF_IMAGE: &str = "`clone` of a state of the specification";
const OBSERVE: &str = "`observe` of the implementation";

/// Compares a value with a clone of it.
fn same_clone<T: Clone + PartialEq + Debug>(clone: &str, value: &T) -> Result<(), Inconsistency> {
    same(clone, value, &named(clone, || value.clone()))
}

impl<R: Refinement> Asking<'_, R> {
    /// Prepares to hear what is said of a state, if it is in the sample.
    #[inline]
    pub(in crate::obligation) fn listen(&self, again: &mut Again<R>, place: Place) {
        let is_heard = match self.rechecks {
            Rechecks::Nowhere => false,
            Rechecks::InSample => is_asked_again(number(place, self.steps_of_walk)),
            Rechecks::Everywhere => true,
        };
        again.heard = is_heard.then(Box::default);
    }

    /// Asks again about a state with so many steps, and compares with what was heard.
    #[cold]
    pub(in crate::obligation) fn ask_again(
        &self,
        again: &mut Again<R>,
        place: Place,
        state: &StateOf<R::Concrete>,
        heard: &Heard<R>,
        count: u32,
    ) -> Result<(), Fault> {
        again.states += 1;
        let implementation = self.refinement.implementation();
        same_clone(CLONE_OF_STATE, state)?;
        let next = named(NEXT, || steps(implementation, state));
        self.same_steps(state, heard, count, &next)?;
        self.same_answers(state, heard, &next)?;
        for (action, _) in &next {
            let rule = implementation.call_rule_of(action);
            again.names.note(rule, place, action);
        }
        let overridden = next.first().map(|(action, _)| {
            let of = || Overridden::of(implementation, state, action);
            *self.overridden_of_implementation.get_or_init(of)
        });
        let overridden = overridden.unwrap_or(Overridden::ALL);
        let at = At {
            system: implementation,
            from: state,
            offered: &next,
            overridden,
        };
        let few = some_of(&next, number(place, self.steps_of_walk)).map(|(action, _)| action);
        // What `next` does not visit is no step of a system that is explored.
        let mut beyond = None;
        let others = std::slice::from_ref(state);
        let found = at.disagreement(few, others, &mut |_, found| {
            beyond.get_or_insert(found);
        });
        let mut found = found.or(beyond);
        // A walk may come back to an initial state, and what stands for one need not be one.
        let is_known = self.steps_of_walk.is_none() && self.symmetry.is_none();
        // What is derived enumerates the initial states, which are the same for the first of them and for the next.
        let is_telling = overridden.is_initial || place.state.0 == 0;
        let is_initial = || implementation.call_is_initial(state);
        if is_known
            && is_telling
            && named("`is_initial` of the implementation", is_initial) != (place.length == 0)
        {
            found.get_or_insert(Disagreement::overridden("is_initial", "initial", state));
        }
        if let Some(found) = found {
            return Err(of_the("implementation", found).into());
        }
        self.compare_specification(again, place, heard)?;
        if self.fingerprints {
            again.compare_fingerprint(place, state);
            for (position, (_, to)) in (0..).zip(&next) {
                again.compare_fingerprint(place.of_step(position), to);
            }
        }
        Ok(())
    }

    fn same_steps(
        &self,
        state: &StateOf<R::Concrete>,
        heard: &Heard<R>,
        count: u32,
        next: &[StepOf<R::Concrete>],
    ) -> Result<(), Fault> {
        let implementation = self.refinement.implementation();
        let once_more;
        let (count, mut first) = (count as usize, &heard.steps);
        if heard.steps.is_empty() {
            // Steps that were cached, or not looked at, were not heard.
            once_more = named(NEXT, || steps(implementation, state));
            first = &once_more;
        }
        let show = |step: Option<&(_, _)>| match step {
            Some((action, to)) => format!("{action:?} to {to:?}"),
            None => "none".to_owned(),
        };
        if next.len() != count {
            return Err(Fault::Inconsistent(Inconsistency::NotAFunction {
                function: NEXT.to_owned(),
                first: counted(count as u64, "step"),
                again: counted(next.len() as u64, "step"),
            }));
        }
        let before = next.len() - first.len().min(next.len());
        let mut positions = 0..first.len();
        let differs = |at: &usize| named("`eq`", || first.get(*at) != next.get(before + at));
        if let Some(at) = positions.find(differs) {
            // What was heard are clones.
            if let Some((action, to)) = next.get(before + at) {
                same_clone(CLONE_OF_ACTION, action)?;
                same_clone(CLONE_OF_STATE, to)?;
            }
            return Err(Fault::Inconsistent(Inconsistency::NotAFunction {
                function: NEXT.to_owned(),
                first: show(first.get(at)),
                again: show(next.get(before + at)),
            }));
        }
        for (position, (action, _)) in first.iter().enumerate() {
            let rule = || implementation.call_rule_of(action);
            let known = heard.rules.get(position);
            let known = known.map_or_else(rule, |known| RuleId(*known));
            same("`rule_of` of the implementation", &known, &rule())?;
            let process = || implementation.call_process_of(action);
            asked_twice("`process_of` of the implementation", process)?;
        }
        Ok(())
    }

    /// Asks again what is computed of the state itself.
    fn same_answers(
        &self,
        state: &StateOf<R::Concrete>,
        heard: &Heard<R>,
        next: &[StepOf<R::Concrete>],
    ) -> Result<(), Inconsistency> {
        let implementation = self.refinement.implementation();
        let specification = self.refinement.specification();
        for (invariant, first) in self.with_heard(&heard.invariants) {
            let first = first.unwrap_or_else(|| invariant.holds(state));
            let again = invariant.holds(state);
            if first != again {
                let name = format!("invariant `{}`", invariant.name());
                return same(&name, &first, &again);
            }
        }
        let observe = || implementation.call_observe(state);
        let shown = observe();
        let text = text_of(&shown);
        match &heard.shown {
            Some(first) if !is_reordered(first, &text) => {
                return Err(Inconsistency::NotAFunction {
                    function: OBSERVE.to_owned(),
                    first: first.clone(),
                    again: text,
                });
            }
            Some(_) => (),
            None => same(OBSERVE, &shown, &observe())?,
        }
        asked_twice("`may_stop`", || implementation.call_may_stop(state))?;
        let Some(image) = &heard.image else {
            return Ok(());
        };
        let mapped = self.refinement.call_map(state);
        if named("`eq` of a state of the specification", || *image != mapped) {
            // What was heard is a clone.
            same_clone(CLONE_OF_IMAGE, &mapped)?;
            return same("`map`", image, &mapped);
        }
        let observe = || specification.call_observe(image);
        let shown_of_image = observe();
        same(
            "`observe` of the specification",
            &shown_of_image,
            &observe(),
        )?;
        if named("`eq` of an observation", || shown == shown_of_image)
            && let Some(difference) = difference_of_texts(&text, &text_of(&shown_of_image))
        {
            let what = "observations";
            return Err(Inconsistency::Equal { what, difference });
        }
        for &process in self.environment {
            asked_twice("`at_rest`", || self.refinement.call_at_rest(state, process))?;
        }
        for ((action, to), first) in heard.steps.iter().zip(&heard.answers) {
            let again = answer(self.refinement, state, action, to);
            same("`abstract_action`", &first.last, &again.last)?;
            same("`abstract_steps_before`", &first.before, &again.before)?;
        }
        if heard.answers.is_empty() {
            // On a walk one of the steps is taken, and later.
            for (action, to) in next.iter().take(FEW) {
                let answer = || answer(self.refinement, state, action, to);
                // One that panics does so again where the step is taken.
                tolerated(|| asked_twice("`abstract_action`", answer)).unwrap_or(Ok(()))?;
            }
        }
        Ok(())
    }
}
