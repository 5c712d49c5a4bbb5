//! Report of a stress run: a clean run is `incomplete`, never a pass.

use std::time::Duration;

use refmap::report::{Obligation, RuleCoverage};
use refmap::{Evidence, Report, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};

/// Obligation that the tested behaviour occurred.
pub(super) const EXERCISED: &str = "exercised";

/// Obligation of a run, with the number of tests.
pub(super) struct Looked {
    pub name: &'static str,
    pub checked: u64,
}

/// Creates the report of a run. If required behaviour did not occur, the run fails, unless another obligation does.
pub(super) fn sampled(
    obligations: &[Looked],
    violated: Option<&str>,
    missing: &[&str],
    rules: &[(&str, &str, u64)],
    operations: u64,
    elapsed: Duration,
) -> Report {
    let is_quiet = violated.is_none() && !missing.is_empty();
    let row = |looked: &Looked| {
        let is_violated = violated == Some(looked.name) || (is_quiet && looked.name == EXERCISED);
        Obligation {
            name: looked.name.to_owned(),
            verdict: if is_violated {
                Verdict::Violated
            } else {
                Verdict::Incomplete
            },
            checked: looked.checked,
            note: (is_quiet && looked.name == EXERCISED)
                .then(|| format!("there was no {}", missing.join(", no "))),
            needed: None,
            counterexamples: Vec::new(),
        }
    };
    let coverage = rules.iter().map(|(rule, process, fired)| RuleCoverage {
        rule: (*rule).to_owned(),
        process: (*process).to_owned(),
        fired: *fired,
    });
    let unexercised = rules.iter().filter(|(.., fired)| *fired == 0);
    Report {
        check: String::new(),
        claim: None,
        parameters: Map::new(),
        verdict: Some(if violated.is_some() || is_quiet {
            Verdict::Violated
        } else {
            Verdict::Incomplete
        }),
        evidence: Evidence::Sampled,
        complete: false,
        walks: None,
        every_number: None,
        samples: None,
        symmetry: None,
        limit: None,
        initial_states: 0,
        states: 0,
        transitions: operations,
        depth: 0,
        seconds: elapsed.as_secs_f64(),
        peak_memory_bytes: 0,
        states_kept: None,
        threads: 1,
        processes: None,
        limit_process: None,
        unreturned: None,
        obligations: obligations.iter().map(row).collect(),
        coverage: coverage.collect(),
        warnings: Vec::new(),
        taken_at_word: Vec::new(),
        checkpoints: None,
        spilled: None,
        asked_again: 0,
        not_compared: 0,
        deadlocks: 0,
        cut_off: None,
        constraint: None,
        not_asked: Vec::new(),
        unexercised: unexercised
            .map(|(rule, ..)| format!("rule:{rule}"))
            .collect(),
        counterexample: None,
        history: None,
    }
}

/// Required behaviour that did not occur in a run.
pub(super) fn missing<'a>(needed: &[(u64, &'a str)]) -> Vec<&'a str> {
    let missing = needed.iter().filter(|(count, _)| *count == 0);
    missing.map(|(_, what)| *what).collect()
}

pub(super) fn counted(counts: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(counts) {
        Ok(Value::Object(counts)) => counts,
        _ => unreachable!("counts are numbers with names"),
    }
}
