//! Default run: decides every claim of the catalogue, one row each.
//!
//! Claims are independent, so each worker decides one claim at a time: this keeps all workers busy, while several
//! workers on one small instance would be idle. Rows are printed in the catalogue's order.

mod row;
mod rows;

use std::cmp::Reverse;
use std::convert::Infallible;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use self::row::Row;
use self::rows::Rows;
use super::attended::{HeldUp, attended, attended_parts};
use super::command::RunAllCommand;
use super::error::CommandError;
use super::failures::Failures;
use super::files::Files;
use super::junit::{Case, JunitFile, Outcome as CaseOutcome, Problem, Suite};
use super::program::Program;
use super::progress;
use super::status::Status;
use super::terminal::Screen;
use crate::catalogue::table::{Decided, Published, Table};
use crate::catalogue::{Catalogue, Claim, ClaimError, ClaimErrors, InputError, Read};
use crate::in_order::{InOrder, in_parallel};
use crate::json;
use crate::watchdogs::Watchdogs;
use refmap::explore::{Limits, Progress, Watch, Watchdog};
use refmap::obligation::{Induction, Settings};
use refmap::report::Report;

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
    /// Arguments of the program for this job.
    fn command(self) -> String {
        match self {
            Self::Claim(claim) => claim.command.clone(),
            Self::Table(table, _) => format!("table {}", table.name),
        }
    }

    /// True if it is the job that cannot be decided by this error.
    fn is_of(self, error: &ClaimError) -> bool {
        match self {
            Self::Claim(claim) => error.line == Some(claim.line),
            Self::Table(..) => error.line.is_none() && error.command == self.command(),
        }
    }

    /// True if a watchdog knows it by this label, or a row of it.
    fn has_label(self, label: &str) -> bool {
        let rest = label.strip_prefix(&self.command());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
    }

    /// Estimated size, as far as it is known: long jobs start early.
    fn size(self) -> u64 {
        match self {
            Self::Claim(claim) if claim.settings.induction == Induction::Omitted => {
                claim.expect.states.unwrap_or(1 << 20)
            }
            Self::Claim(_) | Self::Table(..) => u64::MAX,
        }
    }

    fn decide(
        self,
        catalogue: &Catalogue,
        cancel: &AtomicBool,
        watchdogs: &Watchdogs,
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
                let limits = claim.settings.limits;
                let run = |_: &Watchdog| catalogue.run(claim, &settings);
                let report = watchdogs.watching(&claim.command, limits, run)?;
                Ok(Outcome::Claim(claim, Box::new(report)))
            }
            Self::Table(table, published) => {
                let mut rows = Vec::new();
                let check = catalogue.check(table.check)?;
                // One thread decides them in order.
                table.decide_watched(check, &settings, watchdogs, |_, row| {
                    rows.push(row?);
                    Ok::<_, InputError>(!cancel.load(Ordering::Relaxed))
                })?;
                Ok(Outcome::Table(table, published, rows))
            }
        }
    }

    /// Result of a job without an outcome.
    fn case(self, program: &str, outcome: CaseOutcome) -> Case {
        let class = match self {
            Self::Claim(claim) => &claim.check,
            Self::Table(table, _) => table.name,
        };
        Case {
            class: format!("{program}.{class}"),
            name: self.command(),
            seconds: None,
            outcome,
        }
    }
}

pub(super) fn run(
    program: Program<'_>,
    command: &RunAllCommand,
    cancel: &AtomicBool,
    screen: Screen,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let started = Instant::now();
    let catalogue = program.catalogue;
    let mut junit = JunitFile::prepare(command.junit.as_deref(), &mut Files::default())?;
    let mut read = None;
    let validate = |_: &Watchdog| catalogue.validated();
    // A function that makes an instance may not return either.
    let status = attended(
        program,
        "claims",
        Limits::default(),
        cancel,
        validate,
        |validated| match validated {
            Ok(validated) => {
                read = Some(validated);
                Ok(Status::Success)
            }
            Err(held_up) => {
                held_up.tell();
                let mut results = Results::of(program, command, screen, &[], &mut *output);
                results.unreturned = Some(held_up);
                let seconds = started.elapsed().as_secs_f64();
                results.end(&[], junit.take(), Failures::default(), seconds, cancel)
            }
        },
    )?;
    let Some(Read { claims, errors }) = read else {
        return Ok(status);
    };
    let claims = claims.iter().map(Job::Claim);
    let tables = catalogue.published();
    let tables = tables.map(|(table, published)| Job::Table(table, published));
    let jobs: Vec<Job> = claims.chain(tables).collect();
    let mut results = Results::of(program, command, screen, &jobs, output);
    let mut failures = Failures::default();
    // A claim that cannot be decided is told before others take their time.
    if !errors.is_empty() {
        results.refuse_all(&jobs, &errors);
        failures.keep(Err::<(), _>(ClaimErrors(errors)));
        if let Some(junit) = junit {
            let seconds = started.elapsed().as_secs_f64();
            failures.keep(junit.write(&results.suite(&jobs, seconds), cancel));
        }
        return failures.or(Status::Unusable);
    }
    let goes_on = junit.is_some();
    let mut dearest_first: Vec<usize> = (0..jobs.len()).collect();
    dearest_first.sort_by_key(|number| Reverse(jobs[*number].size()));
    let bar = progress::Bar::new(command.quiet, "claims", jobs.len(), Limits::default());
    let watchdogs = &Watchdogs::default();
    let decide = |number: usize| {
        let job = jobs[number];
        let label = job.command();
        let show = |progress: &Progress| bar.show(&label, progress);
        let outcome = job.decide(catalogue, cancel, watchdogs, &show);
        bar.done(&label);
        (!cancel.load(Ordering::Relaxed)).then_some(outcome)
    };
    attended_parts(
        program,
        watchdogs,
        cancel,
        results,
        |show| {
            let decided = in_parallel(
                command.threads,
                &dearest_first,
                decide,
                |number, outcome| Ok::<_, Infallible>(show((number, outcome))),
            );
            decided.unwrap_or_else(|never| match never {})
        },
        |results, (number, outcome)| {
            results.waiting.add(number, outcome);
            while let Some((number, outcome)) = results.waiting.next() {
                let added = bar.pause(|| results.decided(number, jobs[number], outcome, goes_on));
                if let Err(error) = added {
                    results.refused.get_or_insert(error);
                    // Running jobs need not complete.
                    cancel.store(true, Ordering::Relaxed);
                    return false;
                }
            }
            true
        },
        |mut results, done| {
            bar.clear();
            // Those behind a job that is missing.
            for (number, outcome) in std::mem::take(&mut results.waiting).rest() {
                if results.refused.is_none()
                    && let Err(error) = results.decided(number, jobs[number], outcome, goes_on)
                {
                    results.refused = Some(error);
                }
            }
            if let Err(held_up) = done {
                held_up.tell();
                results.unreturned = Some(held_up);
            }
            let seconds = started.elapsed().as_secs_f64();
            results.end(&jobs, junit, failures, seconds, cancel)
        },
    )
}

/// Problem of a claim that cannot be decided as it is stated.
fn unusable(message: String) -> Problem {
    Problem {
        kind: "unusable",
        message,
        text: String::new(),
    }
}

/// Outcome of a job that does not return.
fn held_up_case(held_up: &HeldUp) -> CaseOutcome {
    CaseOutcome::Error(Problem {
        kind: "incomplete",
        message: held_up.to_string(),
        text: String::new(),
    })
}

/// Results of the default run.
struct Results<'a> {
    command: &'a RunAllCommand,
    rows: Rows<'a>,
    output: &'a mut dyn Write,
    /// Results of jobs before which others stand that have none yet.
    waiting: InOrder<Result<Outcome<'a>, InputError>>,
    as_claimed: usize,
    otherwise: Vec<Row>,
    claims: Vec<Value>,
    tables: Vec<Value>,
    /// Per job, its result for build servers; none before it is decided.
    cases: Vec<Option<Case>>,
    /// Results of rows that are malformed, which are no jobs.
    unread_rows: Vec<Case>,
    /// Error of printing, where results go on to a file.
    unread: Option<CommandError>,
    /// Error that has ended the command.
    refused: Option<CommandError>,
    /// Call that does not return.
    unreturned: Option<HeldUp>,
}

impl<'a> Results<'a> {
    /// Results of which there are none yet.
    fn of(
        program: Program<'a>,
        command: &'a RunAllCommand,
        screen: Screen,
        jobs: &[Job<'_>],
        output: &'a mut dyn Write,
    ) -> Self {
        Self {
            command,
            rows: Rows {
                program: program.name,
                options: screen.options,
                columns: screen.columns,
                verbose: command.verbose,
            },
            output,
            waiting: InOrder::default(),
            as_claimed: 0,
            otherwise: Vec::new(),
            claims: Vec::new(),
            tables: Vec::new(),
            cases: jobs.iter().map(|_| None).collect(),
            unread_rows: Vec::new(),
            unread: None,
            refused: None,
            unreturned: None,
        }
    }

    /// Writes what there is.
    fn end(
        mut self,
        jobs: &[Job<'_>],
        junit: Option<JunitFile>,
        mut failures: Failures,
        seconds: f64,
        cancel: &AtomicBool,
    ) -> Result<Status, CommandError> {
        let status = match self.refused.take() {
            Some(error) => Err(error),
            None => self.finish(seconds),
        };
        let status = failures.keep(status).unwrap_or(Status::Unusable);
        if let Some(error) = self.unread.take() {
            failures.keep(Err::<(), _>(error));
        }
        if let Some(junit) = junit {
            failures.keep(junit.write(&self.suite(jobs, seconds), cancel));
        }
        failures.or(status)
    }

    /// Adds what a job comes to.
    fn decided(
        &mut self,
        number: usize,
        job: Job<'_>,
        outcome: Result<Outcome<'_>, InputError>,
        goes_on: bool,
    ) -> Result<(), CommandError> {
        match outcome {
            Ok(outcome) => self.add(number, outcome, goes_on),
            Err(error) => Err(self.refuse(number, job, error)),
        }
    }

    fn add(
        &mut self,
        number: usize,
        outcome: Outcome<'_>,
        goes_on: bool,
    ) -> Result<(), CommandError> {
        let row = match outcome {
            Outcome::Claim(claim, report) => {
                let row = Row::of_claim(claim, &report);
                if self.command.json {
                    self.claims.push(json!({
                        "claim": claim, "as_claimed": row.is_as_claimed(), "report": report,
                    }));
                }
                row
            }
            Outcome::Table(table, published, rows) => {
                let rows: Vec<_> = rows.iter().filter_map(Decided::cells).collect();
                let row = Row::of_table(table, published, &rows);
                if self.command.json {
                    self.tables.push(json!({
                        "grid": table.head(), "as_claimed": row.is_as_claimed(),
                        "decided": published.json(rows.iter().copied()),
                    }));
                }
                row
            }
        };
        self.cases[number] = Some(row.case(self.rows.program));
        let printed = if self.is_text() {
            self.rows.row(&row, self.output)
        } else {
            Ok(())
        };
        if row.is_as_claimed() {
            self.as_claimed += 1
        } else {
            self.otherwise.push(row)
        }
        match printed {
            Err(error) if goes_on => {
                self.unread.get_or_insert(error.into());
                Ok(())
            }
            printed => Ok(printed?),
        }
    }

    /// Notes the claims that cannot be decided as they are stated.
    fn refuse_all(&mut self, jobs: &[Job<'_>], errors: &[ClaimError]) {
        for error in errors {
            let message = error.error.to_string();
            match jobs.iter().position(|job| job.is_of(error)) {
                Some(number) => self.refused(number, jobs[number], message),
                None => self.unread_rows.push(Case {
                    class: format!("{}.claims", self.rows.program),
                    name: error.command.clone(),
                    seconds: None,
                    outcome: CaseOutcome::Error(unusable(message)),
                }),
            }
        }
    }

    /// Notes that a job cannot be run, which ends the command.
    fn refuse(&mut self, number: usize, job: Job<'_>, error: InputError) -> CommandError {
        self.refused(number, job, error.to_string());
        error.into()
    }

    fn refused(&mut self, number: usize, job: Job<'_>, message: String) {
        let case = job.case(self.rows.program, CaseOutcome::Error(unusable(message)));
        self.cases[number] = Some(case);
    }

    /// True if rows are printed, and can be.
    fn is_text(&self) -> bool {
        !self.command.json && !self.command.quiet && self.unread.is_none()
    }

    fn finish(&mut self, seconds: f64) -> Result<Status, CommandError> {
        let (total, as_claimed) = (self.cases.len(), self.as_claimed);
        let otherwise = self.otherwise.len();
        let left = total - as_claimed - otherwise;
        if self.command.json {
            let (claims, tables) = (&self.claims, &self.tables);
            let mut all = json!({
                "claims": claims, "grids": tables, "as_claimed": as_claimed,
                "otherwise": otherwise, "not_run": left, "seconds": seconds,
            });
            if let Some(unreturned) = &self.unreturned {
                all["unreturned"] = unreturned.json();
            }
            json::print(&all, self.output)?;
        } else if self.is_text() {
            self.rows.otherwise(&self.otherwise, self.output)?;
            let left = match left {
                0 => String::new(),
                left => format!(", {left} not run"),
            };
            if total == 0 && self.unreturned.is_none() {
                let nothing =
                    "the page of claims has no row, and no table is published: nothing was decided";
                writeln!(self.output, "{nothing}")?;
            } else {
                writeln!(
                    self.output,
                    "{total} claims: {as_claimed} as claimed, {otherwise} otherwise{left}; {seconds:.1} s"
                )?;
            }
        }
        Ok(match (otherwise, left) {
            // Without a claim nothing was decided: a page may have lost its tables.
            (0, 0) if total > 0 => Status::Success,
            (0, _) => Status::Incomplete,
            _ => Status::Violated,
        })
    }

    fn suite(&mut self, jobs: &[Job<'_>], seconds: f64) -> Suite {
        let program = self.rows.program;
        let unreturned = self.unreturned.as_ref();
        let cases = std::mem::take(&mut self.cases).into_iter().zip(jobs);
        let cases = cases.map(|(case, job)| {
            let held_up = unreturned.filter(|held_up| job.has_label(&held_up.label));
            let outcome = || match held_up {
                Some(held_up) => held_up_case(held_up),
                None => CaseOutcome::Skipped("not run".to_owned()),
            };
            case.unwrap_or_else(|| job.case(program, outcome()))
        });
        // No claim is known yet.
        let unknown = unreturned.filter(|_| jobs.is_empty());
        let unknown = unknown.map(|held_up| Case {
            class: format!("{program}.{}", held_up.label),
            name: held_up.label.clone(),
            seconds: None,
            outcome: held_up_case(held_up),
        });
        let cases = cases.chain(std::mem::take(&mut self.unread_rows));
        Suite {
            name: program.to_owned(),
            properties: Vec::new(),
            cases: cases.chain(unknown).collect(),
            seconds,
        }
    }
}
