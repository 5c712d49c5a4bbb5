//! Whether a model is consistent with itself: its functions are functions of what they are given, and the
//! methods that it overrides agree with those from which they are derived.
//!
//! A search asks each question once, so a model that would answer otherwise the next time is believed. In a sample of
//! the states, spread over the whole run, everything is asked again and compared.

mod asking;
mod difference;
mod heard;
mod names;
mod specification;

use std::sync::atomic::Ordering;

pub(in crate::obligation) use self::asking::{Asking, AsksAgain};
use self::difference::difference_shown;
use self::difference::{asked_twice, is_reordered, of_the};
pub(in crate::obligation) use self::difference::{difference, same};
pub(in crate::obligation) use self::heard::{Again, Heard, Word};
use crate::answer::answer;
use crate::disagreement::{At, Disagreement};
use crate::erased::{ErasedState, ErasedStep};
use crate::explore::{Place, StateId};
use crate::functions::{Functions, RefinementFunctions};
use crate::model_call::{named, named_invariant, tolerated};
use crate::obligation::fault::{Fault, Inconsistency};
use crate::obligation::sample::{FEW, is_asked_again, number, some_of};
use crate::overridden::Overridden;
use crate::refinement::Refinement;
use crate::report::number::counted;
use crate::rule::RuleId;
use crate::system::steps;

const NEXT: &str = "`next` of the implementation";

/// A clone of a state.
fn cloned<S: Clone>(state: &S) -> S {
    named("`clone` of a state", || state.clone())
}

impl Asking<'_> {
    /// True if a state of a search is in the sample.
    pub(in crate::obligation) fn is_asked_again(&self, state: StateId) -> bool {
        !matches!(self.asks_again, AsksAgain::Never) && is_asked_again(state.0)
    }

    /// Prepares to hear what is said of a state, if it is in the sample.
    #[inline]
    pub(in crate::obligation) fn listen(&self, again: &mut Again, place: Place) {
        let asks = match &self.asks_again {
            AsksAgain::Never => false,
            AsksAgain::OnTheWay => true,
            AsksAgain::Afterwards(begun) => begun.load(Ordering::Relaxed),
        };
        let is_heard = asks && is_asked_again(number(place, self.walks));
        again.heard = is_heard.then(Box::default);
    }

    /// Asks again about a state with so many steps, and compares with what was heard.
    #[cold]
    pub(in crate::obligation) fn ask_again(
        &self,
        again: &mut Again,
        place: Place,
        state: &ErasedState,
        heard: &Heard,
        count: u32,
    ) -> Result<(), Fault> {
        again.states += 1;
        let implementation = self.refinement.implementation();
        same("`clone` of a state", state, &cloned(state))?;
        let next = named(NEXT, || steps(implementation, state));
        self.same_steps(state, heard, count, &next)?;
        self.same_answers(state, heard, &next)?;
        let number = number(place, self.walks);
        let overridden = next.first().map(|(action, _)| {
            let of = || Overridden::of(implementation, implementation.0.type_name(), state, action);
            *self.overridden_of_implementation.get_or_init(of)
        });
        let overridden = overridden.unwrap_or(Overridden::ALL);
        let at = At {
            system: implementation,
            from: state,
            offered: &next,
            overridden,
        };
        for (action, _) in &next {
            let rule = implementation.call_rule_of(action);
            again.names.note(rule, place, action);
        }
        let few = some_of(&next, number).map(|(action, _)| action);
        // What `next` does not visit is no step of a system that is explored.
        let mut beyond = None;
        let others = std::slice::from_ref(state);
        let found = at.disagreement(few, others, &mut |_, found| {
            beyond.get_or_insert(found);
        });
        let mut found = found.or(beyond);
        // A walk may come back to an initial state, and what stands for one need not be one.
        let is_known = !self.walks && self.symmetry.is_none();
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
        state: &ErasedState,
        heard: &Heard,
        count: u32,
        next: &[ErasedStep],
    ) -> Result<(), Fault> {
        let implementation = self.refinement.implementation();
        let once_more;
        let (count, mut first) = (count as usize, &heard.steps);
        if heard.steps.is_empty() {
            // Steps that were not looked at were not heard.
            once_more = named(NEXT, || steps(implementation, state));
            first = &once_more;
        }
        let show = |step: Option<&(_, _)>| match step {
            Some((action, to)) => format!("{action:?} to {to:?}"),
            None => "none".to_owned(),
        };
        if next.len() != count {
            return Err(Fault::Inconsistent(Inconsistency::NotAFunction {
                function: "`next` of the implementation".to_owned(),
                first: counted(count as u64, "step"),
                again: counted(next.len() as u64, "step"),
            }));
        }
        // What was heard are clones.
        for (action, to) in next {
            let clone = named("`clone` of an action", || action.clone());
            same("`clone` of an action", action, &clone)?;
            same("`clone` of a state", to, &cloned(to))?;
        }
        let mut positions = 0..next.len().max(first.len());
        if let Some(at) = positions.find(|&at| first.get(at) != next.get(at)) {
            return Err(Fault::Inconsistent(Inconsistency::NotAFunction {
                function: "`next` of the implementation".to_owned(),
                first: show(first.get(at)),
                again: show(next.get(at)),
            }));
        }
        for (position, (action, _)) in first.iter().enumerate() {
            let rule = || implementation.call_rule_of(action);
            asked_twice("`rule_of` of the implementation", rule)?;
            if let Some(first) = heard.rules.get(position) {
                same("`rule_of` of the implementation", &RuleId(*first), &rule())?;
            }
            let process = || implementation.call_process_of(action);
            asked_twice("`process_of` of the implementation", process)?;
        }
        Ok(())
    }

    /// Asks again what is computed of the state itself.
    fn same_answers(
        &self,
        state: &ErasedState,
        heard: &Heard,
        next: &[ErasedStep],
    ) -> Result<(), Inconsistency> {
        let implementation = self.refinement.implementation();
        let specification = self.refinement.specification();
        for (name, first, holds) in self.chosen_again(state, &heard.invariants) {
            let holds = named_invariant(name, holds);
            same(&format!("invariant `{name}`"), first, &holds)?;
        }
        for invariant in self.invariants {
            let name = format!("invariant `{}`", invariant.name());
            asked_twice(&name, || invariant.holds(state))?;
        }
        let observe = || implementation.call_observe(state);
        asked_twice("`observe` of the implementation", observe)?;
        if let Some(first) = &heard.shown {
            let again = observe();
            let again = named("`Debug` of an observation", || format!("{again:?}"));
            if !is_reordered(first, &again) {
                let function = "`observe` of the implementation".to_owned();
                return Err(Inconsistency::NotAFunction {
                    function,
                    first: first.clone(),
                    again,
                });
            }
        }
        asked_twice("`may_stop`", || implementation.call_may_stop(state))?;
        let Some(image) = &heard.image else {
            return Ok(());
        };
        same("`map`", image, &self.refinement.call_map(state))?;
        same(
            "`clone` of a state of the specification",
            image,
            &named("`clone` of a state of the specification", || image.clone()),
        )?;
        let observe = || specification.call_observe(image);
        asked_twice("`observe` of the specification", observe)?;
        let (shown, shown_of_image) = (implementation.call_observe(state), observe());
        if shown == shown_of_image
            && let Some(difference) = difference_shown(&shown, &shown_of_image)
        {
            let what = "observations";
            return Err(Inconsistency::Equal { what, difference });
        }
        for &process in self.environment {
            asked_twice("`at_rest`", || self.refinement.call_at_rest(state, process))?;
        }
        for ((action, to), first) in heard.steps.iter().zip(&heard.answers) {
            let again = answer(self.refinement, image, state, action, to);
            same("`abstract_steps`", &first.steps, &again.steps)?;
            same(
                "the states between abstract steps",
                &first.between,
                &again.between,
            )?;
        }
        if heard.answers.is_empty() {
            // On a walk one of the steps is taken, and later.
            for (action, to) in next.iter().take(FEW) {
                let answer = || answer(self.refinement, image, state, action, to);
                // One that panics does so again where the step is taken.
                tolerated(|| asked_twice("`abstract_steps`", answer)).unwrap_or(Ok(()))?;
            }
        }
        Ok(())
    }
}
