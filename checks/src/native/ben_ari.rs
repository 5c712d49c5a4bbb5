//! Stress run of Ben-Ari's collector on real threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use refmap_cli::catalogue::{
    InputError, RecordedHistory, StressFailure, StressReport, StressRun, StressSettings, number,
};
use refmap_cli::clap::{self, Args};
use refmap_histories::{Header, Recorder};
use refmap_systems::native::ben_ari::{self, Bounds, Event, Fault, Outcome};
use serde_json::Value;

use super::super::named::named;
use super::BEN_ARI;
use super::history_file::{About, ENDING, HistoryFile};
use super::sampled::{EXERCISED, Looked, counted, missing, sampled};

pub(super) fn run() -> StressRun {
    StressRun::new(
        "ben-ari",
        "Ben-Ari's collector: a random mutator looks for what was appended and is accessible",
        "Havelund & Shankar, A Refinement Proof for a Garbage Collector",
        |arguments: &Arguments, settings| {
            let &Arguments {
                nodes,
                sons,
                roots,
                fault,
            } = arguments;
            let bounds = Bounds { nodes, sons, roots };
            let file = settings.record.map(HistoryFile::prepare).transpose()?;
            let begun = Instant::now();
            let (outcome, elapsed, recorded) = match file {
                None => {
                    let outcome = unrecorded(bounds, fault, settings)?;
                    (outcome, begun.elapsed(), None)
                }
                Some(file) => {
                    let (outcome, elapsed, history) = record(bounds, fault, settings, file)?;
                    (outcome, elapsed, Some(history))
                }
            };
            let (recorded, unrecorded) = match recorded {
                None => (None, None),
                Some(Ok(history)) => (Some(history), None),
                Some(Err(error)) => (None, Some(error)),
            };
            let words = [("nodes", nodes), ("sons", sons), ("roots", roots)];
            let words = words.map(|(name, number)| [format!("--{name}"), number.to_string()]);
            let mut command = words.concat();
            command.extend(["--fault", fault.name()].map(str::to_owned));
            command.extend(["--seed".to_owned(), settings.seed.to_string()]);
            // Enough time to find the failure again, with a margin.
            let seconds = (2.0 * elapsed.as_secs_f64()).ceil().max(10.0);
            command.extend(["--seconds".to_owned(), seconds.to_string()]);
            let report = report(&outcome, elapsed, command);
            Ok(StressReport {
                recorded,
                unrecorded,
                ..report
            })
        },
    )
}

#[derive(Clone, Args)]
struct Arguments {
    /// nodes of the memory
    #[arg(long, default_value_t = 5, value_parser = number::<u32>(2..=Bounds::MOST_NODES.into()))]
    nodes: u32,
    /// sons of a node
    #[arg(long, default_value_t = 2, value_parser = number::<u32>(1..=Bounds::MOST_SONS.into()))]
    sons: u32,
    /// nodes that are roots
    #[arg(long, default_value_t = 2, value_parser = number::<u32>(1..=Bounds::MOST_NODES.into()))]
    roots: u32,
    /// what is wrong with it
    #[arg(long, default_value = "none", value_parser = named::<Fault>())]
    fault: Fault,
}

fn unrecorded(
    bounds: Bounds,
    fault: Fault,
    settings: &StressSettings<'_>,
) -> Result<Outcome, InputError> {
    let begun = Instant::now();
    let goes_on = || {
        begun.elapsed().as_secs_f64() < settings.seconds && !settings.cancel.load(Ordering::Relaxed)
    };
    let run = || ben_ari::run(bounds, fault, settings.seed, u64::MAX, None, goes_on);
    let outcome = settings.running(ENDING, run);
    outcome.map_err(InputError::instance)
}

/// Records a run; returns it with its duration, and its history or why that cannot be written.
fn record(
    bounds: Bounds,
    fault: Fault,
    settings: &StressSettings<'_>,
    file: HistoryFile,
) -> Result<(Outcome, Duration, Result<RecordedHistory, String>), InputError> {
    let seed = settings.seed;
    let begun = Instant::now();
    let run = |recorder: &Arc<Recorder<_>>, over: &Arc<AtomicBool>| {
        let goes_on = || !over.load(Ordering::Relaxed);
        ben_ari::run(bounds, fault, seed, u64::MAX, Some(recorder), goes_on)
    };
    let (history, outcome) = file.record(settings, run)?;
    let elapsed = begun.elapsed();
    let outcome = outcome.map_err(InputError::instance)?;
    let header = Header::new([
        ("collector", Value::from(BEN_ARI)),
        ("nodes", bounds.nodes.into()),
        ("sons", bounds.sons.into()),
        ("roots", bounds.roots.into()),
        ("fault", fault.name().into()),
        ("seed", seed.into()),
    ]);
    let about = About {
        header,
        fails: outcome.violation.is_some(),
        overhead: overhead(outcome.counts.redirected, elapsed),
    };
    Ok((outcome, elapsed, history.write(about, settings.cancel)))
}

/// Recording overhead: the factor by which a redirection takes longer when recorded, for a run with this many in
/// this time; `None` if there were none. PERF: a second run without recording would not measure it, since
/// scheduling has more effect.
fn overhead(redirected: u64, elapsed: Duration) -> Option<f64> {
    const EVENTS: u32 = 10_000;
    let recorder = Recorder::new();
    let mut log = recorder.thread();
    let event = Event::Append { node: 0 };
    let mut record = || {
        let begun = Instant::now();
        for _ in 0..EVENTS {
            let begin = log.begin();
            log.end(begin, event);
        }
        begun.elapsed().as_secs_f64() / f64::from(EVENTS)
    };
    let times = (0..5).map(|_| record());
    let cost = times.fold(f64::INFINITY, f64::min);
    let each = elapsed.as_secs_f64() / redirected as f64;
    (redirected > 0 && each > cost).then(|| each / (each - cost))
}

const GARBAGE: &str = "only-garbage-appended";

fn report(outcome: &Outcome, elapsed: Duration, command: Vec<String>) -> StressReport {
    let counts = &outcome.counts;
    let quiet = missing(&[
        (counts.cycles, "cycle of the collector"),
        (counts.appended, "node appended"),
        (counts.dropped, "node made inaccessible"),
    ]);
    let obligations = vec![
        Looked {
            name: GARBAGE,
            checked: counts.compared,
        },
        Looked {
            name: EXERCISED,
            checked: counts.redirected,
        },
    ];
    let rules = [
        ("redirect", "mutator", counts.redirected),
        ("propagate", "collector", counts.passes),
        ("append", "collector", counts.appended),
    ];
    let failure = outcome.violation.map(|seen| StressFailure {
        seen: seen.to_string(),
        after_seconds: elapsed.as_secs_f64(),
        program: Vec::new(),
        operations: 0,
        operations_before: 0,
        failed: 0,
        played: 0,
        command,
    });
    let violated = failure.as_ref().map(|_| GARBAGE);
    StressReport {
        report: sampled(
            &obligations,
            violated,
            &quiet,
            &rules,
            counts.redirected,
            elapsed,
        ),
        counts: counted(counts),
        failure,
        recorded: None,
        unrecorded: None,
    }
}
