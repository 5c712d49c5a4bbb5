//! Report of a test.

use refmap::report::{Counterexample, Evidence, Obligation, Report, Verdict};

use super::tested::{Part, Tested};
use crate::{Outcome, Validation};

impl Tested {
    /// Report of the test: an obligation for each kind of run, tested as often as there were runs, and the history of the wrong one.
    /// Its evidence is sampled, and its transitions are the calls.
    pub fn report(&self) -> Report {
        let finding = self.finding();
        let validation = finding.and_then(|finding| finding.validation.clone());
        let validated = validation.as_ref().map(Validation::report);
        let has_history = validated.is_some();
        let blank =
            || Validation::nothing(crate::Criterion::default(), Outcome::Behaviour).report();
        let mut report = validated.unwrap_or_else(blank);
        let counterexample = finding.map(|finding| Counterexample {
            explanation: finding.told.clone(),
            ..report
                .counterexample
                .take()
                .unwrap_or_else(|| Counterexample::without_steps(finding.told.clone()))
        });
        if !has_history {
            report.history = None;
        }
        report.verdict = Some(self.verdict());
        report.evidence = Evidence::Sampled;
        report.complete = false;
        report.limit = None;
        report.transitions = self.parts.iter().map(|part| part.calls).sum();
        report.coverage.clear();
        let left_out = self
            .left_out
            .iter()
            .map(|left_out| format!("run:{left_out}"));
        report.unexercised = left_out.collect();
        report.warnings.clear();
        let rows = self.parts.iter().map(|part| {
            let mut row = row(part);
            if part.verdict == Verdict::Violated {
                row.counterexamples.extend(counterexample.clone());
            }
            row
        });
        report.obligations = rows.collect();
        report.counterexample = counterexample.filter(|_| self.verdict() == Verdict::Violated);
        report
    }
}

fn row(part: &Part) -> Obligation {
    let told = part.finding.as_ref().map(|finding| finding.told.clone());
    let never_called = &part.never_called;
    let never_called = (!never_called.is_empty() && part.finding.is_none())
        .then(|| format!("never called: {}", never_called.join(", ")));
    let under_way = (part.under_way > 1).then(|| {
        let under_way = part.under_way;
        format!("{under_way} calls under way at most")
    });
    let notes = part.notes.iter().cloned().chain(told).chain(never_called);
    let notes = notes.chain(under_way).chain(part.remarks.iter().cloned());
    let notes: Vec<_> = notes.collect();
    Obligation {
        name: part.run.to_string(),
        verdict: part.verdict,
        checked: part.runs,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        needed: None,
        counterexamples: Vec::new(),
    }
}
