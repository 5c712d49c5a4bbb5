//! Counts of a system, for tests.

use std::collections::HashSet;

use refmap::{StateOf, TransitionSystem, steps};

/// TLC's counts: distinct states, states generated with the initial ones, depth in states.
pub type Counts = (usize, usize, usize);

/// The reachable states of a system and its counts, by a search so plain that it is obviously right.
pub fn search<S: TransitionSystem>(system: &S) -> (HashSet<StateOf<S>>, Counts) {
    let mut wave = Vec::new();
    system.initial(&mut |state| wave.push(state));
    let mut generated = wave.len();
    let mut seen: HashSet<StateOf<S>> = wave.iter().cloned().collect();
    let mut depth = 0;
    while !wave.is_empty() {
        depth += 1;
        let mut next = Vec::new();
        for state in wave {
            for (_, to) in steps(system, &state) {
                generated += 1;
                if seen.insert(to.clone()) {
                    next.push(to);
                }
            }
        }
        wave = next;
    }
    let counts = (seen.len(), generated, depth);
    (seen, counts)
}

/// The counts of a system.
pub fn counts<S: TransitionSystem>(system: &S) -> Counts {
    search(system).1
}
