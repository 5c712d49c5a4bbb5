//! `table`: a check at every combination of some of its parameters.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::arguments::TableCommand;
use super::{CommandError, Status, progress};
use crate::catalogue::Catalogue;
use crate::explore::Watch;
use crate::obligation::Settings;
use crate::table::{Table, TableRow};

pub(super) fn run(
    catalogue: &Catalogue,
    command: &TableCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let table = catalogue
        .tables
        .iter()
        .find(|table| table.name == command.table)
        .expect("the command line knows the tables of the catalogue only");
    let bar = progress::Bar::new(command.quiet, table.name);
    let settings = Settings {
        threads: command.threads,
        watch: Watch {
            cancel: Some(cancel),
            progress: Some(&|progress| bar.show(progress)),
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
        bar.clear();
        if !command.json && !command.quiet {
            line(&row, output)?;
        }
        rows.push(row);
        Ok(true)
    })?;
    bar.clear();
    if command.json {
        let printed = json!({"table": table, "rows": rows});
        let printed = serde_json::to_string_pretty(&printed).map_err(std::io::Error::from)?;
        writeln!(output, "{printed}")?;
    }
    Ok(match rows.len() == table.combinations.len() {
        true => Status::Success,
        false => Status::Incomplete,
    })
}

/// What the columns are, and which instances a row that holds was explored to.
fn heading(table: &Table, output: &mut dyn Write) -> std::io::Result<()> {
    let instances: Vec<_> = table
        .instances
        .iter()
        .map(|instance| words(instance.iter().map(|(name, value)| (*name, value))))
        .collect();
    writeln!(output, "{}", table.about)?;
    writeln!(output, "instances: {}\n", instances.join("; "))
}

fn line(row: &TableRow, output: &mut dyn Write) -> std::io::Result<()> {
    let combination: Vec<_> = row.combination.values().map(plain).collect();
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
    output.flush()
}

fn words<'a>(given: impl Iterator<Item = (&'a str, &'a Value)>) -> String {
    let words: Vec<_> = given
        .map(|(name, value)| format!("{name} {}", plain(value)))
        .collect();
    words.join(" ")
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
