//! `table`: runs a check at every combination of some of its parameters.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Map, Value};

use super::attended::attended_parts;
use super::command::TableCommand;
use super::error::CommandError;
use super::failures::Failures;
use super::files::Files;
use super::junit::{JunitFile, Suite};
use super::program::Program;
use super::progress;
use super::status::Status;
use crate::catalogue::table::{
    Decided, DecidedCells, Instance, Published, Rows, Sweep, SweptRow, Table,
};
use crate::catalogue::{Check, InputError};
use crate::in_order::InOrder;
use crate::json;
use crate::watchdogs::Watchdogs;
use refmap::explore::{Limits, Watch};
use refmap::internal::{counted, grouped, plain};
use refmap::obligation::Settings;

pub(super) fn run(
    program: Program<'_>,
    command: &TableCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let catalogue = program.catalogue;
    let mut tables = catalogue.tables.iter();
    let table = tables.find(|table| table.name == command.table);
    let table = table.expect("the command line knows the tables of the catalogue only");
    let started = Instant::now();
    let junit = JunitFile::prepare(command.junit.as_deref(), &mut Files::default())?;
    let check = catalogue.check(table.check)?;
    table.validate(check)?;
    let bar = progress::Bar::new(command.quiet, table.name, table.height(), Limits::default());
    let text = (!command.json && !command.quiet).then(|| Text::of(table, check));
    let text = text.transpose()?;
    let mut decided = RowsOf {
        output,
        failures: Failures::default(),
        waiting: InOrder::default(),
        rows: Vec::new(),
        left: (0..table.height()).collect(),
        refused: None,
    };
    if let Some(text) = &text {
        decided.failures.keep(text.heading(decided.output));
    }
    let is_written = junit.is_some();
    let watchdogs = &Watchdogs::default();
    attended_parts(
        program,
        watchdogs,
        cancel,
        decided,
        |show| {
            let settings = Settings {
                threads: command.threads,
                watch: Watch {
                    cancel: Some(cancel),
                    progress: Some(&|progress| bar.show(table.name, progress)),
                },
                ..Settings::default()
            };
            let decided = table.decide_watched(check, &settings, watchdogs, |number, row| {
                Ok::<_, Infallible>(show((number, row)))
            });
            decided.unwrap_or_else(|never| match never {})
        },
        |decided, (number, row)| {
            if cancel.load(Ordering::Relaxed) {
                return false;
            }
            decided.waiting.add(number, row);
            bar.done(table.name);
            while let Some((number, row)) = decided.waiting.next() {
                bar.pause(|| decided.add(number, row, text.as_ref()));
            }
            if !decided.failures.is_empty() && !is_written {
                // There is nothing to decide the others for.
                cancel.store(true, Ordering::Relaxed);
                return false;
            }
            true
        },
        |mut decided, done| {
            bar.clear();
            // Those behind a row that is missing.
            for (number, row) in std::mem::take(&mut decided.waiting).rest() {
                decided.add(number, row, text.as_ref());
            }
            let RowsOf {
                output,
                mut failures,
                rows,
                left,
                refused,
                ..
            } = decided;
            let held_up = done.err();
            if let Some(held_up) = &held_up {
                held_up.tell();
            }
            if let (Some(junit), Rows::Published(published)) = (junit, &table.rows) {
                let seconds = started.elapsed().as_secs_f64();
                let mut suite =
                    Suite::of_table(program.name, table, published, check, &rows, &left, seconds);
                if let Some(error) = &refused {
                    suite.refuse(format!("{}.{}", program.name, table.name), "table", error);
                }
                failures.keep(junit.write(&suite, cancel));
            }
            if let Some(error) = refused {
                failures.keep(Err::<(), _>(error));
                return failures.or(Status::Unusable);
            }
            let left = left.len();
            if let Some(text) = text.as_ref().filter(|_| failures.is_empty()) {
                let ended = text.end(&rows, output);
                failures.keep(ended.and_then(|()| cut_short(left, output)));
            }
            if command.json {
                let mut printed = table.json(&rows, left);
                if let Some(held_up) = &held_up {
                    printed["unreturned"] = held_up.json();
                }
                failures.keep(json::print(&printed, output));
            }
            failures.or(match left {
                0 => Status::Success,
                _ => Status::Incomplete,
            })
        },
    )
}

/// Rows that are decided, and what could not be written of them.
struct RowsOf<'o> {
    output: &'o mut dyn Write,
    failures: Failures,
    /// Rows that are decided before one that stands above them.
    waiting: InOrder<Result<Decided, InputError>>,
    rows: Vec<Decided>,
    /// Numbers of the rows that are not decided.
    left: BTreeSet<usize>,
    /// Error of the first row that is refused.
    refused: Option<InputError>,
}

impl RowsOf<'_> {
    /// Adds the next row, and prints it, unless printing has failed. After one that is refused there is no other.
    fn add(&mut self, number: usize, row: Result<Decided, InputError>, text: Option<&Text<'_>>) {
        if self.refused.is_some() {
            return;
        }
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                self.refused = Some(error);
                return;
            }
        };
        if let Some(text) = text.filter(|_| self.failures.is_empty()) {
            self.failures.keep(text.row(&row, self.output));
        }
        self.left.remove(&number);
        self.rows.push(row);
    }
}

/// Reports how many rows of an interrupted table are missing.
fn cut_short(left: usize, output: &mut dyn Write) -> io::Result<()> {
    match left {
        0 => Ok(()),
        1 => writeln!(output, "cut short: 1 row was not decided"),
        left => writeln!(output, "cut short: {left} rows were not decided"),
    }
}

/// Text rendering of a table.
struct Text<'a> {
    table: &'a Table,
    rows: RowsText<'a>,
}

enum RowsText<'a> {
    Sweep(&'a Sweep, &'a Check),
    Published(&'a Published, Widths),
}

impl<'a> Text<'a> {
    fn of(table: &'a Table, check: &'a Check) -> Result<Self, InputError> {
        let rows = match &table.rows {
            Rows::Sweep(sweep) => RowsText::Sweep(sweep, check),
            Rows::Published(published) => {
                RowsText::Published(published, Widths::of(published, check)?)
            }
        };
        Ok(Self { table, rows })
    }

    fn heading(&self, output: &mut dyn Write) -> Result<(), CommandError> {
        let about = self.table.about;
        match &self.rows {
            RowsText::Sweep(sweep, check) => heading(about, sweep, check, output)?,
            RowsText::Published(published, widths) => widths.heading(about, published, output)?,
        }
        Ok(())
    }

    fn row(&self, row: &Decided, output: &mut dyn Write) -> io::Result<()> {
        match (&self.rows, row) {
            (RowsText::Published(published, widths), Decided::Cells(row)) => {
                widths.line(published, row, output)
            }
            (_, Decided::Swept(row)) => line(row, output),
            (RowsText::Sweep(..), Decided::Cells(_)) => unreachable!("a sweep decides no cells"),
        }
    }

    /// Writes the summary of all rows.
    fn end(&self, rows: &[Decided], output: &mut dyn Write) -> io::Result<()> {
        match &self.rows {
            RowsText::Sweep(..) => Ok(()),
            RowsText::Published(published, _) => {
                let rows: Vec<_> = rows.iter().filter_map(Decided::cells).collect();
                summary(published, &rows, output)
            }
        }
    }
}

/// Column widths of a published table.
struct Widths {
    /// Widths of the argument columns.
    given: Vec<usize>,
    /// Width of the cells.
    cell: usize,
}

/// Formats an argument; null means that the row does not have it.
fn argument(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(names) => names.iter().map(plain).collect::<Vec<_>>().join(", "),
        value => plain(value),
    }
}

impl Widths {
    fn of(published: &Published, check: &Check) -> Result<Self, InputError> {
        let rows = published.rows.iter();
        let rows: Result<Vec<_>, _> = rows.map(|row| published.row_of(check, row)).collect();
        let rows = rows?;
        let width = |name: &&str| {
            let cells = rows.iter().map(|row| argument(&row[*name]).chars().count());
            cells.fold(name.chars().count(), usize::max)
        };
        let columns_are = published.columns.values.iter();
        let part = published
            .parts
            .values
            .iter()
            .map(|part| part.chars().count());
        let words = "! ".len() + part.max().unwrap_or(0) + " not exercised".len();
        let cell = columns_are.map(|name| name.len()).fold(words, usize::max);
        Ok(Self {
            given: published.named.iter().map(width).collect(),
            cell,
        })
    }

    fn heading(
        &self,
        about: &str,
        published: &Published,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(output, "{about} [{}]\n", published.source)?;
        let names = published.named.iter().map(|name| (*name).to_owned());
        let columns = published
            .columns
            .values
            .iter()
            .map(|name| (*name).to_owned());
        self.print(names.collect(), columns.collect(), output)
    }

    fn line(
        &self,
        published: &Published,
        row: &DecidedCells,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let given = row.given.values().map(argument).collect();
        let any = published.published();
        let cells = row.cells.iter().map(|cell| {
            let ours = cell.ours.words(&published.parts.values);
            match cell.agrees() {
                _ if !cell.is_as_claimed() => format!("! {ours}"),
                Some(true) => ours,
                Some(false) => format!("* {ours}"),
                None if any == 0 => ours,
                None => format!("({ours})"),
            }
        });
        self.print(given, cells.collect(), output)?;
        output.flush()
    }

    fn print(
        &self,
        given: Vec<String>,
        cells: Vec<String>,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let given = given.iter().zip(&self.given);
        let given = given.map(|(text, width)| format!("{text:<width$}"));
        let cells = cells
            .iter()
            .map(|text| format!("{text:<width$}", width = self.cell));
        let line: Vec<_> = given.chain(cells).collect();
        writeln!(output, "{}", line.join("  ").trim_end())
    }
}

/// Writes the number of cells as published, the differing cells, and the cost.
fn summary(
    published: &Published,
    rows: &[&DecidedCells],
    output: &mut dyn Write,
) -> io::Result<()> {
    let cells = || rows.iter().flat_map(|row| &row.cells);
    let compared = cells().filter_map(|cell| cell.agrees());
    let (agree, compared) = compared.fold((0, 0), |(agree, all), agrees| {
        (agree + usize::from(agrees), all + 1)
    });
    let claimed = cells().filter(|cell| cell.is_as_claimed()).count();
    let runs = cells().count() * published.parts.values.len();
    let states: u64 = cells().map(|cell| cell.states).sum();
    let seconds: f64 = cells().map(|cell| cell.seconds).sum();
    writeln!(output)?;
    if compared > 0 {
        writeln!(
            output,
            "{agree} of {compared} published cells agree; in parentheses: not published; *: the \
             paper says something else"
        )?;
    }
    writeln!(
        output,
        "{claimed} of {} as claimed (!: not); {}, {}, {seconds:.1} s",
        match cells().count() {
            1 => "1 cell is".to_owned(),
            count => format!("{} cells are", grouped(count as u64)),
        },
        counted(runs as u64, "run"),
        counted(states, "state")
    )?;
    let parts = &published.parts.values;
    for row in rows {
        for cell in &row.cells {
            let paper = match (cell.agrees(), cell.expected.published) {
                (Some(false), Some(paper)) => format!("; paper: {}", paper.words(parts)),
                _ => String::new(),
            };
            let claimed = if cell.is_as_claimed() {
                String::new()
            } else {
                format!("; claimed: {}", cell.expected.found.words(parts))
            };
            if !paper.is_empty() || !claimed.is_empty() {
                let ours = cell.ours.words(parts);
                writeln!(output, "{}: {ours}{paper}{claimed}", name(row, cell.column))?;
            }
        }
    }
    output.flush()
}

/// Name of a cell: the non-empty arguments of its row, and its column.
fn name(row: &DecidedCells, column: &str) -> String {
    let given = row.given.iter();
    let given = given.map(|(name, value)| (name, argument(value)));
    let given = given.filter(|(_, value)| !value.is_empty());
    let given = given.map(|(name, value)| format!("{name} {value}"));
    let words: Vec<_> = given.chain([column.to_owned()]).collect();
    words.join(", ")
}

/// Writes the columns, and the instances to which a row that holds was explored.
fn heading(
    about: &str,
    sweep: &Sweep,
    check: &Check,
    output: &mut dyn Write,
) -> Result<(), CommandError> {
    let shown = |instance: &Instance| -> Result<String, InputError> {
        let given = check.parameters.part(check.name, &instance.given)?;
        Ok(words(&given))
    };
    let mut instances: Vec<String> = Vec::new();
    for instance in sweep.rows.iter().flat_map(|row| &row.instances) {
        let instance = shown(instance)?;
        if !instances.contains(&instance) {
            instances.push(instance);
        }
    }
    writeln!(output, "{about}")?;
    writeln!(output, "instances: {}", instances.join("; "))?;
    if let Some(instance) = &sweep.on_the_way {
        writeln!(output, "broken on the way at: {}", shown(instance)?)?;
    }
    writeln!(output)?;
    Ok(())
}

/// Formats an argument briefly: its distinguishing part.
fn described((name, value): (&String, &Value)) -> String {
    match value {
        Value::Bool(true) => name.clone(),
        Value::Array(_) => format!("{name} {}", argument(value)),
        value => plain(value),
    }
}

fn line(row: &SweptRow, output: &mut dyn Write) -> io::Result<()> {
    let mut combination: Vec<_> = row.combination.iter().map(described).collect();
    if combination.is_empty() {
        combination.push("the defaults".to_owned());
    }
    let last = row.instances.last();
    let last = last.map_or_else(String::new, words);
    let found = match (&row.by, row.length) {
        (Some(by), Some(length)) => {
            format!("by {by}, {}, at {last}", counted(length as u64, "step"))
        }
        _ => format!("to {last}, {}", counted(row.states, "state")),
    };
    writeln!(
        output,
        "{:<10} {:<74} {found}",
        row.verdict,
        combination.join("  ")
    )?;
    if let Some(broken) = row.broken.as_ref().filter(|broken| !broken.is_empty()) {
        writeln!(output, "{:<10} breaks {}", "", broken.join(", "))?;
    }
    output.flush()
}

fn words(given: &Map<String, Value>) -> String {
    let words: Vec<_> = given
        .iter()
        .map(|(name, value)| format!("{name} {}", plain(value)))
        .collect();
    words.join(" ")
}
