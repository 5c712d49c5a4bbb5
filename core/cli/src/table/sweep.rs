//! Parameter sweeps: one check at every combination of some of its parameters, each tried at larger and larger
//! instances until one violates it.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Given;
use crate::catalogue::{Check, InputError};
use refmap::obligation::{Selection, Settings, Symmetry, Until};
use refmap::report::Verdict;

/// A check at many combinations of its parameters: what becomes of each.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The rows.
    pub rows: Vec<Row>,
    /// An instance, as large as the first of a row, at which it is seen which obligations are violated: in
    /// a row that is violated there, before that or as soon; in another one, anywhere.
    pub on_the_way: Option<Instance>,
}

/// A combination of parameters, and where it is tried.
#[derive(Clone, Debug)]
pub struct Row {
    /// The combination.
    pub given: Given,
    /// The instances, smallest first.
    pub instances: Vec<Instance>,
}

/// An instance of a check, and how it is explored.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// Its arguments.
    pub given: Given,
    /// The obligations that are checked.
    pub obligations: Selection,
    /// Whether states that differ only by a symmetry are identified.
    pub symmetry: Symmetry,
}

impl From<Given> for Instance {
    fn from(given: Given) -> Self {
        Self {
            given,
            ..Self::default()
        }
    }
}

/// What became of a combination.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweptRow {
    /// The combination.
    pub combination: Map<String, Value>,
    /// `holds` if it holds at every instance of the table, and there is one; `violated` or `incomplete` if it is so
    /// at the last one tried, or if there is none.
    pub verdict: Verdict,
    /// The instances tried, the last of which decided.
    pub instances: Vec<Map<String, Value>>,
    /// The obligation of the shortest counterexample.
    pub by: Option<String>,
    /// Its length.
    pub length: Option<usize>,
    /// Distinct states of the last instance.
    pub states: u64,
    /// Time taken by all instances.
    pub seconds: f64,
    /// The obligations that are violated on the way; null if the table does not look.
    pub broken: Option<Vec<String>>,
}

impl Sweep {
    pub(super) fn row(
        &self,
        check: &Check,
        Row { given, instances }: &Row,
        settings: &Settings<'_>,
    ) -> Result<SweptRow, InputError> {
        let mut row = SweptRow {
            combination: map(given),
            // Where nothing is tried nothing holds.
            verdict: Verdict::Incomplete,
            instances: Vec::new(),
            by: None,
            length: None,
            states: 0,
            seconds: 0.0,
            broken: None,
        };
        let run = |instance: &Instance, until: Until, depth: Option<u32>| {
            let given = given.iter().chain(&instance.given);
            let given: Vec<_> = given.cloned().collect();
            let mut settings = Settings {
                obligations: instance.obligations.clone(),
                symmetry: instance.symmetry,
                until,
                ..settings.clone()
            };
            settings.limits.depth = depth.or(settings.limits.depth);
            check.run(&given, &settings)
        };
        for instance in instances {
            let report = run(instance, Until::FirstViolation, None)?;
            row.instances.push(map(&instance.given));
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
            // What held at the first instance, which is as large, holds here.
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

fn map(given: &Given) -> Map<String, Value> {
    let pairs = given.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}

/// Rows that are all tried at the same instances.
pub fn rows(combinations: Vec<Given>, instances: &[Instance]) -> Vec<Row> {
    let rows = combinations.into_iter();
    let row = |given| Row {
        given,
        instances: instances.to_vec(),
    };
    rows.map(row).collect()
}

/// Every combination of the values of some parameters, the last parameter varying fastest.
pub fn combinations(parameters: &[(&'static str, &[&'static str])]) -> Vec<Given> {
    let start = vec![Given::new()];
    parameters.iter().fold(start, |rows, (name, values)| {
        let with = |row: &Given, value: &str| {
            let mut row = row.clone();
            row.push((*name, value.into()));
            row
        };
        rows.iter()
            .flat_map(|row| values.iter().map(move |value| with(row, value)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_there_once() {
        let rows = combinations(&[("a", &["x", "y"]), ("b", &["1", "2", "3"])]);
        assert_eq!(rows.len(), 6);
        assert_eq!(rows[1], [("a", "x".into()), ("b", "2".into())]);
        assert_eq!(rows[5], [("a", "y".into()), ("b", "3".into())]);
    }
}
