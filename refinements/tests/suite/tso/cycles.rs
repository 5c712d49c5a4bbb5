//! Garbage is freed within two cycles.

use refmap::{Refinement, Symmetric, TransitionSystem, asymmetry};
use refmap_refinements::tso::CyclesRefinement;

use super::*;
use crate::decide;

fn checked(scope: Scope, cycles: u8) -> Report {
    let refinement = CyclesRefinement::new(scope, Variant::default(), cycles);
    let refinement = refinement.expect("the instance is one");
    let settings = Settings {
        obligations: Selection::only(["simulation", "invariant"]),
        symmetry: Symmetry::Full,
        ..Settings::default()
    };
    decide(&*refinement.checker(), &settings)
}

/// Garbage is gone at the second end of a cycle.
#[test]
fn garbage_is_freed_within_two_cycles() {
    let report = checked(coarse(1, 1, 1), 2);
    assert_eq!(report.verdict, Some(Verdict::Holds));
    assert_eq!((report.states, report.transitions), (3385, 13_305));
}

/// With a second mutator too; a quarter of a minute.
#[test]
#[ignore = "a quarter of a minute"]
fn slow_tso_garbage_of_two_mutators_is_freed_within_two_cycles() {
    let report = checked(coarse(2, 1, 1), 2);
    assert_eq!(report.verdict, Some(Verdict::Holds));
    assert_eq!((report.states, report.transitions), (132_639, 765_904));
}

/// The history variable is permuted with the references of the heap.
#[test]
fn the_history_is_permuted_with_the_references() {
    let refinement = CyclesRefinement::new(coarse(1, 2, 1), Variant::default(), 2);
    let refinement = refinement.expect("the instance is one");
    let mut states = Vec::new();
    refinement.implementation().initial(&mut |mut s| {
        s.state.mutators[0].roots = Default::default();
        s.history = [1, 0, 0, 0];
        states.push(s);
    });
    assert_eq!(asymmetry(&refinement, &states), None);
    let system = refinement.implementation();
    let exchanged = system
        .permutations()
        .into_iter()
        .map(|by| system.permute(&by, &states[0]));
    let histories: Vec<_> = exchanged.map(|s| s.history).collect();
    assert!(histories.contains(&[0, 1, 0, 0]), "{histories:?}");
}
