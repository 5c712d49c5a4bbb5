//! Each invariant is violated by some variant or state, so none is vacuous.

use std::collections::HashSet;

use refmap::obligation::Until;
use refmap::{Refinement, TransitionSystem};
use refmap_systems::tso::{Phase, Store, Who};

use super::*;

/// The invariants that a variant violates.
fn broken(scope: Scope, variant: Variant, only: &[&str]) -> HashSet<String> {
    let settings = Settings {
        obligations: match only {
            [] => Selection::only(["invariant"]),
            names => Selection::only(names.iter().copied()),
        },
        until: Until::End,
        symmetry: Symmetry::Full,
        ..Settings::default()
    };
    let report = report(scope, variant, &settings);
    let violated = report.violated();
    let names = violated.map(|name| name.trim_start_matches("invariant:").to_owned());
    names.collect()
}

/// Invariants that no variant violates at one mutator and one reference.
const OF_TWO_REFERENCES: [&str; 3] = ["strong_tricolour", "weak_tricolour", "valid_W_disjoint"];

/// Each invariant fails in one of these cases: noop handshakes begin without a fence, the mark handshake is
/// left out, a mutator has a pending store of a control variable, or a mutator at rest holds the lock.
#[test]
fn tso_every_invariant_bites() {
    let mut bitten = broken(coarse(1, 1, 1), Variant::without(Part::CollectorFence), &[]);
    bitten.extend(broken(
        coarse(1, 1, 1),
        Variant::without(Part::MarkNoop),
        &[],
    ));
    let refinement = refinement(coarse(1, 1, 1), Variant::default());
    let invariants = refinement.invariants();
    refinement.implementation().initial(&mut |state| {
        let [mut stored, mut locked] = [state, state];
        stored.sys.buffers[Who::Mutator(0).index()].push(Store::Phase(Phase::Mark));
        locked.sys.lock = Some(Who::Mutator(0));
        for (name, planted) in [("tso_store", stored), ("tso_lock", locked)] {
            let mut invariants = invariants.iter();
            let invariant = invariants.find(|one| one.name() == name);
            let invariant = invariant.expect("it is one of them");
            assert!(invariant.holds(&state));
            if !invariant.holds(&planted) {
                bitten.insert(name.to_owned());
            }
        }
    });
    let left: Vec<_> = invariants
        .iter()
        .map(|invariant| invariant.name())
        .filter(|name| !bitten.contains(*name))
        .collect();
    assert_eq!(left, OF_TWO_REFERENCES);
}

/// … and these without the CAS, which frees nothing reachable at that instance.
#[test]
fn tso_every_invariant_bites_with_two_references() {
    let names = OF_TWO_REFERENCES.map(|name| format!("invariant:{name}"));
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let broken = broken(coarse(1, 2, 1), Variant::without(Part::Cas), &names);
    assert_eq!(broken, HashSet::from(OF_TWO_REFERENCES.map(str::to_owned)));
}
