//! Default run: decides every claim of the catalogue, one row each.
//!
//! Claims are independent, so each worker decides one claim at a time: this keeps all workers busy, while several
//! workers on one small instance would be idle. Rows are printed in the catalogue's order.

use std::cmp::Reverse;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use super::command::RunAllCommand;
use super::listing::expected;
use super::{CommandError, Status, progress};
use crate::catalogue::{Catalogue, Claim, InputError};
use crate::in_order::in_order;
use crate::table::{Cell, Decided, DecidedCells, Published, Table};
use refmap::explore::{Limits, Progress, Watch};
use refmap::internal::{Ink, wrap};
use refmap::obligation::{Induction, Settings};
use refmap::report::{Report, TextOptions};

/// Job of the default run.
#[derive(Clone, Copy)]
enum Job<'a> {
    Claim(&'a Claim),
    Table(&'a Table, &'a Published),
}

/// Result of a job.
enum Outcome<'a> {
    Claim(&'a Claim, Box<Report>),
    Table(&'a Table, &'a Published, Vec<Decided>),
}

impl<'a> Job<'a> {
    fn label(self) -> String {
        match self {
            Self::Claim(claim) => claim.command(),
            Self::Table(table, _) => table.name.to_owned(),
        }
    }

    /// Estimated size, as far as it is known: long jobs start early.
    fn size(self) -> u64 {
        match self {
            Self::Claim(claim) if claim.induction == Induction::Omitted => {
                claim.expect.states.unwrap_or(1 << 20)
            }
            Self::Claim(_) | Self::Table(..) => u64::MAX,
        }
    }

    fn decide(
        self,
        catalogue: &Catalogue,
        cancel: &AtomicBool,
        show: &(dyn Fn(&Progress) + Sync),
    ) -> Result<Outcome<'a>, InputError> {
        let settings = Settings {
            threads: 1,
            watch: Watch {
                cancel: Some(cancel),
                progress: Some(show),
            },
            ..Settings::default()
        };
        match self {
            Self::Claim(claim) => {
                let report = catalogue.run(claim, &settings)?;
                Ok(Outcome::Claim(claim, Box::new(report)))
            }
            Self::Table(table, published) => {
                let mut rows = Vec::new();
                table.decide(catalogue.check(table.check)?, &settings, |row| {
                    rows.push(row);
                    Ok::<_, InputError>(!cancel.load(Ordering::Relaxed))
                })?;
                Ok(Outcome::Table(table, published, rows))
            }
        }
    }
}

pub(super) fn run(
    catalogue: &Catalogue,
    command: &RunAllCommand,
    cancel: &AtomicBool,
    options: TextOptions,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let started = Instant::now();
    let claims = catalogue.claims.iter().map(Job::Claim);
    let tables = catalogue.published();
    let tables = tables.map(|(table, published)| Job::Table(table, published));
    let jobs: Vec<Job> = claims.chain(tables).collect();
    let mut rows = Rows {
        command,
        options,
        output,
        as_claimed: 0,
        otherwise: 0,
        claims: Vec::new(),
        tables: Vec::new(),
    };
    let mut dearest_first: Vec<usize> = (0..jobs.len()).collect();
    dearest_first.sort_by_key(|number| Reverse(jobs[*number].size()));
    let bar = progress::Bar::new(command.quiet, "claims", jobs.len(), Limits::default());
    let decide = |number: usize| {
        let job = jobs[number];
        let label = job.label();
        let show = |progress: &Progress| bar.show(&label, progress);
        let outcome = job.decide(catalogue, cancel, &show);
        bar.done(&label);
        (!cancel.load(Ordering::Relaxed)).then_some(outcome)
    };
    in_order(command.threads, &dearest_first, decide, |_, outcome| {
        let added = bar.pause(|| rows.add(outcome?));
        if added.is_err() {
            // Running jobs need not complete.
            cancel.store(true, Ordering::Relaxed);
        }
        added.map(|()| true)
    })?;
    bar.clear();
    rows.finish(jobs.len(), started.elapsed().as_secs_f64())
}

/// Output of the default run.
struct Rows<'a> {
    command: &'a RunAllCommand,
    options: TextOptions,
    output: &'a mut dyn Write,
    as_claimed: usize,
    otherwise: usize,
    claims: Vec<Value>,
    tables: Vec<Value>,
}

impl Rows<'_> {
    fn add(&mut self, outcome: Outcome<'_>) -> Result<(), CommandError> {
        match outcome {
            Outcome::Claim(claim, report) => self.claim(claim, &report),
            Outcome::Table(table, published, rows) => {
                let rows: Vec<_> = rows.iter().filter_map(Decided::cells).collect();
                self.table(table, published, &rows)
            }
        }
    }

    fn claim(&mut self, claim: &Claim, report: &Report) -> Result<(), CommandError> {
        let differences = claim.differences(report);
        let as_claimed = self.count(differences.is_empty());
        if self.command.json {
            self.claims.push(json!({
                "claim": claim, "as_claimed": as_claimed, "report": report,
            }));
        } else if !self.command.quiet {
            let verdict = report.verdict.map_or("none".to_owned(), |v| v.to_string());
            self.row(
                as_claimed,
                &format!(
                    "{verdict:<10} {:<64}  {:>9} states {:>6.2} s  [{}]  {}",
                    claim.command().trim_start_matches("check "),
                    report.states,
                    report.seconds,
                    claim.source,
                    claim.says,
                ),
            )?;
            for difference in differences {
                writeln!(
                    self.output,
                    "    {difference} (claimed: {})",
                    expected(claim)
                )?;
            }
            self.output.flush()?;
        }
        Ok(())
    }

    fn table(
        &mut self,
        table: &Table,
        published: &Published,
        rows: &[&DecidedCells],
    ) -> Result<(), CommandError> {
        let cells = || {
            rows.iter()
                .flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
        };
        let differs = |cell: &Cell| !cell.is_as_claimed() || cell.agrees() == Some(false);
        let differences: Vec<_> = cells().filter(|(_, cell)| differs(cell)).collect();
        let as_claimed = self.count(differences.is_empty());
        if self.command.json {
            self.tables.push(json!({
                "grid": table.head(), "as_claimed": as_claimed,
                "decided": published.json(rows.iter().copied()),
            }));
        } else if !self.command.quiet {
            let states: u64 = cells().map(|(_, cell)| cell.states).sum();
            let seconds: f64 = cells().map(|(_, cell)| cell.seconds).sum();
            self.row(
                as_claimed,
                &format!(
                    "{:<10} {:<64}  {states:>9} states {seconds:>6.2} s  [{}]  {}",
                    "table", table.name, published.source, table.about,
                ),
            )?;
            for (row, cell) in differences {
                let parts = &published.parts.values;
                let given: Vec<_> = row.given.iter().map(|(k, v)| format!("{k} {v}")).collect();
                writeln!(
                    self.output,
                    "    {}, {}: expected {}, found {}",
                    given.join(" "),
                    cell.column,
                    cell.expected.found.words(parts),
                    cell.ours.words(parts),
                )?;
            }
            self.output.flush()?;
        }
        Ok(())
    }

    fn count(&mut self, as_claimed: bool) -> bool {
        match as_claimed {
            true => self.as_claimed += 1,
            false => self.otherwise += 1,
        }
        as_claimed
    }

    fn row(&mut self, as_claimed: bool, text: &str) -> std::io::Result<()> {
        let mark = match as_claimed {
            true => self.options.colour.paint(Ink::Good, "✓"),
            false => self.options.colour.paint(Ink::Bad, "✗"),
        };
        for line in wrap(&format!("{mark} {text}"), self.options.width, 13) {
            writeln!(self.output, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn finish(self, total: usize, seconds: f64) -> Result<Status, CommandError> {
        let (as_claimed, otherwise) = (self.as_claimed, self.otherwise);
        let left = total - as_claimed - otherwise;
        if self.command.json {
            let all = json!({
                "claims": self.claims, "grids": self.tables, "as_claimed": as_claimed,
                "otherwise": otherwise, "not_run": left, "seconds": seconds,
            });
            super::json::print(&all, self.output)?;
        } else if !self.command.quiet {
            let left = match left {
                0 => String::new(),
                left => format!(", {left} not run"),
            };
            writeln!(
                self.output,
                "{total} claims: {as_claimed} as claimed, {otherwise} otherwise{left}; {seconds:.1} s"
            )?;
        }
        Ok(match (otherwise, left) {
            (0, 0) => Status::Success,
            (0, _) => Status::Incomplete,
            _ => Status::Violated,
        })
    }
}
