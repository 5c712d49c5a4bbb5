//! The module `yrc_proof` as stated, and its specification.

use crate::support::agrees;
use refmap::{TransitionSystem, steps};
use refmap_systems::heap::{self, CollectOnlyGarbage, Objects, Sources};
use refmap_systems::yrc::module::{Action, Module};
use refmap_testing::reachable;

fn module(objects: u8, threads: u8, threshold: u8) -> Module {
    Module {
        objects,
        threads,
        queue: 2,
        threshold,
    }
}

#[test]
fn the_module_agrees_with_itself() {
    for threshold in [0, 1] {
        agrees(&module(2, 2, threshold));
    }
}

/// Any set of roots for each thread, and the lock free or held: 4 · 2, 16 · 3 and 64 · 3.
#[test]
fn the_reachable_states_are_sets_of_roots_and_holders_of_the_lock() {
    for (objects, threads, states) in [(2, 1, 8), (2, 2, 48), (3, 2, 192)] {
        assert_eq!(reachable(&module(objects, threads, 1)).len(), states);
    }
}

/// `MutatorWrite` conjoins a change with its negation, so it is enabled only where it changes nothing.
#[test]
fn a_write_is_possible_only_where_it_changes_nothing() {
    let module = module(2, 1, 1);
    let mut writes = 0;
    for state in reachable(&module) {
        for (action, to) in steps(&module, &state) {
            if let Action::MutatorWrite { old, new, .. } = action {
                assert_eq!((old, new), (None, None));
                assert_eq!(to, state);
                writes += 1;
            }
        }
    }
    assert_eq!(writes, 8 * 2);
}

/// With a threshold of 0 a collection starts, and finds no candidate.
#[test]
fn with_no_threshold_a_collection_starts_and_never_ends() {
    let states = reachable(&module(2, 1, 0));
    assert!(states.iter().any(|state| state.collecting));
    assert!(states.iter().all(|state| state.merged_roots.is_empty()));
}

fn specification(sources: Sources) -> CollectOnlyGarbage {
    CollectOnlyGarbage {
        objects: 2,
        fields: 1,
        threads: 2,
        sources,
    }
}

#[test]
fn the_specification_agrees_with_itself() {
    agrees(&specification(Sources::Operations));
    agrees(&specification(Sources::Anywhere));
}

/// The safety property: no step frees an object that a thread can reach, and every other object may be freed.
#[test]
fn just_garbage_is_freed() {
    let specification = specification(Sources::Operations);
    let mut freed = 0;
    for state in reachable(&specification) {
        let garbage = state.allocated.without(state.reachable());
        let frees =
            steps(&specification, &state)
                .into_iter()
                .filter_map(|(action, _)| match action {
                    heap::Action::Free { objects } => Some(objects),
                    _ => None,
                });
        let all = frees.fold(Objects::default(), |all, objects| {
            assert!(objects.without(garbage).is_empty());
            freed += 1;
            Objects(all.0 | objects.0)
        });
        assert_eq!(all, garbage);
    }
    assert!(freed > 0);
}

/// Only the allocation of an unreachable object is observable.
#[test]
fn the_fields_of_unreachable_objects_are_hidden() {
    for sources in [Sources::Operations, Sources::Anywhere] {
        let specification = specification(sources);
        for state in reachable(&specification) {
            assert_eq!(state, state.hiding_the_unreachable());
            assert_eq!(specification.observe(&state), state);
        }
    }
}
