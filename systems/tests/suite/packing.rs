//! Packing round-trips: on every state of small instances, and on random type-correct states.

use std::collections::HashSet;

use proptest::prelude::*;
use refmap::state::{Limits, Misfit};
use refmap::{
    Choices, PackingError, State, StateOf, TransitionSystem, TypeCorrect, round_trip, steps,
    type_correct_states,
};
use refmap_systems::ben_ari::{Level1, Level2, Level3, Memory, MutatorOrder, Scope};

/// Tests every reachable state; returns their number.
fn reachable_states_come_back<S: TransitionSystem>(system: &S) -> usize {
    let mut found = HashSet::new();
    let mut left = Vec::new();
    system.initial(&mut |state| left.push(state));
    while let Some(state) = left.pop() {
        if found.insert(state.clone()) {
            assert_eq!(round_trip(system, &state), Ok(()), "{state:?}");
            left.extend(steps(system, &state).into_iter().map(|(_, to)| to));
        }
    }
    found.len()
}

fn scopes() -> Vec<Scope> {
    let orders = [MutatorOrder::RedirectFirst, MutatorOrder::ColourFirst];
    let sizes = [
        (1, 1, 1, 1),
        (2, 1, 1, 1),
        (2, 2, 1, 1),
        (3, 1, 2, 1),
        (2, 1, 1, 2),
    ];
    let of = |mutator, (nodes, sons, roots, mutators)| Scope {
        mutators,
        mutator,
        ..Scope::new(nodes, sons, roots)
    };
    orders
        .into_iter()
        .flat_map(|order| sizes.map(|size| of(order, size)))
        .collect()
}

#[test]
fn every_reachable_state_comes_back() {
    let mut states = 0;
    for scope in scopes() {
        states += reachable_states_come_back(&Level1::new(scope));
        states += reachable_states_come_back(&Level2::new(scope));
        states += reachable_states_come_back(&Level3::new(scope));
    }
    assert!(states > 50_000, "{states}");
}

/// Sizes of packed states of the benchmark's instances.
#[test]
fn states_take_few_bits() {
    let bits = |nodes, sons| {
        let level = Level3::new(Scope::new(nodes, sons, 1));
        StateOf::<Level3>::shape(&level, Limits::NONE).bits()
    };
    assert_eq!(
        [bits(3, 2), bits(5, 1), bits(4, 2)],
        [Some(36), Some(46), Some(46)]
    );
}

/// A variable out of its range is refused.
#[test]
fn a_state_that_does_not_fit_is_refused() {
    let level = Level3::new(Scope::new(3, 1, 1));
    let mut state = None;
    level.initial(&mut |initial| state = Some(initial));
    let mut state = state.expect("there is an initial state");
    assert_eq!(round_trip(&level, &state), Ok(()));
    state.h = 5;
    let refused = Err(PackingError::OutsideRange {
        field: "h".to_owned(),
        misfit: Misfit::Integer {
            value: 5,
            low: 0,
            high: 3,
        },
    });
    assert_eq!(round_trip(&level, &state), refused);
    state.h = 0;
    state.shared.m = Memory::null_array(Scope::new(3, 2, 1).shape);
    let refused = round_trip(&level, &state).expect_err("it is a memory of another instance");
    assert!(
        refused.to_string().starts_with("`shared.m.shape` is Shape"),
        "{refused}"
    );
}

fn type_correct_state_comes_back<S: TypeCorrect>(system: &S, number: u64) {
    let number = number % type_correct_states(system);
    let state = system.type_correct(&mut Choices::of(number));
    assert_eq!(round_trip(system, &state), Ok(()), "{state:?}");
}

proptest! {
    /// The largest memories that fit into 2⁶⁴ type-correct states, reachable or not.
    #[test]
    fn type_correct_states_come_back(number: u64, colour_first: bool, size in 0usize..5) {
        let (nodes, sons, roots) = [(3, 4, 1), (5, 1, 2), (8, 1, 3), (4, 2, 4), (2, 4, 1)][size];
        let scope = Scope {
            mutator: match colour_first {
                true => MutatorOrder::ColourFirst,
                false => MutatorOrder::RedirectFirst,
            },
            ..Scope::new(nodes, sons, roots)
        };
        type_correct_state_comes_back(&Level1::new(scope), number);
        type_correct_state_comes_back(&Level2::new(scope), number);
        type_correct_state_comes_back(&Level3::new(scope), number);
    }
}
