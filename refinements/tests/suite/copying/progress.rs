//! Wait-freedom, lock-freedom and starvation-freedom of mutators, and completion of the copy, per protocol, beyond the catalogue's table
//! `copying-progress`.

use refmap::obligation::{Liveness, Until};
use refmap_refinements::copying::NotStated;
use refmap_systems::copying::{self, Progress};
use strum::VariantArray;

use super::*;
use crate::decide;

/// Two mutators that run a scenario.
fn asked(row: &Row, scenario: Scenario, progress: Progress) -> Instance {
    Instance::new(row.protocol, scenario)
        .alpha(row.alpha.unwrap_or(0))
        .mutators(2)
        .progress(progress)
}

/// Whether progress is made; every other obligation holds.
fn is_made(refinement: &CopyingRefinement) -> bool {
    let settings = Settings {
        liveness: Liveness::Included,
        until: Until::End,
        ..settings()
    };
    let report = decide(&*refinement.checker(), &settings);
    let is_progress =
        |name: &str| name.starts_with("always-eventually:completes") || name == "eventually:copied";
    match report.verdict {
        Some(Verdict::Holds) => true,
        Some(Verdict::Violated) => {
            assert!(report.violated().all(is_progress), "{report}");
            false
        }
        _ => panic!("{report}"),
    }
}

fn makes(instance: &Instance, model: MemoryModel) -> bool {
    is_made(&CopyingRefinement::new(instance, model).expect("there is such an instance"))
}

/// Progress of a row with two mutators that write, from reading the protocol.
fn expected(row: &Row, progress: Progress) -> bool {
    use Protocol::*;
    let loops = matches!(
        row.protocol,
        Stopless | StoplessForRmo | Clover | CloverFix | CloverForRmo
    );
    let writes_alpha = row.alpha == Some(1);
    let stops = matches!(row.protocol, Baker | Replication | Compressor | Pauseless);
    let copies_again = loops || matches!(row.protocol, SapphireIteration | X86Sapphire);
    match progress {
        // A mutator tries its CAS again, or waits for the thread that has claimed the page.
        Progress::WaitFree => !loops && row.protocol != Compressor,
        // Where it writes α it waits for the end of the copy.
        Progress::LockFree => !writes_alpha && row.protocol != Compressor,
        Progress::StarvationFree => !loops,
        // The others wait for a handshake or a stop, or copy again.
        Progress::CopiedAlone => matches!(row.protocol, SapphireLlsc | Schism),
        Progress::Copied => true,
        Progress::CopiedUnderLoad | Progress::CopiedUnderLoadStrongly => !copies_again && !stops,
    }
}

#[track_caller]
fn assert_as_expected(row: &Row, scenario: Scenario, progress: Progress, model: MemoryModel) {
    let instance = asked(row, scenario, progress);
    assert_eq!(
        makes(&instance, model),
        expected(row, progress),
        "{instance:?} under {model}"
    );
}

fn rows(protocols: &[Protocol]) -> impl Iterator<Item = Row> {
    let rows = TABLE_2.into_iter();
    rows.filter(|row| protocols.contains(&row.protocol))
}

#[test]
fn the_copy_is_completed_and_under_load_in_some_protocols() {
    let kinds = [
        Protocol::SapphireIteration,
        Protocol::SapphireLlsc,
        Protocol::Baker,
        Protocol::Schism,
    ];
    for row in rows(&kinds) {
        for progress in [Progress::CopiedAlone, Progress::CopiedUnderLoadStrongly] {
            assert_as_expected(&row, Scenario::W, progress, Sc);
        }
    }
}

/// A single mutator that is at a yieldpoint again and again is stopped there in strong fairness.
#[test]
fn a_stop_takes_strong_fairness() {
    for protocol in [
        Protocol::Baker,
        Protocol::Replication,
        Protocol::Compressor,
        Protocol::Pauseless,
    ] {
        let completes = |progress| {
            makes(
                &Instance::new(protocol, Scenario::Wr).progress(progress),
                Sc,
            )
        };
        assert!(!completes(Progress::CopiedUnderLoad), "{protocol}");
        assert!(completes(Progress::CopiedUnderLoadStrongly), "{protocol}");
    }
}

/// No other mutator is needed where a mutator waits; to be overtaken for ever one is.
#[test]
fn a_single_mutator_waits_and_is_not_overtaken() {
    for row in &TABLE_2 {
        let single = |progress| {
            let instance = asked(row, Scenario::Wr, progress);
            makes(&instance.mutators(1), Sc)
        };
        let waits = !expected(row, Progress::LockFree);
        assert_eq!(single(Progress::WaitFree), !waits, "{row:?}");
        assert_eq!(single(Progress::LockFree), !waits, "{row:?}");
        assert!(single(Progress::StarvationFree), "{row:?}");
    }
}

/// Mutators differ in the values that they write alone: what holds of the first holds of the second.
#[test]
fn what_holds_of_one_mutator_holds_of_the_other() {
    for row in rows(&[
        Protocol::Stopless,
        Protocol::SapphireLlsc,
        Protocol::Compressor,
    ]) {
        for progress in [Progress::WaitFree, Progress::LockFree] {
            let instance = asked(&row, Scenario::W, progress);
            let mut program = copying::program(&instance).expect("there is such a program");
            program.threads.swap(1, 2);
            let second = CopyingRefinement::of(program, &instance, Sc).expect("it is stated");
            assert_eq!(is_made(&second), expected(&row, progress), "{instance:?}");
        }
    }
}

#[test]
fn progress_is_refused_where_reads_are_reordered() {
    let instance = Instance::new(Protocol::Schism, Scenario::W).progress(Progress::WaitFree);
    for model in [RmoFull, RmoNo] {
        let error = CopyingRefinement::new(&instance, model).expect_err("it is refused");
        assert!(matches!(error, NotStated::Reordered { .. }), "{error}");
    }
    for model in [Tso, PsoFull, PsoNo] {
        assert!(makes(&instance, model), "{model}");
    }
}

#[test]
#[ignore = "takes a minute"]
fn slow_every_row_makes_the_progress_that_is_expected() {
    for row in &TABLE_2 {
        for progress in Progress::VARIANTS {
            assert_as_expected(row, Scenario::W, *progress, Sc);
        }
        for progress in [Progress::WaitFree, Progress::LockFree] {
            assert_as_expected(row, Scenario::Wr, progress, Sc);
            assert_as_expected(row, Scenario::W, progress, Tso);
        }
    }
}
