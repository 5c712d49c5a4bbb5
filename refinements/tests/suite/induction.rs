//! [Appendix B.2] The invariants of each level are inductive and suffice for its refinement, and
//! leaving one out breaks something.

use refmap::obligation::{Checker, Induction, Search, Selection, Settings, Until};
use refmap::random::{Samples, Walks};
use refmap::{Refinement, Report, TypeCorrect, Verdict, type_correct_states};
use refmap_refinements::Checked;
use refmap_refinements::ben_ari::{Refinement1, Refinement2, Refinement3, composed};
use refmap_systems::ben_ari::{Level3, Scope};
use refmap_testing::WithInvariants;

use crate::decide;

fn induct<R: Checked>(refinement: &R) -> Report {
    let settings = Settings {
        obligations: Selection::only(["inductive"]),
        induction: Induction::Included,
        ..Settings::default()
    };
    decide(&*refinement.checker(), &settings)
}

/// Asserts that everything is inductive, and that just the `implied` invariants can be left out.
fn assert_inductive<R: Checked>(refinement: &R, implied: &[&str]) {
    let report = induct(refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let unneeded: Vec<_> = report
        .obligations
        .iter()
        .filter(|row| row.needed == Some(false))
        .map(|row| row.name.trim_start_matches("inductive:"))
        .collect();
    assert_eq!(unneeded, implied);
}

/// Number of type-correct states of level 3: the product of its variables' ranges.
#[test]
fn the_type_correct_states_are_counted() {
    let count =
        |nodes, sons, roots| type_correct_states(&Level3::new(Scope::new(nodes, sons, roots)));
    assert_eq!(count(2, 1, 1), 559_872);
    assert_eq!(count(2, 2, 1), 3_359_232);
    assert_eq!(count(3, 1, 1), 47_775_744);
}

/// `inv2` implies `inv1`: the paper states `inv1` because it is what the refinement needs, and
/// generalises it to `inv2` because it is not inductive by itself.
#[test]
fn level_1_is_inductive() {
    for (nodes, sons, roots) in [(2, 1, 1), (2, 2, 1), (3, 1, 1)] {
        assert_inductive(&Refinement1::new(Scope::new(nodes, sons, roots)), &["inv1"]);
    }
}

#[test]
fn level_2_is_inductive_and_each_invariant_is_needed() {
    for (nodes, sons, roots) in [(2, 1, 1), (2, 2, 1), (3, 1, 1)] {
        assert_inductive(&Refinement2::new(Scope::new(nodes, sons, roots)), &[]);
    }
}

/// All 47 775 744 type-correct states of level 3.
#[test]
#[ignore = "half a minute"]
fn slow_level_3_is_inductive_and_each_invariant_is_needed() {
    assert_inductive(&Refinement3::new(Scope::new(3, 1, 1)), &[]);
}

/// With the invariants of all levels the composed refinement is inductive too.
#[test]
fn the_composition_is_inductive() {
    let report = induct(&composed(Scope::new(2, 1, 1)));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

/// With two mutators a target can become garbage: the set is no longer inductive.
#[test]
fn two_mutators_break_the_induction() {
    let scope = Scope {
        mutators: 2,
        ..Scope::new(2, 1, 1)
    };
    let report = induct(&Refinement3::new(scope));
    assert_eq!(report.verdict, Some(Verdict::Violated));
    let counterexample = report.counterexample.expect("it is shown");
    assert!(!counterexample.reachable);
}

/// Walks beside the draws, since there are too many states for a search.
const WALKS: Walks = Walks {
    walks: 10,
    steps: 100,
    seed: 0,
};

/// Asserts that draws find a counterexample to induction with each invariant left out in turn, but where it is implied.
fn assert_found<R>(new: impl Fn() -> R, samples: u64, implied: &[&str])
where
    R: Refinement<Implementation: TypeCorrect>,
{
    let invariants = new().invariants();
    for (place, left_out) in invariants.iter().enumerate() {
        let lacking = WithInvariants::new(new(), |invariants| {
            invariants.remove(place);
        });
        let settings = Settings {
            obligations: Selection::only(["inductive"]),
            induction: Induction::Sampled(Samples { samples, seed: 0 }),
            search: Search::Walks(WALKS),
            until: Until::FirstViolation,
            ..Settings::default()
        };
        let report = Checker::new(&lacking).inductive().check(&settings);
        let report = report.expect("the settings fit");
        let is_found = report.violated().next().is_some();
        let name = left_out.name();
        assert_eq!(is_found, !implied.contains(&name), "{name}: {report}");
    }
}

#[test]
fn draws_miss_each_invariant_of_levels_1_and_2() {
    let scope = Scope::new(3, 1, 1);
    assert_found(|| Refinement1::new(scope), 5_000, &["inv1"]);
    assert_found(|| Refinement2::new(scope), 5_000, &[]);
}

#[test]
#[ignore = "some ten seconds"]
fn slow_draws_miss_each_invariant_of_level_3() {
    assert_found(|| Refinement3::new(Scope::new(3, 1, 1)), 50_000, &[]);
}

/// Counterexamples to induction are found where there are too many states for a pass.
#[test]
#[ignore = "half a minute"]
fn slow_draws_miss_each_invariant_at_five_nodes() {
    let scope = Scope::new(5, 2, 2);
    assert_found(|| Refinement1::new(scope), 5_000, &["inv1"]);
    assert_found(|| Refinement2::new(scope), 5_000, &[]);
    assert_found(|| Refinement3::new(scope), 50_000, &[]);
}
