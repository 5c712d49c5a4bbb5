//! Whether a model is consistent with itself, beside what is asked again of each system by itself: its mapping, its invariants, and its
//! specification at the images of the states.

mod asking;
mod heard;
mod names;
mod specification;

use std::sync::atomic::Ordering;

pub(in crate::obligation) use self::asking::{Asking, AsksAgain};
pub(in crate::obligation) use self::heard::{Heard, RecheckFindings, Restated};
use crate::obligation::fault::ModelFault;
use crate::statement::asked::answer::answer;
use crate::statement::asked::disagreement::Disagreement;
use crate::statement::asked::functions::{Functions, RefinementFunctions};
use crate::statement::asked::model_call::{named, named_invariant, tolerated};
use crate::statement::erased::{ErasedState, ErasedStep};
use crate::statement::refinement::Refinement;
use crate::view::consistency::sample::{FEW, is_asked_again, number};
use crate::view::consistency::{Inconsistency, asked_twice, difference_shown, of_the, same};
use crate::walk::explore::Place;

impl Asking<'_> {
    /// True if a state of a search is in the sample.
    pub(in crate::obligation) fn is_asked_again(&self, place: Place) -> bool {
        let is_in_sample = || is_asked_again(number(place, self.walks));
        !matches!(self.asks_again, AsksAgain::Never) && is_in_sample()
    }

    /// Prepares to hear what is said of a state, if it is in the sample.
    #[inline]
    pub(in crate::obligation) fn listen(&self, again: &mut RecheckFindings, place: Place) {
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
        again: &mut RecheckFindings,
        place: Place,
        state: &ErasedState,
        heard: &Heard,
        count: u32,
    ) -> Result<(), ModelFault> {
        again.states += 1;
        let implementation = self.refinement.implementation();
        let (count, known) = (count as usize, &heard.steps);
        let asked = &self.implementation;
        let next = asked.steps(state, count, known, &heard.rules)?;
        self.same_answers(state, heard, &next)?;
        for (action, _) in &next {
            let rule = implementation.call_rule(action);
            again.names.note(rule, place, action);
        }
        let overridden = asked.overridden(state, &next);
        // What `next` does not visit is no step of a system that is explored.
        let mut beyond = None;
        let number = number(place, self.walks);
        let found = asked.disagreement(state, &next, number, &mut |found| {
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
        let shown = self
            .implementation
            .observation(state, heard.shown.as_deref())?;
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
        let shown_of_image = observe();
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
