//! Garbage is freed within two cycles.

use refmap::internal::Quotient;
use refmap::{Refinement, TransitionSystem, asymmetry};
use refmap_refinements::tso::{CyclesRefinement, Survived};

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
        s.history = Survived([1, 0].into_iter().collect());
        states.push(s);
    });
    let found = asymmetry(&refinement, &states);
    assert_eq!(found.expect("there are names"), None);
    let system = refinement.implementation();
    let quotient = Quotient::of(system).expect("there are names");
    let exchanged = quotient.exchanged(&states[0]).into_iter();
    let histories: Vec<_> = exchanged.map(|s| s.history.0.to_vec()).collect();
    assert!(histories.contains(&vec![0, 1]), "{histories:?}");
}
