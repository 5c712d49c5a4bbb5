//! Naive breadth-first search, the oracle of tests.

use std::collections::HashSet;

use super::state::State;

/// Reachable states from `initial`, up to the first that `is_wanted`, and whether there is one.
pub(super) fn reached(
    initial: Vec<State>,
    steps: impl Fn(&State, &mut dyn FnMut(State)),
    is_wanted: impl Fn(&State) -> bool,
) -> (Vec<State>, bool) {
    let mut seen: HashSet<State> = initial.iter().copied().collect();
    let mut all = initial;
    let mut next = 0;
    while next < all.len() {
        let from = all[next];
        if is_wanted(&from) {
            return (all, true);
        }
        steps(&from, &mut |to| {
            if seen.insert(to) {
                all.push(to);
            }
        });
        next += 1;
    }
    (all, false)
}
