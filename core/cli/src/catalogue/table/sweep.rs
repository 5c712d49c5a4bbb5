//! Parameter sweeps: a check at every combination of some of its parameters, at growing instances until one is
//! violated.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::catalogue::{Check, InputError};
use crate::shell::quoted;
use refmap::obligation::{Selection, Settings, Symmetry, Until};
use refmap::report::Verdict;

/// Parameter sweep: reports the result of a check for many combinations of its parameters.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Rows.
    pub rows: Vec<Row>,
    /// Instance, as large as the first of a row, at which the violated obligations are collected: up to the length
    /// of the counterexample in a row that is violated there, otherwise over the whole state space.
    pub on_the_way: Option<Instance>,
}

/// Combination of parameters with the instances at which it is checked.
#[derive(Clone, Debug)]
pub struct Row {
    /// The combination.
    pub given: String,
    /// Instances, smallest first.
    pub instances: Vec<Instance>,
}

/// Instance of a check, with the options of its exploration.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// Arguments.
    pub given: String,
    /// Obligations to check.
    pub obligations: Selection,
    /// Treatment of symmetric states.
    pub symmetry: Symmetry,
}

impl From<&str> for Instance {
    fn from(given: &str) -> Self {
        Self {
            given: given.to_owned(),
            ..Self::default()
        }
    }
}

/// Result for a combination.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweptRow {
    /// The combination.
    pub combination: Map<String, Value>,
    /// `holds` if every instance of the table holds and there is one; otherwise `violated` or `incomplete`, the
    /// verdict of the last instance checked, or `incomplete` if there is none.
    pub verdict: Verdict,
    /// The instances checked; the last one decided.
    pub instances: Vec<Map<String, Value>>,
    /// Obligation of the shortest counterexample.
    pub by: Option<String>,
    /// Its length.
    pub length: Option<usize>,
    /// Number of distinct states of the last instance.
    pub states: u64,
    /// Time taken by all instances.
    pub seconds: f64,
    /// Obligations violated on the way; null if the table does not collect them.
    pub broken: Option<Vec<String>>,
}

impl Sweep {
    /// Tests whether the check accepts the arguments of every row.
    pub(super) fn validate(&self, check: &Check) -> Result<(), InputError> {
        for row in &self.rows {
            for instance in row.instances.iter().chain(&self.on_the_way) {
                check.arguments(&format!("{} {}", row.given, instance.given))?;
            }
        }
        Ok(())
    }

    pub(super) fn row(
        &self,
        check: &Check,
        Row { given, instances }: &Row,
        settings: &Settings<'_>,
    ) -> Result<SweptRow, InputError> {
        let part = |given: &str| check.parameters.part(check.name, given);
        let mut row = SweptRow {
            combination: part(given)?,
            // Without an instance nothing is decided.
            verdict: Verdict::Incomplete,
            instances: Vec::new(),
            by: None,
            length: None,
            states: 0,
            seconds: 0.0,
            broken: None,
        };
        let run = |instance: &Instance, until: Until, depth: Option<u32>| {
            let arguments = check.arguments(&format!("{given} {}", instance.given))?;
            let mut settings = Settings {
                obligations: instance.obligations.clone(),
                symmetry: instance.symmetry,
                until,
                ..settings.clone()
            };
            settings.limits.depth = depth.or(settings.limits.depth);
            check.run(&arguments, &settings)
        };
        for instance in instances {
            let report = run(instance, Until::FirstViolation, None)?;
            row.instances.push(part(&instance.given)?);
            row.states = report.states;
            row.seconds += report.seconds;
            row.verdict = report.verdict.unwrap_or(Verdict::Incomplete);
            if row.verdict != Verdict::Holds {
                let found = report.counterexample.as_ref();
                row.by = found.map(|found| found.obligation.clone());
                row.length = found.map(|found| found.length);
                break;
            }
        }
        if let Some(instance) = &self.on_the_way {
            let decisive = instances
                .first()
                .map(|instance| instance.obligations.clone());
            let decisive = Instance {
                obligations: decisive.unwrap_or_default(),
                ..instance.clone()
            };
            let mut depth = None;
            // An obligation that held at the first instance, which is as large, holds here.
            if row.verdict != Verdict::Holds && row.instances.len() == 1 {
                let first = run(&decisive, Until::FirstViolation, None)?;
                depth = first.counterexample.map(|found| found.length as u32);
                row.seconds += first.seconds;
            }
            let report = run(instance, Until::End, depth)?;
            row.seconds += report.seconds;
            row.broken = Some(report.violated().map(str::to_owned).collect());
        }
        Ok(row)
    }
}

/// Creates rows that are all checked at the same instances.
pub fn rows(combinations: Vec<String>, instances: &[Instance]) -> Vec<Row> {
    let rows = combinations.into_iter();
    let row = |given| Row {
        given,
        instances: instances.to_vec(),
    };
    rows.map(row).collect()
}

/// Enumerates all combinations of the values of some parameters; the last parameter varies fastest.
pub fn combinations(parameters: &[(&str, &[&str])]) -> Vec<String> {
    let start = vec![String::new()];
    parameters.iter().fold(start, |rows, (name, values)| {
        let with = |row: &String, value: &&str| format!("{row} --{name} {}", quoted(value));
        let rows = rows.iter();
        let rows = rows.flat_map(|row| values.iter().map(move |value| with(row, value)));
        rows.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_there_once() {
        let rows = combinations(&[("a", &["x", "y"]), ("b", &["1", "2", "it's"])]);
        assert_eq!(rows.len(), 6);
        assert_eq!(rows[1], " --a x --b 2");
        assert_eq!(rows[5], " --a y --b 'it'\\''s'");
    }
}
