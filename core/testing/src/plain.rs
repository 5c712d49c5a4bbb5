//! Search so plain that it is obviously right, with which other ones are compared.

use std::collections::HashSet;

use refmap::{StateOf, TransitionSystem, steps};

/// TLC's counts: distinct states, states generated with the initial ones, depth in states.
pub type Counts = (u64, u64, u32);

/// The reachable states of a system, in the order of their depth, and its counts.
pub fn search<S: TransitionSystem>(system: &S) -> (Vec<StateOf<S>>, Counts) {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut wave = Vec::new();
    system.initial(&mut |state| wave.push(state));
    let (mut generated, mut depth) = (wave.len(), 0);
    loop {
        wave.retain(|state| seen.insert(state.clone()));
        if wave.is_empty() {
            let counts = (found.len() as u64, generated as u64, depth);
            return (found, counts);
        }
        depth += 1;
        let mut next = Vec::new();
        for state in wave {
            next.extend(steps(system, &state).into_iter().map(|(_, to)| to));
            found.push(state);
        }
        generated += next.len();
        wave = next;
    }
}

/// The reachable states of a system.
pub fn reachable<S: TransitionSystem>(system: &S) -> Vec<StateOf<S>> {
    search(system).0
}
