//! `table`: a check at every combination of some of its parameters, or a grid.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::command::TableCommand;
use super::{CommandError, Status, progress};
use crate::catalogue::Catalogue;
use crate::grid::{DecidedRow, Grid};
use crate::table::{Instance, Table, TableRow};
use refmap::explore::Watch;
use refmap::obligation::Settings;
use refmap::report::layout::plain;

pub(super) fn run(
    catalogue: &Catalogue,
    command: &TableCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let mut tables = catalogue.tables.iter();
    let Some(table) = tables.find(|table| table.name == command.table) else {
        let mut grids = catalogue.grids.iter();
        let grid = grids.find(|grid| grid.name == command.table);
        let grid = grid.expect("the command line knows the tables of the catalogue only");
        return run_grid(catalogue, grid, command, cancel, output);
    };
    let bar = progress::Bar::new(command.quiet, table.name, table.rows.len());
    let settings = Settings {
        threads: command.threads,
        watch: Watch {
            cancel: Some(cancel),
            progress: Some(&|progress| bar.show(table.name, progress)),
        },
        ..Settings::default()
    };
    let mut rows = Vec::new();
    if !command.json && !command.quiet {
        heading(table, output)?;
    }
    table.decide(catalogue, &settings, |row| {
        if cancel.load(Ordering::Relaxed) {
            return Ok::<_, CommandError>(false);
        }
        if !command.json && !command.quiet {
            written(cancel, bar.pause(|| line(&row, output)))?;
        }
        rows.push(row);
        bar.done();
        Ok(true)
    })?;
    bar.clear();
    let left = table.rows.len() - rows.len();
    if !command.json && !command.quiet {
        cut_short(left, output)?;
    }
    if command.json {
        let printed = json!({"table": table, "rows": rows, "not_run": left});
        super::json::print(&printed, output)?;
    }
    Ok(ended(left))
}

/// Where a row cannot be written, those under way need not be decided any more.
fn written(cancel: &AtomicBool, result: std::io::Result<()>) -> std::io::Result<()> {
    if result.is_err() {
        cancel.store(true, Ordering::Relaxed);
    }
    result
}

/// Rows are shown as they are decided, and what to make of them at the end.
fn run_grid(
    catalogue: &Catalogue,
    grid: &Grid,
    command: &TableCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let bar = progress::Bar::new(command.quiet, grid.name, grid.rows.len());
    let settings = Settings {
        threads: command.threads,
        watch: Watch {
            cancel: Some(cancel),
            progress: Some(&|progress| bar.show(grid.name, progress)),
        },
        ..Settings::default()
    };
    let text = !command.json && !command.quiet;
    let layout = GridLayout::of(grid);
    if text {
        layout.heading(grid, output)?;
    }
    let mut rows = Vec::new();
    grid.decide(catalogue, &settings, |row| {
        if cancel.load(Ordering::Relaxed) {
            return Ok::<_, CommandError>(false);
        }
        if text {
            written(cancel, bar.pause(|| layout.line(grid, &row, output)))?;
        }
        rows.push(row);
        bar.done();
        Ok(true)
    })?;
    bar.clear();
    let left = grid.rows.len() - rows.len();
    if text {
        summary(grid, &rows, output)?;
        cut_short(left, output)?;
    }
    if command.json {
        let mut printed = grid.json(&rows);
        printed["not_run"] = left.into();
        super::json::print(&printed, output)?;
    }
    Ok(ended(left))
}

/// Says of a table that was cut short how many of its rows are missing.
fn cut_short(left: usize, output: &mut dyn Write) -> std::io::Result<()> {
    match left {
        0 => Ok(()),
        1 => writeln!(output, "cut short: 1 row was not decided"),
        left => writeln!(output, "cut short: {left} rows were not decided"),
    }
}

fn ended(left: usize) -> Status {
    match left {
        0 => Status::Success,
        _ => Status::Incomplete,
    }
}

/// How wide the columns of a grid are.
struct GridLayout {
    /// Those of the arguments.
    given: Vec<usize>,
    /// Those of the cells.
    cell: usize,
}

/// A null argument is one that the row does not have.
fn argument(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(names) => names.iter().map(plain).collect::<Vec<_>>().join(", "),
        value => plain(value),
    }
}

impl GridLayout {
    fn of(grid: &Grid) -> Self {
        let first = grid.rows.first();
        let columns = first.map_or(0, |row| row.given.len());
        let width = |column: usize| {
            let cells = grid.rows.iter().map(|row| argument(&row.given[column].1));
            let name = first.map(|row| row.given[column].0.to_owned());
            let widths = cells.chain(name).map(|text| text.chars().count());
            widths.max().unwrap_or(0)
        };
        let columns_are = grid.columns.values.iter();
        let part = grid.parts.values.iter().map(|part| part.chars().count());
        let words = "! ".len() + part.max().unwrap_or(0) + " not exercised".len();
        Self {
            given: (0..columns).map(width).collect(),
            cell: columns_are
                .map(|name| name.len())
                .max()
                .unwrap_or(0)
                .max(words),
        }
    }

    fn heading(&self, grid: &Grid, output: &mut dyn Write) -> std::io::Result<()> {
        writeln!(output, "{} [{}]\n", grid.about, grid.source)?;
        let first = grid.rows.first();
        let names = first.map_or_else(Vec::new, |row| {
            row.given
                .iter()
                .map(|(name, _)| (*name).to_owned())
                .collect()
        });
        let columns = grid.columns.values.iter().map(|name| (*name).to_owned());
        self.print(names, columns.collect(), output)
    }

    fn line(&self, grid: &Grid, row: &DecidedRow, output: &mut dyn Write) -> std::io::Result<()> {
        let given = row.given.values().map(argument).collect();
        let published = grid.published();
        let cells = row.cells.iter().map(|cell| {
            let ours = cell.ours.words(&grid.parts.values);
            match cell.agrees() {
                _ if !cell.is_as_claimed() => format!("! {ours}"),
                Some(true) => ours,
                Some(false) => format!("* {ours}"),
                None if published == 0 => ours,
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
    ) -> std::io::Result<()> {
        let given = given.iter().zip(&self.given);
        let given = given.map(|(text, width)| format!("{text:<width$}"));
        let cells = cells
            .iter()
            .map(|text| format!("{text:<width$}", width = self.cell));
        let line: Vec<_> = given.chain(cells).collect();
        writeln!(output, "{}", line.join("  ").trim_end())
    }
}

/// How many cells are as published, which are not, and what it took.
fn summary(grid: &Grid, rows: &[DecidedRow], output: &mut dyn Write) -> std::io::Result<()> {
    let cells = || rows.iter().flat_map(|row| &row.cells);
    let published = cells().filter_map(|cell| cell.agrees());
    let (agree, published) = published.fold((0, 0), |(agree, all), agrees| {
        (agree + usize::from(agrees), all + 1)
    });
    let claimed = cells().filter(|cell| cell.is_as_claimed()).count();
    let runs = cells().count() * grid.parts.values.len();
    let states: u64 = cells().map(|cell| cell.states).sum();
    let seconds: f64 = cells().map(|cell| cell.seconds).sum();
    writeln!(output)?;
    if published > 0 {
        writeln!(
            output,
            "{agree} of {published} published cells agree; in parentheses: not published; *: the \
             paper says something else"
        )?;
    }
    writeln!(
        output,
        "{claimed} of {} cells are as claimed (!: not); {runs} runs, {states} states, {seconds:.1} s",
        cells().count()
    )?;
    let parts = &grid.parts.values;
    for row in rows {
        for cell in &row.cells {
            let paper = match (cell.agrees(), cell.expected.published) {
                (Some(false), Some(paper)) => format!("; paper: {}", paper.words(parts)),
                _ => String::new(),
            };
            let claimed = match cell.is_as_claimed() {
                true => String::new(),
                false => format!("; claimed: {}", cell.expected.found.words(parts)),
            };
            if !paper.is_empty() || !claimed.is_empty() {
                let ours = cell.ours.words(parts);
                writeln!(output, "{}: {ours}{paper}{claimed}", name(row, cell.column))?;
            }
        }
    }
    output.flush()
}

/// A cell: the arguments of its row that are not empty, and its column.
fn name(row: &DecidedRow, column: &str) -> String {
    let given = row.given.iter();
    let given = given.map(|(name, value)| (name, argument(value)));
    let given = given.filter(|(_, value)| !value.is_empty());
    let given = given.map(|(name, value)| format!("{name} {value}"));
    let words: Vec<_> = given.chain([column.to_owned()]).collect();
    words.join(", ")
}

/// What the columns are, and which instances a row that holds was explored to.
fn heading(table: &Table, output: &mut dyn Write) -> std::io::Result<()> {
    let mut instances: Vec<String> = Vec::new();
    for instance in table.rows.iter().flat_map(|row| &row.instances) {
        let instance = words(given(instance));
        if !instances.contains(&instance) {
            instances.push(instance);
        }
    }
    writeln!(output, "{}", table.about)?;
    writeln!(output, "instances: {}", instances.join("; "))?;
    if let Some(instance) = &table.on_the_way {
        writeln!(output, "broken on the way at: {}", words(given(instance)))?;
    }
    writeln!(output)
}

fn given(instance: &Instance) -> impl Iterator<Item = (&str, &Value)> {
    instance.given.iter().map(|(name, value)| (*name, value))
}

/// An argument in few words: what tells it from others.
fn described((name, value): (&String, &Value)) -> String {
    match value {
        Value::Bool(true) => name.clone(),
        Value::Array(names) if names.is_empty() => format!("{name} nothing"),
        Value::Array(_) => format!("{name} {}", argument(value)),
        value => plain(value),
    }
}

fn line(row: &TableRow, output: &mut dyn Write) -> std::io::Result<()> {
    let combination: Vec<_> = row.combination.iter().map(described).collect();
    let last = row.instances.last();
    let last = last.map_or_else(String::new, |last| {
        words(last.iter().map(|(name, value)| (name.as_str(), value)))
    });
    let found = match (&row.by, row.length) {
        (Some(by), Some(length)) => format!("by {by}, {length} steps, at {last}"),
        _ => format!("to {last}, {} states", row.states),
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

fn words<'a>(given: impl Iterator<Item = (&'a str, &'a Value)>) -> String {
    let words: Vec<_> = given
        .map(|(name, value)| format!("{name} {}", plain(value)))
        .collect();
    words.join(" ")
}
