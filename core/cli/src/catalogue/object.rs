//! Stress run of a concurrent object.

use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use serde_json::Map;

use super::error::InputError;
use super::stress::{RecordedHistory, StressFailure, StressReport, StressRun, StressSettings};
use crate::output_file::OutputFile;
use refmap::Verdict;
use refmap_histories::Object;
use refmap_histories::object::{Effort, Finding, Part, Tested, test_until};

/// Effort of one test: a part of the usual one, so that a run ends when its time is over.
fn effort(seed: u64) -> Effort {
    let Effort {
        alone,
        runs,
        programs,
        executions,
        ..
    } = Effort::default();
    Effort {
        seed,
        alone: alone.div_ceil(10),
        runs: runs.div_ceil(10),
        programs: programs.div_ceil(10),
        executions: executions.div_ceil(10),
        ..Effort::default()
    }
}

/// Time that the construction of an object may take beside that of the run, in seconds.
const MAKING: f64 = 1.0;

impl StressRun {
    /// Creates a stress run of a concurrent object, which is held against its specification. Its parameters are the fields of `P`.
    /// Tests with one seed after the other are run until the time is over.
    ///
    /// # Panics
    ///
    /// If a field of `P` has no long name.
    pub fn object<P: Args, O: Object>(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        object: impl Fn(&P) -> Result<O, InputError> + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, about, source, move |arguments: &P, settings| {
            run(&|| object(arguments), settings)
        })
    }
}

/// Tests objects until one is found to be wrong or the time is over.
fn run<O: Object>(
    object: &dyn Fn() -> Result<O, InputError>,
    settings: &StressSettings<'_>,
) -> Result<StressReport, InputError> {
    let started = Instant::now();
    let mut all: Option<Tested> = None;
    let mut seed = settings.seed;
    let all = loop {
        let effort = effort(seed);
        let object = settings.running(MAKING, object)?;
        // A test has no end that is known before: it gives up itself what does not return.
        let tested = settings.running(f64::INFINITY, || {
            test_until(object, &effort, settings.cancel)
        });
        let merged = match all {
            None => tested,
            Some(before) => before.and(tested),
        };
        let is_over = started.elapsed().as_secs_f64() >= settings.seconds;
        if merged.finding().is_some() || is_over || settings.cancel.load(Ordering::Relaxed) {
            break merged;
        }
        settings.note(report(&merged, seed, started));
        all = Some(merged);
        seed = seed.wrapping_add(1);
    };
    let (recorded, unrecorded) = record(all.finding(), settings);
    Ok(StressReport {
        recorded,
        unrecorded,
        ..report(&all, seed, started)
    })
}

/// Report of tests up to the one of this seed.
fn report(all: &Tested, seed: u64, started: Instant) -> StressReport {
    let after_seconds = started.elapsed().as_secs_f64();
    let mut report = all.report();
    report.seconds = after_seconds;
    if report.verdict == Some(Verdict::Holds) {
        // Runs that were right say nothing of others.
        report.verdict = Some(Verdict::Incomplete);
    }
    let count = |of: fn(&Part) -> u64| all.parts.iter().map(of).sum::<u64>();
    let counts = [
        ("runs", count(|part| part.runs)),
        ("calls", count(|part| part.calls)),
        ("overlapping", count(|part| part.overlapping)),
        ("under way at most", all.under_way()),
    ];
    let counts = counts.map(|(what, count)| (what.to_owned(), count.into()));
    StressReport {
        report,
        counts: Map::from_iter(counts),
        failure: all
            .finding()
            .map(|finding| failure(finding, seed, after_seconds)),
        recorded: None,
        unrecorded: None,
    }
}

fn failure(finding: &Finding, seed: u64, after_seconds: f64) -> StressFailure {
    let schedule = finding.schedule.iter().flat_map(|steps| {
        let head = ["", "step by step:", ""].into_iter();
        head.chain(steps.lines())
    });
    let repeat = finding
        .repeat
        .as_ref()
        .map(|run| format!("repeat(object, {run:?})"));
    let repeat: Vec<_> = repeat.into_iter().collect();
    let program = finding.lanes.lines().chain(schedule);
    let program = program.chain(repeat.iter().map(String::as_str));
    let operations = finding.history.lines().count().saturating_sub(2);
    StressFailure {
        seen: format!("{}: {}", finding.run, finding.told),
        after_seconds,
        program: program.map(str::to_owned).collect(),
        operations,
        operations_before: operations,
        // The run is the one that was seen. What repeats it, if anything does, is among its lines.
        failed: 0,
        played: 0,
        command: vec!["--seed".to_owned(), seed.to_string()],
    }
}

/// Writes the history of the wrong run; others are not kept.
fn record(
    finding: Option<&Finding>,
    settings: &StressSettings<'_>,
) -> (Option<RecordedHistory>, Option<String>) {
    let Some(file) = settings.record else {
        return (None, None);
    };
    let Some(finding) = finding else {
        let none = "no run was wrong, and the history of no other one is kept";
        return (None, Some(none.to_owned()));
    };
    let history = finding.history.as_bytes();
    let write = |output: OutputFile| output.write(settings.cancel, |file| file.write_all(history));
    match OutputFile::prepare(file).and_then(write) {
        Ok(()) => {
            let recorded = RecordedHistory {
                file: file.to_owned(),
                events: finding.history.lines().count().saturating_sub(2) as u64,
                fails: true,
                overhead: None,
            };
            (Some(recorded), None)
        }
        Err(error) => (None, Some(format!("{}: {error}", file.display()))),
    }
}
