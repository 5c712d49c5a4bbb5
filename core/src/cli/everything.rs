//! The default run: every claim of the catalogue, one row each.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::json;

use super::arguments::EverythingCommand;
use super::listing::expected;
use super::{CommandError, Status, progress};
use crate::catalogue::Catalogue;
use crate::explore::Watch;
use crate::obligation::Settings;
use crate::report::{Ink, TextOptions, wrap};

pub(super) fn run(
    catalogue: &Catalogue,
    command: &EverythingCommand,
    cancel: &AtomicBool,
    options: TextOptions,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let started = Instant::now();
    let total = catalogue.claims.len() + catalogue.grids.len();
    let (mut as_claimed, mut otherwise) = (0, 0);
    let mut reports = Vec::new();
    for (index, claim) in catalogue.claims.iter().enumerate() {
        let label = format!("{}/{total} {}", index + 1, claim.command());
        let bar = progress::Bar::new(command.quiet, &label);
        let settings = Settings {
            threads: command.threads,
            watch: Watch {
                cancel: Some(cancel),
                progress: Some(&|progress| bar.show(progress)),
            },
            ..Settings::default()
        };
        let report = catalogue.run(claim, &settings);
        bar.clear();
        let report = report?;
        if cancel.load(Ordering::Relaxed) {
            break;
        }
        let differences = claim.differences(&report);
        match differences.is_empty() {
            true => as_claimed += 1,
            false => otherwise += 1,
        }
        if command.json {
            reports.push(json!({
                "claim": claim, "as_claimed": differences.is_empty(), "report": report,
            }));
        } else if !command.quiet {
            let mark = match differences.is_empty() {
                true => options.colour.paint(Ink::Good, "✓"),
                false => options.colour.paint(Ink::Bad, "✗"),
            };
            let verdict = report.verdict.map_or("none".to_owned(), |v| v.to_string());
            let row = format!(
                "{mark} {verdict:<10} {:<64}  {:>9} states {:>6.2} s  [{}]  {}",
                claim.command().trim_start_matches("check "),
                report.states,
                report.seconds,
                claim.source,
                claim.says,
            );
            for line in wrap(&row, options.width, 13) {
                writeln!(output, "{}", line.trim_end())?;
            }
            for difference in differences {
                writeln!(output, "    {difference} (claimed: {})", expected(claim))?;
            }
            output.flush()?;
        }
    }
    let mut grids = Vec::new();
    for grid in &catalogue.grids {
        if cancel.load(Ordering::Relaxed) {
            break;
        }
        let bar = progress::Bar::new(command.quiet, grid.name);
        let settings = Settings {
            threads: command.threads,
            watch: Watch {
                cancel: Some(cancel),
                progress: Some(&|progress| bar.show(progress)),
            },
            ..Settings::default()
        };
        let mut rows = Vec::new();
        grid.decide(catalogue, &settings, |row| {
            rows.push(row);
            Ok::<_, CommandError>(!cancel.load(Ordering::Relaxed))
        })?;
        bar.clear();
        if cancel.load(Ordering::Relaxed) {
            break;
        }
        let cells = || {
            rows.iter()
                .flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
        };
        let differences: Vec<_> = cells()
            .filter(|(_, cell)| !cell.is_as_claimed() || cell.agrees() == Some(false))
            .collect();
        match differences.is_empty() {
            true => as_claimed += 1,
            false => otherwise += 1,
        }
        if command.json {
            grids.push(json!({
                "grid": grid, "as_claimed": differences.is_empty(), "decided": grid.json(&rows),
            }));
        } else if !command.quiet {
            let mark = match differences.is_empty() {
                true => options.colour.paint(Ink::Good, "✓"),
                false => options.colour.paint(Ink::Bad, "✗"),
            };
            let states: u64 = cells().map(|(_, cell)| cell.states).sum();
            let seconds: f64 = cells().map(|(_, cell)| cell.seconds).sum();
            let row = format!(
                "{mark} {:<10} {:<64}  {states:>9} states {seconds:>6.2} s  [{}]  {}",
                "table", grid.name, grid.source, grid.about,
            );
            for line in wrap(&row, options.width, 13) {
                writeln!(output, "{}", line.trim_end())?;
            }
            for (row, cell) in differences {
                let parts = &grid.parts.values;
                let given: Vec<_> = row.given.iter().map(|(k, v)| format!("{k} {v}")).collect();
                writeln!(
                    output,
                    "    {}, {}: expected {}, found {}",
                    given.join(" "),
                    cell.column,
                    cell.expected.found.words(parts),
                    cell.ours.words(parts),
                )?;
            }
            output.flush()?;
        }
    }
    let left = total - as_claimed - otherwise;
    let seconds = started.elapsed().as_secs_f64();
    if command.json {
        let all = json!({
            "claims": reports, "grids": grids, "as_claimed": as_claimed, "otherwise": otherwise,
            "not_run": left, "seconds": seconds,
        });
        let all = serde_json::to_string_pretty(&all).map_err(std::io::Error::from)?;
        writeln!(output, "{all}")?;
    } else if !command.quiet {
        let left = match left {
            0 => String::new(),
            left => format!(", {left} not run"),
        };
        writeln!(
            output,
            "{total} claims: {as_claimed} as claimed, {otherwise} otherwise{left}; {seconds:.1} s"
        )?;
    }
    Ok(match (otherwise, left) {
        (0, 0) => Status::Success,
        (0, _) => Status::Incomplete,
        _ => Status::Violated,
    })
}
