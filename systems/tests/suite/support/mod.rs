//! Shared functions of tests of models.

use refmap::{Action as _, ActionOf, TransitionSystem, disagreement, steps};
use refmap_testing::reachable;

/// States of a system on which its overridden methods are compared.
const MOST_STATES: usize = 150;

/// Asserts that the overridden methods are consistent with `fire`, the candidates and `initial`, and that every action has
/// the rule of its name: on states that are spread over all.
pub fn agrees<S: TransitionSystem>(system: &S) {
    agrees_on(system, MOST_STATES);
}

/// The same on so many states.
pub fn agrees_on<S: TransitionSystem>(system: &S, most: usize) {
    let states = reachable(system);
    let sample: Vec<_> = states
        .iter()
        .step_by(states.len() / 7 + 1)
        .cloned()
        .collect();
    for state in states.iter().step_by(states.len() / most + 1) {
        assert_eq!(disagreement(system, state, &sample), None, "in {state:?}");
        for (action, _) in steps(system, state) {
            let rule = &ActionOf::<S>::rules(system)[action.rule(system).0];
            let shown = format!("{action:?}").to_lowercase().replace('_', "");
            let name = rule.name.replace('_', "");
            assert!(shown.contains(&name), "{action:?} is labelled {name}");
        }
    }
}
