//! Published tables: a check at every row and column, with the required and the published verdict of each cell.
//!
//! A cell is decided by a few runs of the check, its *parts*, one for each value of a further parameter; its result
//! is the set of failing parts. A [`Sweep`](super::Sweep) reports the results of combinations; a published table
//! states them, and so is a claim for each of its cells.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::catalogue::{Check, InputError};
use crate::shell::quoted;
use refmap::obligation::{ObligationKind, Settings};
use refmap::report::{Report, Verdict};

/// Published table: a check at every row and column, with the expected results.
#[derive(Clone, Debug)]
pub struct Published {
    /// Paper and table.
    pub source: &'static str,
    /// Parameters that tell rows apart, in the order in which they are shown.
    pub named: Vec<&'static str>,
    /// Parameter whose values are the columns.
    pub columns: Axis,
    /// Parameter whose values are the parts of a cell.
    pub parts: Axis,
    /// Rows.
    pub rows: Vec<PublishedRow>,
}

/// Parameter, with the values that a table enumerates.
#[derive(Clone, Debug, Serialize)]
pub struct Axis {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// Values.
    pub values: Vec<&'static str>,
}

/// Row with its expected results.
#[derive(Clone, Debug)]
pub struct PublishedRow {
    /// Arguments.
    pub given: String,
    /// Expected result per column.
    pub cells: Vec<Expected>,
}

/// Expected result of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Published result, if there is one.
    pub published: Option<Failing>,
    /// Result of this checker.
    pub found: Failing,
}

impl Expected {
    /// Published result, which this checker confirms.
    pub const fn published(failing: Failing) -> Self {
        Self {
            published: Some(failing),
            found: failing,
        }
    }

    /// Result of this checker without a published one.
    pub const fn found(failing: Failing) -> Self {
        Self {
            published: None,
            found: failing,
        }
    }
}

/// Set of failing parts of a cell, as bits; the first part is bit 0. A cell has at most 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Failing(pub u64);

impl Failing {
    /// Empty set.
    pub const NONE: Self = Self(0);

    fn insert(&mut self, part: usize) {
        self.0 |= 1 << part;
    }

    /// Formats the set as `holds`, `wr fails` or `both fail`, where `parts` are the names of the parts.
    pub fn words(self, parts: &[&str]) -> String {
        let failing = || (0..parts.len()).filter(|part| self.0 >> part & 1 == 1);
        match failing().count() {
            0 => "holds".to_owned(),
            2 if parts.len() == 2 => "both fail".to_owned(),
            _ => {
                let names: Vec<_> = failing().map(|part| parts[part]).collect();
                let verb = if names.len() == 1 { "fails" } else { "fail" };
                format!("{} {verb}", names.join(", "))
            }
        }
    }
}

/// Result of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every part was decided; these fail.
    Decided(Failing),
    /// This part violates nothing but `coverage`: it holds vacuously.
    NotExercised(usize),
    /// The exploration of this part was stopped.
    Incomplete(usize),
}

impl Outcome {
    /// Formats the result, where `parts` are the names of the parts.
    pub fn words(self, parts: &[&str]) -> String {
        match self {
            Self::Decided(failing) => failing.words(parts),
            Self::NotExercised(part) => format!("{} not exercised", parts[part]),
            Self::Incomplete(part) => format!("{} incomplete", parts[part]),
        }
    }
}

/// Decided cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Value of the column parameter.
    pub column: &'static str,
    /// Result of this checker.
    pub ours: Outcome,
    /// Expected result.
    pub expected: Expected,
    /// Number of distinct states of all parts; of a failing one, those found before the violation.
    pub states: u64,
    /// Time taken by all parts.
    pub seconds: f64,
}

impl Cell {
    /// True if the result equals the published one, if there is one.
    pub fn agrees(&self) -> Option<bool> {
        let published = self.expected.published?;
        Some(self.ours == Outcome::Decided(published))
    }

    /// True if the result is not as claimed, or not as published.
    pub fn differs(&self) -> bool {
        !self.is_as_claimed() || self.agrees() == Some(false)
    }

    /// True if the result is as claimed.
    pub fn is_as_claimed(&self) -> bool {
        self.ours == Outcome::Decided(self.expected.found)
    }
}

/// Decided row.
#[derive(Clone, Debug, PartialEq)]
pub struct DecidedCells {
    /// Arguments.
    pub given: Map<String, Value>,
    /// Cells.
    pub cells: Vec<Cell>,
}

impl Published {
    /// Tests whether every cell can be decided by `check`.
    ///
    /// # Errors
    ///
    /// If the check rejects an argument, a row has no expectation for some column, or a cell has more than 64 parts.
    pub(crate) fn validate(&self, check: &Check) -> Result<(), InputError> {
        let parts = self.parts.values.len();
        if parts > u64::BITS as usize {
            return Err(InputError::BadArgument {
                parameter: format!("the number of values of {}", self.parts.parameter),
                given: parts.to_string(),
                allowed: "at most 64".to_owned(),
            });
        }
        for (number, row) in self.rows.iter().enumerate() {
            if row.cells.len() != self.columns.values.len() {
                return Err(InputError::Cells {
                    row: number + 1,
                    given: row.cells.len(),
                    columns: self.columns.values.len(),
                });
            }
            for column in &self.columns.values {
                for part in &self.parts.values {
                    check.arguments(&self.given(row, column, part))?;
                }
            }
        }
        Ok(())
    }

    /// Arguments of a part of a cell.
    fn given(&self, row: &PublishedRow, column: &str, part: &str) -> String {
        let axes = [
            (self.columns.parameter, column),
            (self.parts.parameter, part),
        ];
        let axes = axes.map(|(parameter, value)| format!(" --{parameter} {}", quoted(value)));
        format!("{}{}", row.given, axes.concat())
    }

    /// Arguments of a row by the names that tell it from others; null, or no names, where it does not have one.
    pub(crate) fn row_of(
        &self,
        check: &Check,
        row: &PublishedRow,
    ) -> Result<Map<String, Value>, InputError> {
        let mut given = check.parameters.part(check.name, &row.given)?;
        let named = self.named.iter();
        let named = named.map(|name| {
            let value = given.remove(*name);
            let value = value.unwrap_or_else(|| check.parameters.absent(name));
            ((*name).to_owned(), value)
        });
        Ok(named.collect())
    }

    /// Decides a row.
    ///
    /// # Panics
    ///
    /// If the row has no expectation for some column.
    pub(super) fn row(
        &self,
        check: &Check,
        row: &PublishedRow,
        settings: &Settings<'_>,
    ) -> Result<DecidedCells, InputError> {
        assert_eq!(
            row.cells.len(),
            self.columns.values.len(),
            "a row says what must come of each column"
        );
        let mut cells = Vec::new();
        for (column, expected) in self.columns.values.iter().zip(&row.cells) {
            let (ours, states, seconds) = self.cell(check, settings, row, column)?;
            cells.push(Cell {
                column,
                ours,
                expected: *expected,
                states,
                seconds,
            });
        }
        let given = self.row_of(check, row)?;
        Ok(DecidedCells { given, cells })
    }

    fn cell(
        &self,
        check: &Check,
        settings: &Settings<'_>,
        row: &PublishedRow,
        column: &'static str,
    ) -> Result<(Outcome, u64, f64), InputError> {
        let mut failing = Failing::NONE;
        let mut undecided = None;
        let (mut states, mut seconds) = (0, 0.0);
        for (number, part) in self.parts.values.iter().enumerate() {
            let arguments = check.arguments(&self.given(row, column, part))?;
            let report = check.run(&arguments, settings)?;
            states += report.states;
            seconds += report.seconds;
            match report.verdict {
                Some(Verdict::Holds) => (),
                Some(Verdict::Violated) if is_exercised(&report) => failing.insert(number),
                Some(Verdict::Violated) => {
                    undecided.get_or_insert(Outcome::NotExercised(number));
                }
                _ => undecided = undecided.or(Some(Outcome::Incomplete(number))),
            }
        }
        let ours = undecided.unwrap_or(Outcome::Decided(failing));
        Ok((ours, states, seconds))
    }

    /// Number of cells with a published result.
    pub fn published(&self) -> usize {
        let expected = self.rows.iter().flat_map(|row| &row.cells);
        expected.filter(|cell| cell.published.is_some()).count()
    }

    /// Formats the number of cells, and of those with a published result.
    pub fn size(&self) -> String {
        let cells: usize = self.rows.iter().map(|row| row.cells.len()).sum();
        match self.published() {
            0 => format!("{cells} cells as recorded"),
            published => format!("{cells} cells as recorded, {published} of them as published"),
        }
    }

    /// Serializes decided rows as `{"rows": [...]}`: each row with its arguments and its cells, and each cell with
    /// its column, its result, the published result, and whether the two agree, or null. A table without published
    /// results omits the last two.
    pub fn json<'r>(&self, rows: impl IntoIterator<Item = &'r DecidedCells>) -> Value {
        let parts = &self.parts.values;
        let any_published = self.published() > 0;
        let cell = |cell: &Cell| {
            let mut shown = Map::new();
            shown.insert(self.columns.parameter.to_owned(), cell.column.into());
            shown.insert("ours".to_owned(), cell.ours.words(parts).into());
            if any_published {
                let published = cell.expected.published;
                let published = published.map(|failing| failing.words(parts));
                shown.insert("paper".to_owned(), published.into());
                shown.insert("agrees".to_owned(), cell.agrees().into());
            }
            shown.insert("states".to_owned(), cell.states.into());
            shown.insert("seconds".to_owned(), cell.seconds.into());
            Value::Object(shown)
        };
        let row = |row: &DecidedCells| {
            let mut shown = row.given.clone();
            let cells = row.cells.iter().map(cell).collect();
            shown.insert("cells".to_owned(), Value::Array(cells));
            Value::Object(shown)
        };
        json!({"rows": rows.into_iter().map(row).collect::<Vec<_>>()})
    }
}

/// True if an obligation other than `coverage` is violated.
fn is_exercised(report: &Report) -> bool {
    report
        .violated()
        .any(|name| ObligationKind::of(name) != Some(ObligationKind::Coverage))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::table::{Decided, Rows, Table};
    use crate::catalogue::{choice, number};
    use refmap::obligation::Checker;
    use refmap_programs::{Behaviours, MemoryModel, Program, ProgramBuilder, ProgramRefinement};
    use refmap_testing::Adjusting;

    static MODELS: [&str; 2] = ["sc", "tso"];

    /// Store buffering; in `forward` each thread reads its own location.
    fn program(shape: &str) -> Program {
        let mut program = ProgramBuilder::new("store buffering");
        let (x, y) = (program.location("x", 0), program.location("y", 0));
        for (name, own, other) in [("P0", x, y), ("P1", y, x)] {
            program.thread(name, |t| {
                let r = t.register("r");
                t.store(own, 1);
                t.load(r, if shape == "forward" { own } else { other });
                t.output(r);
            });
        }
        program.build().expect("it is well formed")
    }

    #[derive(Clone, clap::Args)]
    struct Arguments {
        #[arg(long, default_value = "sc", value_parser = choice(MemoryModel::ALL, MemoryModel::name))]
        memory: MemoryModel,
        #[arg(long, default_value = "read", value_parser = ["read", "forward"])]
        shape: String,
        #[arg(long, default_value_t = 1000, value_parser = number::<u64>(1..=1000))]
        most: u64,
    }

    fn check() -> Check {
        Check::new("robust", "", "", |arguments: &Arguments| {
            let program = program(&arguments.shape);
            let states = arguments.most;
            let specification = Behaviours::of(program.clone(), MemoryModel::Sc, 1000);
            let specification = specification.expect("it is small");
            let refinement = ProgramRefinement::new(program, arguments.memory, specification);
            let checker = Checker::owning(refinement);
            let limited = move |settings: &mut Settings<'_>| settings.limits.states = Some(states);
            Ok(Box::new(Adjusting(checker, limited)))
        })
    }

    fn published(rows: Vec<PublishedRow>) -> Published {
        Published {
            source: "nowhere",
            named: vec!["most"],
            columns: Axis {
                parameter: "memory",
                values: MODELS.to_vec(),
            },
            parts: Axis {
                parameter: "shape",
                values: vec!["read", "forward"],
            },
            rows,
        }
    }

    fn decided(published: &Published) -> Vec<DecidedCells> {
        let table = Table {
            name: "sb",
            about: "store buffering",
            check: "robust",
            rows: Rows::Published(published.clone()),
        };
        let mut rows = Vec::new();
        let decided = table.decide(&check(), &Settings::default(), |row| {
            let Decided::Cells(row) = row else {
                panic!("{row:?}");
            };
            rows.push(row);
            Ok::<_, InputError>(true)
        });
        decided.expect("the table fits its check");
        rows
    }

    #[test]
    fn a_cell_says_which_parts_fail_and_whether_that_was_published() {
        let first = Failing(1);
        let published = published(vec![PublishedRow {
            given: String::new(),
            cells: vec![Expected::published(first), Expected::found(first)],
        }]);
        let rows = decided(&published);
        let shown = published.json(&rows);
        let row = &shown["rows"][0];
        assert!(row["most"].is_null());
        let cell = &row["cells"][0];
        assert_eq!(
            [&cell["memory"], &cell["ours"], &cell["paper"]],
            ["sc", "holds", "read fails"]
        );
        assert_eq!(cell["agrees"], false);
        let cell = &row["cells"][1];
        assert_eq!(cell["ours"], "read fails");
        assert!(cell["paper"].is_null() && cell["agrees"].is_null());
        assert!(!rows[0].cells[0].is_as_claimed() && rows[0].cells[1].is_as_claimed());
        assert_eq!(
            published.size(),
            "2 cells as recorded, 1 of them as published"
        );
    }

    /// An interrupted exploration agrees with no result.
    #[test]
    fn what_was_not_decided_is_said_not_to_be() {
        let published = published(vec![PublishedRow {
            given: "--most 2".to_owned(),
            cells: vec![Expected::published(Failing::NONE); 2],
        }]);
        for cell in &decided(&published)[0].cells {
            assert_eq!(cell.ours, Outcome::Incomplete(0));
            assert_eq!(cell.agrees(), Some(false));
            assert!(!cell.is_as_claimed());
        }
        assert_eq!(
            Outcome::NotExercised(1).words(&["a", "b"]),
            "b not exercised"
        );
    }

    /// The first part that is interrupted is told, whichever it is, and whatever the others say.
    #[test]
    fn a_part_that_is_interrupted_is_told() {
        let cell = |parts: &[&'static str], most: u64| {
            let mut published = published(vec![PublishedRow {
                given: format!("--most {most}"),
                cells: vec![Expected::found(Failing::NONE)],
            }]);
            published.columns.values = vec!["tso"];
            published.parts.values = parts.to_vec();
            decided(&published)[0].cells[0].clone()
        };
        let both = ["read", "forward"];
        let least = both
            .map(|part| cell(&[part], 1000).states)
            .into_iter()
            .min();
        let least = least.expect("there are two");
        let mut told = [0; 2];
        for parts in [both, ["forward", "read"]] {
            for most in [1, least, least + 1] {
                let is_cut = parts.map(|part| cell(&[part], most).ours == Outcome::Incomplete(0));
                let Some(first) = is_cut.iter().position(|is_cut| *is_cut) else {
                    continue;
                };
                let ours = cell(&parts, most).ours;
                assert_eq!(ours, Outcome::Incomplete(first), "{parts:?} {most}");
                told[first] += 1;
            }
        }
        assert!(told.iter().all(|times| *times > 0), "{told:?}");
    }

    /// Each row is looked at, and of each row each column and each part.
    #[test]
    fn what_the_check_refuses_is_refused_wherever_it_stands() {
        let row = |given: &str, cells| PublishedRow {
            given: given.to_owned(),
            cells: vec![Expected::found(Failing::NONE); cells],
        };
        let good = || {
            published(
                (1..=3)
                    .map(|most| row(&format!("--most {most}"), 2))
                    .collect(),
            )
        };
        let told = |published: Published| {
            let refused = published.validate(&check());
            refused.map_err(|error| error.to_string())
        };
        assert_eq!(told(good()), Ok(()));
        for place in 0..3 {
            for cells in [1, 3] {
                let mut published = good();
                published.rows[place] = row("", cells);
                let told = told(published).expect_err("there are two columns");
                assert!(told.contains(&format!("row {}", place + 1)), "{told}");
            }
            let mut published = good();
            published.rows[place] = row("--most 0", 2);
            assert!(told(published).is_err_and(|told| told.contains("most is 0")));
        }
        for place in 0..2 {
            let mut published = good();
            published.columns.values[place] = "none";
            assert!(told(published).is_err_and(|told| told.contains("memory is \"none\"")));
            let mut published = good();
            published.parts.values[place] = "none";
            assert!(told(published).is_err_and(|told| told.contains("shape is \"none\"")));
        }
    }

    #[test]
    fn failing_parts_are_named() {
        let words = |bits| Failing(bits).words(&["a", "b"]);
        assert_eq!(
            [0, 1, 2, 3].map(words),
            ["holds", "a fails", "b fails", "both fail"]
        );
        assert_eq!(Failing(5).words(&["a", "b", "c"]), "a, c fail");
        let many: Vec<String> = (0..64).map(|part| format!("p{part}")).collect();
        let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
        let mut both = Failing::NONE;
        both.insert(8);
        both.insert(63);
        assert_eq!(both.words(&many), "p8, p63 fail");
        many.push("p64");
        let mut published = published(Vec::new());
        published.parts.values = vec!["read"; many.len()];
        let refused = published
            .validate(&check())
            .map_err(|error| error.to_string());
        let reason = "the number of values of shape is 65, and must be at most 64";
        assert_eq!(refused, Err(reason.to_owned()));
    }
}
