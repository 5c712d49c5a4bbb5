//! Claim of what a concrete step simulates: a stutter, an abstract step, or several.
//!
//! Source: Havelund & Shankar, section 6.1.2.

use crate::statement::abstract_steps::AbstractSteps;
use crate::statement::asked::functions::RefinementFunctions;
use crate::statement::asked::model_call::named;
use crate::statement::erased::{ErasedAction, ErasedState, Plain, erased_states};
use crate::statement::refinement::Refinement;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem, successor};

const ALLOWS: &str = "`allows` of the specification";
const EQ: &str = "`eq` of a state of the specification";

/// The answer of a refinement to a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StepAnswer<A, S> {
    /// The abstract steps.
    pub steps: AbstractSteps<A>,
    /// The states between, up to the first step that the specification does not take.
    pub between: Vec<S>,
}

/// The answer of `R`.
pub(crate) type AnswerOf<R> = StepAnswer<
    ActionOf<<R as Refinement>::Specification>,
    StateOf<<R as Refinement>::Specification>,
>;

/// Fault of an answer, at the abstract step of this place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsimulated {
    /// The specification does not take it.
    Step(usize),
    /// The state to which it leads shows neither what the one before shows nor what the target shows.
    Shown(usize),
}

impl<A: Plain, S: Plain> StepAnswer<A, S> {
    /// The same answer without its types.
    pub fn erased(&self) -> StepAnswer<ErasedAction, ErasedState> {
        StepAnswer {
            steps: self.steps.clone().map(ErasedAction::from),
            between: erased_states(&self.between),
        }
    }
}

impl<A, S> StepAnswer<A, S> {
    /// The abstract actions, in their order.
    #[inline(always)]
    pub fn actions(&self) -> &[A] {
        self.steps.actions()
    }

    /// The actions up to the first one that the specification does not take where the states between end: of these the
    /// sources are known.
    pub fn with_source(&self) -> &[A] {
        let actions = self.actions();
        &actions[..actions.len().min(self.between.len() + 1)]
    }

    /// The state from which the step at a place is taken; `image` is the mapped source.
    pub fn source<'s>(&'s self, image: &'s S, place: usize) -> &'s S {
        match place.checked_sub(1) {
            Some(earlier) => &self.between[earlier],
            None => image,
        }
    }

    /// The state to which the step at a place leads; `target` is the mapped target.
    pub fn target<'s>(&'s self, target: &'s S, place: usize) -> &'s S {
        self.between.get(place).unwrap_or(target)
    }
}

/// The answer of a refinement to a step from what maps to `image`.
#[inline(always)]
pub(crate) fn answer<R: Refinement>(
    refinement: &R,
    image: &StateOf<R::Specification>,
    from: &StateOf<R::Implementation>,
    action: &ActionOf<R::Implementation>,
    to: &StateOf<R::Implementation>,
) -> AnswerOf<R> {
    let steps = refinement.call_abstract_steps(from, action, to);
    let between = match &steps {
        AbstractSteps::Several(actions) => {
            states_between(refinement.specification(), image, actions)
        }
        AbstractSteps::Stutter | AbstractSteps::One(_) => Vec::new(),
    };
    StepAnswer { steps, between }
}

/// The states between the steps of `actions` from `image`, up to the first step that the specification does not take.
pub(crate) fn states_between<S: TransitionSystem>(
    specification: &S,
    image: &StateOf<S>,
    actions: &[ActionOf<S>],
) -> Vec<StateOf<S>> {
    let mut between: Vec<StateOf<S>> = Vec::new();
    let all_but_last = actions.len().saturating_sub(1);
    for action in &actions[..all_but_last] {
        let from = between.last().unwrap_or(image);
        let to = named("`fire` of the specification", || {
            successor(specification, from, action)
        });
        let Some(to) = to else {
            break;
        };
        between.push(to);
    }
    between
}

/// The first thing that is wrong with an answer to a step from what maps to `image` to what maps to `target`.
#[inline(always)]
pub(crate) fn unsimulated<S: TransitionSystem>(
    specification: &S,
    answer: &StepAnswer<ActionOf<S>, StateOf<S>>,
    image: &StateOf<S>,
    target: &StateOf<S>,
) -> Option<Unsimulated> {
    let simulated = match &answer.steps {
        AbstractSteps::Stutter => named(EQ, || image == target),
        AbstractSteps::One(action) => named(ALLOWS, || specification.allows(image, action, target)),
        AbstractSteps::Several(_) => {
            return unsimulated_of_several(specification, answer, image, target);
        }
    };
    (!simulated).then_some(Unsimulated::Step(0))
}

/// The first thing that is wrong with several steps, or with none that are said to be several.
#[inline(never)]
fn unsimulated_of_several<S: TransitionSystem>(
    specification: &S,
    answer: &StepAnswer<ActionOf<S>, StateOf<S>>,
    image: &StateOf<S>,
    target: &StateOf<S>,
) -> Option<Unsimulated> {
    let actions = answer.actions();
    if actions.is_empty() {
        let stutters = named(EQ, || image == target);
        return (!stutters).then_some(Unsimulated::Step(0));
    }
    let observe = |state| {
        named("`observe` of the specification", || {
            specification.observe(state)
        })
    };
    let shown_in_the_end = observe(target);
    let mut shown = observe(image);
    for (place, action) in actions.iter().enumerate() {
        let is_last = place + 1 == actions.len();
        // Without a successor the states between end early.
        if !is_last && place == answer.between.len() {
            return Some(Unsimulated::Step(place));
        }
        let (from, to) = (answer.source(image, place), answer.target(target, place));
        if !named(ALLOWS, || specification.allows(from, action, to)) {
            return Some(Unsimulated::Step(place));
        }
        if is_last {
            break;
        }
        let shows = observe(to);
        if named("`eq` of an observation", || {
            shows != shown && shows != shown_in_the_end
        }) {
            return Some(Unsimulated::Shown(place));
        }
        shown = shows;
    }
    None
}
