//! Enumerations of a model, shown to a callback of one type.
//!
//! `initial`, `next` and `offers` are generic in their callback, so that a search runs a model as one program with its own.
//! The price is that each callback compiles all rules of the model anew. The exhaustive search is worth it, and induction;
//! everything else asks here, random walks as well, and shares one compilation.
//!
//! A panic of the callback is not told of the function of the model that calls it.

use crate::statement::asked::model_call::{UNNAMED, first_visited, named};
use crate::statement::system::{ActionOf, StateOf, StepOf, TransitionSystem};

/// Visits every initial state.
#[inline(never)]
pub fn visit_initial<S: TransitionSystem + ?Sized>(system: &S, visit: &mut dyn FnMut(StateOf<S>)) {
    let mut visit = |state| named(UNNAMED, || visit(state));
    named("`initial`", || system.initial(&mut visit));
}

/// Visits every step from a state.
#[inline(never)]
pub fn visit_steps<S: TransitionSystem + ?Sized>(
    system: &S,
    from: &StateOf<S>,
    visit: &mut dyn FnMut(ActionOf<S>, &StateOf<S>),
) {
    let mut visit = |action, to: &_| named(UNNAMED, || visit(action, to));
    named("`next`", || system.next(from, &mut visit));
}

/// Visits every action that is tried in a state.
#[inline(never)]
pub fn visit_candidates<S: TransitionSystem + ?Sized>(
    system: &S,
    from: &StateOf<S>,
    visit: &mut dyn FnMut(ActionOf<S>),
) {
    let mut visit = |action| named(UNNAMED, || visit(action));
    named("`candidates`", || system.candidates(from, &mut visit));
}

/// Visits every action that is enabled in a state and would change it.
#[inline(never)]
pub fn visit_offers<S: TransitionSystem + ?Sized>(
    system: &S,
    from: &StateOf<S>,
    visit: &mut dyn FnMut(ActionOf<S>),
) {
    let mut visit = |action| named(UNNAMED, || visit(action));
    named("`offers`", || system.offers(from, &mut visit));
}

/// The first initial states, at most so many, and whether these are all.
pub fn some_initial<S: TransitionSystem>(system: &S, most: usize) -> (Vec<StateOf<S>>, bool) {
    first_visited(most, |visit| visit_initial(system, visit))
}

/// The first steps from a state, at most so many, and whether these are all.
pub fn some_steps<S: TransitionSystem>(
    system: &S,
    from: &StateOf<S>,
    most: usize,
) -> (Vec<StepOf<S>>, bool) {
    first_visited(most, |visit| {
        visit_steps(system, from, &mut |action, to| visit((action, to.clone())));
    })
}
