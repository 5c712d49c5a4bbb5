//! Results of a published table as JUnit: a test case for each cell.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Case, Outcome, Problem, Suite};
use crate::catalogue::Check;
use crate::catalogue::table::{Decided, Published, Table};
use refmap::internal::plain;

impl Suite {
    /// Results of the rows of a published table that were decided; the others, of these numbers, were not run.
    pub fn of_table(
        program: &str,
        table: &Table,
        published: &Published,
        check: &Check,
        rows: &[Decided],
        left: &BTreeSet<usize>,
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
        for row in left.iter().map(|number| &published.rows[*number]) {
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

#[cfg(test)]
mod tests {
    use refmap::obligation::{Checker, Settings};
    use refmap_testing::{counter, itself};

    use super::*;
    use crate::catalogue::InputError;
    use crate::catalogue::table::{Axis, Expected, Failing, PublishedRow, Rows};

    #[derive(Clone, clap::Args)]
    struct Arguments {
        #[arg(long, default_value = "one", value_parser = ["one"])]
        column: String,
        #[arg(long, default_value = "whole", value_parser = ["whole"])]
        part: String,
        #[arg(long, default_value = "a")]
        row: String,
    }

    /// A row may be decided where one above it is not.
    #[test]
    fn rows_that_were_not_run_are_told_wherever_they_are() {
        let check = Check::new("count", "", "", |_: &Arguments| {
            Ok(Box::new(Checker::owning(itself(counter()))))
        });
        let rows = ["--row a", "--row b", "--row c"].map(|given| PublishedRow {
            given: given.to_owned(),
            cells: vec![Expected::found(Failing::NONE)],
        });
        let axis = |parameter, value| Axis {
            parameter,
            values: vec![value],
        };
        let published = Published {
            source: "",
            named: vec!["row"],
            columns: axis("column", "one"),
            parts: axis("part", "whole"),
            rows: rows.into(),
        };
        let table = Table {
            name: "rows",
            about: "",
            check: "count",
            rows: Rows::Published(published.clone()),
        };
        let mut rows = Vec::new();
        let decided = table.decide(&check, &Settings::default(), |row| {
            rows.push(row);
            Ok::<_, InputError>(true)
        });
        decided.expect("the arguments are accepted");
        let left = BTreeSet::from([0, 2]);
        let suite = Suite::of_table("mine", &table, &published, &check, &rows[1..2], &left, 0.0);
        let cases = suite.cases.iter();
        let cases: Vec<_> = cases
            .map(|case| (&*case.name, matches!(case.outcome, Outcome::Passed)))
            .collect();
        let expected = [
            ("row b, one", true),
            ("row a, one", false),
            ("row c, one", false),
        ];
        assert_eq!(cases, expected);
    }
}
