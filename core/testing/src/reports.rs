//! Reports of checks, and what they say.

use refmap::report::Obligation;
use refmap::{Refinement, Report, Settings, Verdict, check};

/// The report of a check whose settings fit.
pub fn checked(refinement: &impl Refinement, settings: &Settings<'_>) -> Report {
    check(refinement, settings).expect("the settings fit")
}

/// The row of an obligation that is in the report.
pub fn row_of<'r>(report: &'r Report, name: &str) -> &'r Obligation {
    let row = report.obligation(name);
    row.unwrap_or_else(|| panic!("{name} is in the report:\n{report}"))
}

/// The verdict on such an obligation.
pub fn verdict_on(report: &Report, name: &str) -> Verdict {
    row_of(report, name).verdict
}

/// Asserts the verdict on an obligation that is in the report, which is shown otherwise.
#[track_caller]
pub fn assert_verdict(report: &Report, name: &str, verdict: Verdict) {
    assert_eq!(verdict_on(report, name), verdict, "{name}: {report}");
}

/// Asserts that an obligation is violated, and that its first counterexample explains why.
#[track_caller]
pub fn assert_explained(report: &Report, name: &str, why: &str) {
    assert_verdict(report, name, Verdict::Violated);
    let explanation = &row_of(report, name).counterexamples[0].explanation;
    assert!(explanation.contains(why), "{name}: {explanation}\n{report}");
}
