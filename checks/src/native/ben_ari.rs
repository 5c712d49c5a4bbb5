//! Ben-Ari's collector on real threads.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use refmap::catalogue::{
    InputError, Parameter, RecordedHistory, StressFailure, StressReport, StressRun, StressSettings,
};
use refmap::validate::{Header, Recorder};
use refmap_systems::native::ben_ari::{self, Appended, Bounds, Fault, Outcome};
use serde_json::Value;

use super::BEN_ARI;
use super::history_file::{About, HistoryFile};
use super::sampled::{EXERCISED, Looked, counted, missing, sampled};

pub(super) fn run() -> StressRun {
    StressRun::new(
        "ben-ari",
        "Ben-Ari's collector: a random mutator looks for what was appended and is accessible",
        "Havelund & Shankar, A Refinement Proof for a Garbage Collector",
        vec![
            Parameter::number(
                "nodes",
                2..=Bounds::MOST_NODES.into(),
                5,
                "nodes of the memory",
            ),
            Parameter::number("sons", 1..=Bounds::MOST_SONS.into(), 2, "sons of a node"),
            Parameter::number(
                "roots",
                1..=Bounds::MOST_NODES.into(),
                2,
                "nodes that are roots",
            ),
            Parameter::choice("fault", &Fault::NAMES, "what is wrong with it"),
        ],
        |arguments, settings| {
            let bounds = Bounds {
                nodes: arguments.number("nodes"),
                sons: arguments.number("sons"),
                roots: arguments.number("roots"),
            };
            let fault = Fault::named(arguments.choice("fault"));
            let fault = fault.expect("the choices are these names");
            let file = settings.record.map(HistoryFile::prepare).transpose()?;
            let begun = Instant::now();
            let goes_on = || {
                begun.elapsed().as_secs_f64() < settings.seconds
                    && !settings.cancel.load(Ordering::Relaxed)
            };
            let outcome = ben_ari::run(bounds, fault, settings.seed, u64::MAX, None, goes_on);
            let mut outcome = outcome.map_err(InputError::instance)?;
            let elapsed = begun.elapsed();
            let mut recorded = None;
            if let Some(file) = file {
                let fails = outcome.violation.is_some();
                let (history, seen) = record(bounds, fault, fails, settings, file)?;
                recorded = Some(history);
                outcome.violation = outcome.violation.or(seen);
            }
            let words = ["nodes", "sons", "roots"].map(|name| {
                let number: u64 = arguments.number(name);
                [format!("--{name}"), number.to_string()]
            });
            let mut command = words.concat();
            command.extend(["--fault", arguments.choice("fault")].map(str::to_owned));
            command.extend(["--seed".to_owned(), settings.seed.to_string()]);
            // Time enough to see it again, and some more.
            let seconds = (2.0 * elapsed.as_secs_f64()).ceil().max(10.0);
            command.extend(["--seconds".to_owned(), seconds.to_string()]);
            let report = report(&outcome, elapsed, command);
            Ok(StressReport { recorded, ..report })
        },
    )
}

/// How often the mutator redirects, or tries to, in a run that is recorded.
const RECORDED_STEPS: u64 = 100_000;
/// How long runs are recorded until one fails as the run before did.
const RECORDING: Duration = Duration::from_secs(60);

/// Writes a history of a run of its own; of one that fails, if that is what is wanted and one does. And what
/// was wrong in it.
fn record(
    bounds: Bounds,
    fault: Fault,
    fails: bool,
    settings: &StressSettings<'_>,
    file: HistoryFile,
) -> Result<(RecordedHistory, Option<Appended>), InputError> {
    let begun = Instant::now();
    let goes_on = || begun.elapsed() <= RECORDING && !settings.cancel.load(Ordering::Relaxed);
    let mut seed = settings.seed;
    let (seen, history) = loop {
        let recorder = Recorder::new();
        let outcome = ben_ari::run(
            bounds,
            fault,
            seed,
            RECORDED_STEPS,
            Some(&recorder),
            goes_on,
        );
        let outcome = outcome.map_err(InputError::instance)?;
        if !fails || outcome.violation.is_some() || !goes_on() {
            break (outcome.violation, recorder.finish());
        }
        seed = seed.wrapping_add(1);
    };
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
        fails: seen.is_some(),
        overhead: None,
    };
    Ok((file.write(about, &history)?, seen))
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
    }
}
