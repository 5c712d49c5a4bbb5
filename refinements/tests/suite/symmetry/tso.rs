//! The x86-TSO collector: mutators, references and the senses of marks are interchangeable.

use std::collections::HashSet;

use refmap::obligation::{Selection, Symmetry};
use refmap::{Refinement, Report, Settings, TransitionSystem, asymmetry};
use refmap_refinements::tso::AT_REDUCED;
use refmap_systems::tso::{Granularity, Memory, OnTheFly, Part, State, Variant};
use strum::VariantArray;

use crate::tso::{reduced, refinement, report, scope};

/// References, mutators and the senses of marks are interchangeable: on states of every granularity, of
/// two mutators or two references.
fn assert_interchangeable(first: usize, one_of: usize) {
    for granularity in [Granularity::Fine, Granularity::Coarse, Granularity::Reduced] {
        for (mutators, refs) in [(1, 2), (2, 1), (2, 2)] {
            for memory in [Memory::Tso, Memory::Pso] {
                let variant = Variant {
                    memory,
                    ..Variant::default()
                };
                let refinement = refinement(scope(mutators, refs, 2, granularity), variant);
                let states = some_states(refinement.implementation(), first, one_of);
                let found = asymmetry(&refinement, &states);
                let found = found.expect("there are names");
                assert_eq!(found, None, "{granularity:?} {memory:?}");
            }
        }
    }
}

#[test]
fn tso_identities_are_interchangeable() {
    assert_interchangeable(4000, 130);
}

#[test]
#[ignore = "some ten seconds"]
fn slow_tso_identities_are_interchangeable_in_more_states() {
    assert_interchangeable(20_000, 150);
}

/// A sample of the first states in breadth-first order.
fn some_states(system: &OnTheFly, first: usize, one_of: usize) -> Vec<State> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    system.initial(&mut |state| found.push(state));
    let mut next = 0;
    while next < found.len() && found.len() < first {
        let from = found[next];
        system.next(&from, &mut |_, to| {
            if seen.insert(*to) {
                found.push(*to);
            }
        });
        next += 1;
    }
    found.into_iter().step_by(one_of).collect()
}

/// Symmetry reduction changes neither verdicts nor the lengths of counterexamples, without any of these parts.
fn assert_symmetry_changes_no_verdict(parts: impl Iterator<Item = Option<Part>>) {
    let quotient = |part: Option<Part>, symmetry| {
        let settings = Settings {
            obligations: Selection::only(AT_REDUCED),
            symmetry,
            ..Settings::default()
        };
        let variant = part.map_or(Variant::default(), Variant::without);
        report(reduced(1, 2, 1), variant, &settings)
    };
    for part in parts {
        let [plain, up_to] =
            [Symmetry::None, Symmetry::Full].map(|symmetry| quotient(part, symmetry));
        assert_eq!(plain.verdict, up_to.verdict, "{part:?}");
        let length = |report: &Report| report.counterexample.as_ref().map(|c| c.length);
        assert_eq!(length(&plain), length(&up_to), "{part:?}");
        assert!(up_to.states < plain.states, "{part:?}");
    }
}

/// Of those without a part one is violated and one is not.
#[test]
fn tso_symmetry_changes_no_verdict() {
    let parts = [Some(Part::CollectorFence), Some(Part::PhaseTest)];
    assert_symmetry_changes_no_verdict(parts.into_iter());
}

#[test]
#[ignore = "some ten seconds"]
fn slow_tso_symmetry_changes_no_verdict_without_any_part() {
    let parts = Part::VARIANTS.iter().copied().map(Some);
    assert_symmetry_changes_no_verdict(std::iter::once(None).chain(parts));
}
