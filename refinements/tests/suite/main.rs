//! The tests of the refinements: what holds, and what is violated for which reason.

mod any_number;
mod auxiliary;
mod ben_ari;
mod ben_ari_several;
mod copying;
mod induction;
mod mutants;
mod native;
mod packing;
mod properties;
mod published;
mod symmetry;
mod tso;
mod yrc;
mod yrc_second_formulation;

use std::collections::HashSet;

use refmap::{StateOf, TransitionSystem, steps};

/// Every reachable state, by naive search.
fn reachable<S: TransitionSystem>(system: &S) -> HashSet<StateOf<S>> {
    let mut found = HashSet::new();
    let mut left = Vec::new();
    system.initial(&mut |state| left.push(state));
    while let Some(state) = left.pop() {
        if found.insert(state.clone()) {
            left.extend(steps(system, &state).into_iter().map(|(_, to)| to));
        }
    }
    found
}
