//! Row of the default run: what is said of a claim or a table, and of what is not as claimed.

use crate::catalogue::Claim;
use crate::catalogue::table::{DecidedCells, Published, Table};
use crate::command_line::junit::{Case, Outcome, Problem};
use refmap::report::{Report, Verdict};

/// Result of a claim or a table.
pub(super) struct Row {
    pub verdict: String,
    /// Arguments of the program, without `check`.
    pub command: String,
    pub states: u64,
    pub seconds: f64,
    pub source: String,
    pub says: String,
    /// Differences of the result from the claimed one; none if it is as claimed.
    pub differences: Vec<String>,
    /// Further lines about a result that is not as claimed.
    details: Vec<String>,
    /// Arguments of the program that show the whole result.
    again: String,
    /// Check or table.
    class: String,
    kind: &'static str,
}

impl Row {
    pub fn of_claim(claim: &Claim, report: &Report) -> Self {
        let verdict = report.verdict.map_or("none".to_owned(), |v| v.to_string());
        let mut details = vec![format!("claimed: {}", claim.expect)];
        details.extend(report.counterexample.as_ref().map(|found| {
            let why = found.explanation.lines().next().unwrap_or_default();
            format!("found: {}: {why}", found.failure())
        }));
        Self {
            command: {
                let command = claim.command.strip_prefix("check ");
                command.unwrap_or(&claim.command).to_owned()
            },
            states: report.states,
            seconds: report.seconds,
            source: claim.source.clone(),
            says: claim.says.clone(),
            differences: claim.differences(report),
            details,
            again: claim.command.clone(),
            class: claim.check.clone(),
            kind: match report.verdict {
                Some(Verdict::Incomplete) => "incomplete",
                _ => "otherwise",
            },
            verdict,
        }
    }

    pub fn of_table(table: &Table, published: &Published, rows: &[&DecidedCells]) -> Self {
        let cells = || {
            let rows = rows.iter();
            rows.flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
        };
        let differences = cells().filter(|(_, cell)| cell.differs());
        let differences = differences.map(|(row, cell)| {
            let given: Vec<_> = row.given.iter().map(|(k, v)| format!("{k} {v}")).collect();
            let (given, parts) = (given.join(" "), &published.parts.values);
            let (expected, ours) = (cell.expected.found.words(parts), cell.ours.words(parts));
            format!(
                "{given}, {}: expected {expected}, found {ours}",
                cell.column
            )
        });
        Self {
            verdict: "table".to_owned(),
            command: table.name.to_owned(),
            states: cells().map(|(_, cell)| cell.states).sum(),
            seconds: cells().map(|(_, cell)| cell.seconds).sum(),
            source: published.source.to_owned(),
            says: table.about.to_owned(),
            differences: differences.collect(),
            details: Vec::new(),
            again: format!("table {}", table.name),
            class: table.name.to_owned(),
            kind: "otherwise",
        }
    }

    pub fn is_as_claimed(&self) -> bool {
        self.differences.is_empty()
    }

    /// Lines about a result that is not as claimed. The last one is a command.
    pub fn details(&self, program: &str) -> Vec<String> {
        let source = format!("[{}] {}", self.source, self.says);
        let again = format!("{program} {}", self.again);
        let lines = self.differences.iter().chain(&self.details).cloned();
        lines.chain([source, again]).collect()
    }

    pub fn case(&self, program: &str) -> Case {
        Case {
            class: format!("{program}.{}", self.class),
            name: self.again.clone(),
            seconds: Some(self.seconds),
            outcome: if self.is_as_claimed() {
                Outcome::Passed
            } else {
                Outcome::Failed(Problem {
                    kind: self.kind,
                    message: self.differences.join("; "),
                    text: self.details(program).join("\n"),
                })
            },
        }
    }
}

#[cfg(test)]
impl Row {
    /// Row of this command that differs so from what is claimed.
    pub fn of_test(command: &str, differences: &[&str]) -> Self {
        Self {
            verdict: "holds".to_owned(),
            command: command.to_owned(),
            states: 415_633,
            seconds: 1.234,
            source: "a paper, Fig. 3".to_owned(),
            says: "it holds".to_owned(),
            differences: differences.iter().map(|text| (*text).to_owned()).collect(),
            details: vec!["claimed: holds".to_owned()],
            again: format!("check {command}"),
            class: "ben-ari-3".to_owned(),
            kind: "otherwise",
        }
    }
}
