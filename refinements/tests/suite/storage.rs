//! Levels 2 and 3 of Ben-Ari's collector with packed states: the reports equal those of states that are kept whole.

use refmap::explore::Storage;
use refmap::obligation::{Liveness, Until};
use refmap::{Report, RuleId, Settings, TransitionSystem, Verdict};
use refmap_refinements::Checked;
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

/// Asserts that checks with packed states and with whole ones agree about all obligations; returns their report, unless a
/// variable leaves its range, which only packed states tell.
fn compare<R: Checked>(refinement: &R, threads: usize) -> Option<Report> {
    let [packed, whole] = [Storage::Packed, Storage::Whole].map(|storage| {
        let settings = Settings {
            liveness: Liveness::Included,
            until: Until::End,
            storage,
            threads,
            ..Settings::default()
        };
        let report = refinement.checker().check(&settings);
        timeless(report.expect("these can be asked for"))
    });
    if packed.obligation("model").is_some() {
        return None;
    }
    assert_eq!(packed, whole);
    Some(packed)
}

#[test]
fn packed_states_decide_what_whole_ones_decide() {
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
                        let report = compare(&Refinement2::new(scope), threads);
                        assert!(report.is_some(), "{scope:?}");
                    }
                    let report = compare(&Refinement3::new(scope), threads);
                    match report.and_then(|report| report.verdict) {
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
fn packed_states_refute_what_whole_ones_refute() {
    let scope = Scope::new(3, 1, 1);
    let mut violated = 0;
    for rule in 0..Level3::new(scope).rules().len() {
        for mutation in Mutation::ALL {
            let mutant = Mutant {
                rule: RuleId(rule),
                mutation,
            };
            let report = compare(&Refinement3::with_mutant(scope, mutant), 2);
            let verdict = report.and_then(|report| report.verdict);
            violated += usize::from(verdict == Some(Verdict::Violated));
        }
    }
    assert!(violated > 20, "{violated}");
}
