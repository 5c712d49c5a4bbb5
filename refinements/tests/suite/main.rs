//! The tests of the refinements: what holds, and what is violated for which reason.
//!
//! Claims of the catalogue (`checks/CLAIMS.md`) are decided where that is. Here is what a row cannot say, and what takes other instances.

mod any_number;
mod any_number_protocols;
mod auxiliary;
mod ben_ari;
mod ben_ari_several;
mod copying;
mod induction;
mod mutants;
mod native;
mod packing;
mod properties;
mod published;
mod symmetry;
mod tso;
mod yrc;
mod yrc_second_formulation;

use refmap::obligation::{Checkable, Until};
use refmap::{Evidence, Report, Settings, Verdict};
use refmap_testing::Counts;

/// The report of a check of which everything can be decided.
#[track_caller]
fn decide(checker: &dyn Checkable, settings: &Settings<'_>) -> Report {
    checker.check(settings).expect("it can be decided")
}

/// The counts of a refinement that holds, of every reachable state or of those within the bound that the instance has.
#[track_caller]
fn counts(checker: &dyn Checkable, evidence: Evidence) -> Counts {
    let report = decide(checker, &Settings::default());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.evidence, evidence);
    let generated = report.initial_states + report.transitions;
    (report.states, generated, report.depth + 1)
}

/// All obligations that are violated.
#[track_caller]
fn violated(checker: &dyn Checkable) -> Vec<String> {
    let settings = Settings {
        until: Until::End,
        ..Settings::default()
    };
    let report = decide(checker, &settings);
    report.violated().map(str::to_owned).collect()
}
