//! Every mode yields the same results: packed or whole states, one thread or three.

use refmap::explore::{Limits, Storage};
use refmap::obligation::Induction;
use refmap::{Report, Settings, Verdict};
use refmap_checks::catalogue;

/// State limit of this test; the default run of `refmap` checks the larger claims.
const MOST_STATES: u64 = 250;

/// Result of each obligation: its name, its verdict, the number of tests, the length of its counterexample.
fn said(report: &Report) -> Vec<(String, Verdict, u64, Option<usize>)> {
    let row = |row: &refmap::report::Obligation| {
        let length = row.counterexamples.first().map(|found| found.length);
        (row.name.clone(), row.verdict, row.checked, length)
    };
    report.obligations.iter().map(row).collect()
}

/// Compares the modes on the claims of at most so many states.
fn assert_modes_say_the_same(most_states: u64) {
    let catalogue = catalogue();
    let mut compared = 0;
    for claim in &catalogue.claims().expect("each row is a claim") {
        if claim.settings.induction == Induction::Included
            || claim
                .expect
                .states
                .is_some_and(|states| states > most_states)
        {
            // It is decided from all type-correct states, which are not explored, or is large.
            continue;
        }
        let run = |storage, threads| {
            let settings = Settings {
                storage,
                threads,
                limits: Limits {
                    states: Some(most_states),
                    ..Limits::default()
                },
                ..Settings::default()
            };
            catalogue.run(claim, &settings)
        };
        let whole = run(Storage::Whole, 1).expect("the claim fits its check");
        if whole.limit.is_some() {
            continue;
        }
        let about = &claim.command;
        for (storage, threads) in [
            (Storage::Whole, 3),
            (Storage::Packed, 1),
            (Storage::Packed, 3),
        ] {
            let report = run(storage, threads).expect("the claim fits its check");
            let counts = |report: &Report| (report.states, report.transitions, report.depth);
            assert_eq!(counts(&report), counts(&whole), "{about}");
            assert_eq!(said(&report), said(&whole), "{about}");
            assert_eq!(report.counterexample, whole.counterexample, "{about}");
            assert_eq!(report.verdict, whole.verdict, "{about}");
            compared += 1;
        }
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn every_mode_says_the_same_of_every_small_claim() {
    assert_modes_say_the_same(MOST_STATES);
}

#[test]
#[ignore = "some minutes"]
fn slow_every_mode_says_the_same_of_every_claim_of_ten_thousand_states() {
    assert_modes_say_the_same(10_000);
}
