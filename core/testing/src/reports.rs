//! Reports of checks, and what they say.

use refmap::obligation::{Liveness, Selection, Until};
use refmap::report::Obligation;
use refmap::{Refinement, Report, Settings, Verdict, check};

/// The report of a check whose settings fit.
pub fn checked(refinement: &impl Refinement, settings: &Settings<'_>) -> Report {
    check(refinement, settings).expect("the settings fit")
}

/// Settings of a check of some obligations alone.
pub fn only<const N: usize>(obligations: [&str; N]) -> Settings<'static> {
    Settings {
        obligations: Selection::only(obligations),
        ..Settings::default()
    }
}

/// Settings of a check that does not end at a violation.
pub fn to_the_end() -> Settings<'static> {
    Settings {
        until: Until::End,
        ..Settings::default()
    }
}

/// Settings of a check that decides liveness, too.
pub fn with_liveness() -> Settings<'static> {
    Settings {
        liveness: Liveness::Included,
        ..Settings::default()
    }
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
