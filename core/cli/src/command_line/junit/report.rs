//! Results of a check as JUnit: a test case for each obligation.

use std::fmt::Display;

use super::{Case, Outcome, Problem, Suite};
#[cfg(feature = "histories")]
use crate::catalogue::StressReport;
use refmap::internal::{counted, grouped, plain};
use refmap::report::{Obligation, Report, Verdict};

impl Suite {
    /// Results of a check of the program. With an expected verdict they are one test case, whether it came about.
    pub fn of_report(program: &str, report: &Report, expected: Option<Verdict>) -> Self {
        let class = format!("{program}.{}", report.check);
        let case = |name: String, outcome| Case {
            class: class.clone(),
            name,
            seconds: None,
            outcome,
        };
        let mut cases = Vec::new();
        if let Some(expected) = expected {
            let name = format!("verdict: {expected}");
            cases.push(case(name, as_expected(report, expected)));
        } else {
            let rows = report.obligations.iter();
            cases.extend(rows.map(|row| case(row.name.clone(), outcome(row, report))));
            let is_told =
                |case: &Case| matches!(case.outcome, Outcome::Error(_) | Outcome::Failed(_));
            if report.verdict == Some(Verdict::Incomplete) && !cases.iter().any(is_told) {
                // No obligation was tested.
                cases.push(case(
                    "verdict".to_owned(),
                    Outcome::Error(incomplete(report)),
                ));
            }
        }
        let properties = report.parameters.iter();
        Self {
            name: format!("{program} check {}", report.check),
            properties: properties
                .map(|(name, value)| (name.clone(), plain(value)))
                .collect(),
            cases,
            seconds: report.seconds,
        }
    }

    /// Results of a run of an implementation. Nothing found shows nothing, so that what is incomplete is skipped.
    #[cfg(feature = "histories")]
    pub fn of_stress(program: &str, of: &StressReport, again: Option<&str>) -> Self {
        let report = &of.report;
        let class = format!("{program}.{}", report.check.replace(' ', "."));
        let lines = of.failure.iter().flat_map(|failure| &failure.program);
        let again = again.map(|again| format!("\nagain:\n    {again}\n"));
        let shown: String = lines.map(|line| format!("{line}\n")).chain(again).collect();
        let cases = report.obligations.iter().map(|row| Case {
            class: class.clone(),
            name: row.name.clone(),
            seconds: None,
            outcome: match outcome(row, report) {
                Outcome::Error(problem) => Outcome::Skipped(problem.message),
                Outcome::Failed(problem) => Outcome::Failed(Problem {
                    text: format!("{shown}{}", problem.text),
                    ..problem
                }),
                other => other,
            },
        });
        // A run that does not return is none of which nothing was found.
        let unreturned = report.unreturned.as_ref().map(|unreturned| Case {
            class: class.clone(),
            name: "verdict".to_owned(),
            seconds: None,
            outcome: Outcome::Error(Problem {
                message: format!(
                    "{}: {} did not return",
                    incomplete(report).message,
                    unreturned.function
                ),
                ..incomplete(report)
            }),
        });
        let properties = report.parameters.iter();
        Self {
            name: format!("{program} {}", report.check),
            properties: properties
                .map(|(name, value)| (name.clone(), plain(value)))
                .collect(),
            cases: cases.chain(unreturned).collect(),
            seconds: report.seconds,
        }
    }

    /// Result of a check that cannot be run.
    pub fn of_error(program: &str, check: &str, error: &dyn Display) -> Self {
        let mut suite = Self {
            name: format!("{program} check {check}"),
            properties: Vec::new(),
            cases: Vec::new(),
            seconds: 0.0,
        };
        suite.refuse(format!("{program}.{check}"), "verdict", error);
        suite
    }
}

fn outcome(row: &Obligation, report: &Report) -> Outcome {
    let note = row.note.clone();
    match row.verdict {
        Verdict::Holds => Outcome::Passed,
        Verdict::Violated => {
            let first = row.counterexamples.first();
            let why = first.map(|first| format!("{}: {}", first.failure(), first.explanation));
            let shown = row.counterexamples.iter().map(ToString::to_string);
            Outcome::Failed(Problem {
                kind: "violated",
                message: why.or(note).unwrap_or_else(|| "violated".to_owned()),
                text: shown.collect::<Vec<_>>().join("\n"),
            })
        }
        Verdict::Incomplete if waits_for_another(row, report) => {
            let failed: Vec<_> = report.violated().collect();
            let reason = note.map_or_else(String::new, |note| format!(": {note}"));
            let failed = failed.join(", ");
            Outcome::Skipped(format!("not finished, since {failed} failed{reason}"))
        }
        Verdict::Incomplete => {
            let by_limit = || incomplete(report).message;
            Outcome::Error(Problem {
                message: note.unwrap_or_else(by_limit),
                ..incomplete(report)
            })
        }
        Verdict::NoneDeclared | Verdict::Untested | Verdict::NotDecided => {
            Outcome::Skipped(match note {
                Some(note) => format!("{}: {note}", row.verdict),
                None => row.verdict.to_string(),
            })
        }
    }
}

/// True if a row is not decided since others are violated: the search ended there, or its question means nothing then.
fn waits_for_another(row: &Obligation, report: &Report) -> bool {
    let is_violated = report.verdict == Some(Verdict::Violated) && report.limit.is_none();
    let note = row.note.as_deref().unwrap_or_default();
    let is_about_another = ["simulation fails", "violation"].map(|what| note.contains(what));
    is_violated && (!report.complete || is_about_another.contains(&true))
}

fn incomplete(report: &Report) -> Problem {
    let reason = report.limit.map(|limit| format!(": ended by {limit}"));
    Problem {
        kind: "incomplete",
        message: format!("incomplete{}", reason.unwrap_or_default()),
        text: format!(
            "{}, {}, depth {}",
            counted(report.states, "state"),
            counted(report.transitions, "transition"),
            grouped(report.depth.into())
        ),
    }
}

fn as_expected(report: &Report, expected: Verdict) -> Outcome {
    if report.verdict == Some(expected) {
        return Outcome::Passed;
    }
    let found = report.verdict.map_or("none".to_owned(), |v| v.to_string());
    Outcome::Failed(Problem {
        kind: "otherwise",
        message: format!("verdict: expected {expected}, found {found}"),
        text: report.to_string(),
    })
}
