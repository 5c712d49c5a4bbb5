//! Levels 2 and 3 of Ben-Ari's collector with cached successors of projections: the reports equal those of the direct
//! check.

use refmap::obligation::{Checker, Liveness, Until};
use refmap::{LocalRefinement, PackedLocal, Report, RuleId, Settings, TransitionSystem, Verdict};
use refmap_refinements::ben_ari::{Refinement2, Refinement3};
use refmap_systems::ben_ari::{
    Figure14, InitialColours, Level3, Mutant, Mutation, MutatorOrder, Scope,
};

fn timeless(report: Report) -> Report {
    Report {
        seconds: 0.0,
        peak_memory_bytes: 0,
        states_kept: None,
        threads: 0,
        ..report
    }
}

/// Asserts that the two checks agree about all obligations; returns their report.
fn compare<R>(refinement: &R, threads: usize) -> Report
where
    R: LocalRefinement<Concrete: PackedLocal>,
{
    let settings = Settings {
        liveness: Liveness::Included,
        until: Until::End,
        threads,
        ..Settings::default()
    };
    let cached = Checker::new(refinement).cached().check(&settings);
    let plain = Checker::new(refinement).packed().check(&settings);
    let cached = timeless(cached.expect("these can be asked for"));
    let plain = timeless(plain.expect("these can be asked for"));
    assert_eq!(cached, plain);
    cached
}

#[test]
fn projections_decide_what_states_decide() {
    let [mut hold, mut violated] = [0; 2];
    for (nodes, sons, roots) in [(1, 1, 1), (2, 2, 1), (3, 1, 2), (3, 1, 1)] {
        for mutators in [1, 2] {
            for mutator in [MutatorOrder::RedirectFirst, MutatorOrder::ColourFirst] {
                for figure_14 in [Figure14::Corrected, Figure14::AsPrinted] {
                    let scope = Scope {
                        mutators,
                        mutator,
                        figure_14,
                        colours: InitialColours::White,
                        ..Scope::new(nodes, sons, roots)
                    };
                    let threads = 1 + usize::from(nodes) % 2;
                    if nodes < 3 {
                        compare(&Refinement2::new(scope), threads);
                    }
                    let report = compare(&Refinement3::new(scope), threads);
                    match report.verdict {
                        Some(Verdict::Holds) => hold += 1,
                        Some(Verdict::Violated) => violated += 1,
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
    }
    assert!(hold > 5 && violated > 5, "{hold} hold, {violated} do not");
}

/// Both checks refute each mutant with the same counterexamples.
#[test]
fn projections_refute_what_states_refute() {
    let scope = Scope::new(3, 1, 1);
    let mut violated = 0;
    for rule in 0..Level3::new(scope).rules().len() {
        for mutation in Mutation::ALL {
            let mutant = Mutant {
                rule: RuleId(rule),
                mutation,
            };
            let report = compare(&Refinement3::with_mutant(scope, mutant), 2);
            violated += usize::from(report.verdict == Some(Verdict::Violated));
        }
    }
    assert!(violated > 20, "{violated}");
}
