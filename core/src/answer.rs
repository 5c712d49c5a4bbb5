//! Claim of what a concrete step simulates: a stutter, an abstract step, or several.

use crate::action::Action;
use crate::erased::{ErasedAction, ErasedState, Plain, erased_steps};
use crate::model_call::named;
use crate::refinement::Refinement;
use crate::system::{ActionOf, StateOf, TransitionSystem};

const ALLOWS: &str = "`allows` of the specification";

/// The answer of a refinement to a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer<A, S> {
    /// The steps before the last, each with the state to which it leads.
    pub before: Vec<(A, S)>,
    /// The last one, which leads to the mapped target. Without it that is where the others end.
    pub last: Option<A>,
}

/// The answer of `R`.
pub(crate) type AnswerOf<R> =
    Answer<ActionOf<<R as Refinement>::Abstract>, StateOf<<R as Refinement>::Abstract>>;

/// Fault of an answer, at the abstract step of this place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsimulated {
    /// The specification does not take it.
    Step(usize),
    /// The state to which it leads shows neither what the one before shows nor what the target shows.
    Shown(usize),
}

impl<A: Action, S: Plain> Answer<A, S> {
    /// The same answer without its types.
    pub fn erased(&self) -> Answer<ErasedAction, ErasedState> {
        Answer {
            before: erased_steps(self.before.clone()),
            last: self.last.as_ref().map(ErasedAction::of),
        }
    }
}

impl<A, S> Answer<A, S> {
    /// The abstract actions, in their order.
    #[inline(always)]
    pub fn actions(&self) -> impl Iterator<Item = &A> {
        let before = self.before.iter().map(|(action, _)| action);
        before.chain(&self.last)
    }

    /// The state from which the step at a place is taken; `image` is the mapped source.
    pub fn source<'s>(&'s self, image: &'s S, place: usize) -> &'s S {
        match place.checked_sub(1) {
            Some(earlier) => &self.before[earlier].1,
            None => image,
        }
    }

    /// The action at a place.
    pub fn action(&self, place: usize) -> Option<&A> {
        self.actions().nth(place)
    }

    /// The state to which the step at a place leads; `target` is the mapped target.
    pub fn target<'s>(&'s self, target: &'s S, place: usize) -> &'s S {
        match self.before.get(place) {
            Some((_, state)) => state,
            None => target,
        }
    }
}

/// The answer of a refinement to a step.
#[inline(always)]
pub(crate) fn answer<R: Refinement>(
    refinement: &R,
    from: &StateOf<R::Concrete>,
    action: &ActionOf<R::Concrete>,
    to: &StateOf<R::Concrete>,
) -> AnswerOf<R> {
    Answer {
        before: named("`abstract_steps_before`", || {
            refinement.abstract_steps_before(from, action, to)
        }),
        last: named("`abstract_action`", || {
            refinement.abstract_action(from, action, to)
        }),
    }
}

/// The first thing that is wrong with an answer to a step from what maps to `image` to what maps to `target`.
#[inline(always)]
pub(crate) fn unsimulated<S: TransitionSystem>(
    specification: &S,
    answer: &Answer<ActionOf<S>, StateOf<S>>,
    (image, target): (&StateOf<S>, &StateOf<S>),
) -> Option<Unsimulated> {
    if !answer.before.is_empty()
        && let Some(wrong) = unsimulated_before(specification, answer, image, target)
    {
        return Some(wrong);
    }
    let place = answer.before.len();
    let from = answer.source(image, place);
    let simulated = match &answer.last {
        Some(action) => named(ALLOWS, || specification.allows(from, action, target)),
        None => named("`eq` of a state of the specification", || from == target),
    };
    (!simulated).then_some(Unsimulated::Step(place))
}

/// The first thing that is wrong with the steps before the last.
fn unsimulated_before<S: TransitionSystem>(
    specification: &S,
    answer: &Answer<ActionOf<S>, StateOf<S>>,
    image: &StateOf<S>,
    target: &StateOf<S>,
) -> Option<Unsimulated> {
    let observe = |state| {
        named("`observe` of the specification", || {
            specification.observe(state)
        })
    };
    let last = observe(target);
    let mut shown = observe(image);
    for (place, (action, state)) in answer.before.iter().enumerate() {
        let from = answer.source(image, place);
        if !named(ALLOWS, || specification.allows(from, action, state)) {
            return Some(Unsimulated::Step(place));
        }
        let shows = observe(state);
        if named("`eq` of an observation", || shows != shown && shows != last) {
            return Some(Unsimulated::Shown(place));
        }
        shown = shows;
    }
    None
}
