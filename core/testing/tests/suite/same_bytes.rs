//! A report is the same, byte for byte, in every run and for any number of threads, but for times and memory.

use refmap::explore::Storage;
use refmap::internal::check_erased;
use refmap::obligation::{Checker, Settings, Until};
use refmap::{Refinement, Report};
use refmap_testing::{walking, with_liveness};

use crate::table::random::{Size, draw, draw_with_several_steps};

/// The JSON of a report without what is measured.
fn bytes(report: &Report) -> String {
    let mut json = serde_json::to_value(report).expect("a report has a JSON form");
    for measured in ["seconds", "peak_memory_bytes", "threads"] {
        json[measured].take();
    }
    json.to_string()
}

fn assert_same<R: Refinement>(refinement: &R, told: &str, settings: &Settings<'_>) {
    let run = |threads: usize| {
        let settings = Settings {
            threads,
            ..settings.clone()
        };
        let report = Checker::new(refinement).check(&settings);
        bytes(&report.expect("the settings fit"))
    };
    let first = run(1);
    for threads in [1, 2, 8] {
        assert_eq!(first, run(threads), "{told}, {threads} threads");
    }
    // The search too is run without the types of the model here, so that its states are kept whole.
    let whole = Settings {
        storage: Storage::Whole,
        ..settings.clone()
    };
    let typed = Checker::new(refinement).check(&whole);
    let erased = check_erased(refinement, &whole);
    let [typed, erased] = [typed, erased].map(|report| bytes(&report.expect("the settings fit")));
    assert_eq!(typed, erased, "{told}, without types");
}

fn ways() -> Vec<Settings<'static>> {
    let everything = with_liveness();
    let walks = walking(40, 30, 3);
    vec![
        everything.clone(),
        Settings {
            until: Until::End,
            ..everything.clone()
        },
        Settings {
            search: walks,
            ..everything
        },
    ]
}

#[test]
fn every_run_reports_the_same() {
    for settings in ways() {
        for seed in 0..12 {
            assert_same(&draw(seed, Size::Small), &format!("seed {seed}"), &settings);
            let several = draw_with_several_steps(seed);
            assert_same(&several, &format!("several steps, seed {seed}"), &settings);
        }
        for seed in 0..2 {
            assert_same(
                &draw(seed, Size::Wide),
                &format!("wide, seed {seed}"),
                &settings,
            );
        }
    }
}
