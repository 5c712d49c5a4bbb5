//! Enumerations of a model, shown to a callback of one type.
//!
//! `initial`, `next` and `candidates` are generic in their callback, so that a search runs a model as one program with its own.
//! The price is that each callback compiles all rules of the model anew. The exhaustive search is worth it, and induction;
//! everything else asks here, random walks as well, and shares one compilation.
//!
//! A panic of the callback is not told of the function of the model that calls it.

use crate::state::State;
use crate::statement::asked::derived::{Derived, is_overridden};
use crate::statement::asked::model_call::{UNNAMED, first_visited, named};
// Methods of a system that are derived ask the others as everything else does: the trait and these functions are one concept.
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
///
/// PERF: those of the candidates that fire, where a system has candidates: `next` visits each result of an action that leaves it open.
#[inline(never)]
pub fn visit_offers<S: TransitionSystem + ?Sized>(
    system: &S,
    from: &StateOf<S>,
    visit: &mut dyn FnMut(ActionOf<S>),
) {
    let mut to = from.clone();
    let has_candidates = is_overridden(None, Derived::Candidates, "`candidates`", || {
        visit_candidates(system, from, &mut |action| {
            let fired = named("`fire`", || system.fire(&action, &mut to));
            if fired.is_some() && to != *from {
                visit(action);
            }
            to.assign(from);
        });
    });
    if !has_candidates {
        visit_steps(system, from, &mut |action, to| {
            if *to != *from {
                visit(action);
            }
        });
    }
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
