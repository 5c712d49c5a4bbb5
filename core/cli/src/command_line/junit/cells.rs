//! Results of a published table as JUnit: a test case for each cell.

use serde_json::{Map, Value};

use super::{Case, Outcome, Problem, Suite};
use crate::catalogue::Check;
use crate::catalogue::table::{Decided, Published, Table};
use refmap::internal::plain;

impl Suite {
    /// Results of the rows of a published table that were decided; the others were not run.
    pub fn of_table(
        program: &str,
        table: &Table,
        published: &Published,
        check: &Check,
        rows: &[Decided],
        seconds: f64,
    ) -> Self {
        let case = |given: Vec<String>, column: &str, seconds, outcome| Case {
            class: format!("{program}.{}", table.name),
            name: [given, vec![column.to_owned()]].concat().join(", "),
            seconds,
            outcome,
        };
        let parts = &published.parts.values;
        let mut cases = Vec::new();
        for row in rows.iter().filter_map(Decided::cells) {
            for cell in &row.cells {
                let outcome = if cell.differs() {
                    let expected = cell.expected.found.words(parts);
                    let ours = cell.ours.words(parts);
                    let paper = cell.expected.published.map(|paper| paper.words(parts));
                    let paper = paper.map(|paper| format!("; {} says {paper}", published.source));
                    Outcome::Failed(Problem {
                        kind: "otherwise",
                        message: format!(
                            "expected {expected}, found {ours}{}",
                            paper.unwrap_or_default()
                        ),
                        text: String::new(),
                    })
                } else {
                    Outcome::Passed
                };
                let seconds = Some(cell.seconds);
                cases.push(case(given(&row.given), cell.column, seconds, outcome));
            }
        }
        for row in published.rows.iter().skip(rows.len()) {
            // They are validated before anything is decided.
            let arguments = given(&published.row_of(check, row).unwrap_or_default());
            for column in &published.columns.values {
                let outcome = Outcome::Skipped("not run".to_owned());
                cases.push(case(arguments.clone(), column, None, outcome));
            }
        }
        Self {
            name: format!("{program} table {}", table.name),
            properties: Vec::new(),
            cases,
            seconds,
        }
    }
}

/// Formats the arguments of a row; null means that the row does not have it.
fn given(arguments: &Map<String, Value>) -> Vec<String> {
    let arguments = arguments.iter().filter(|(_, value)| !value.is_null());
    arguments
        .map(|(name, value)| format!("{name} {}", plain(value)))
        .collect()
}
