//! What can be run on real threads, and what its recorded histories are validated against.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use refmap::catalogue::{
    Arguments, InputError, Parameter, RecordedHistory, StressFailure, StressReport, StressRun,
    StressSettings, Validator,
};
use refmap::report::{Obligation, RuleCoverage};
use refmap::validate::{Event, Header, Recorder, Writer};
use refmap::{Evidence, Report, Verdict};
use refmap_refinements::native::{ObservedHeap, ObservedMemory, ObservedModel};
use refmap_systems::native::ben_ari::{self, Bounds};
use refmap_systems::native::on_the_fly::{Fault, Shape, Violation};
use refmap_systems::native::{Failure, Program, Stress, Stressed, most_mutators, overhead};
use serde::Serialize;
use serde_json::{Map, Value};

/// What both collectors' histories are validated against.
const GARBAGE_ONLY: &str = "collect-only-garbage";
/// What the header of a history calls its collector.
const BEN_ARI: &str = "ben-ari";

pub(super) fn runs() -> Vec<StressRun> {
    vec![collector(), ben_ari()]
}

pub(super) fn validators() -> Vec<Validator> {
    let of_ben_ari = Validator::new(
        GARBAGE_ONLY,
        "what Ben-Ari's native collector appends to the free list is accessible to no mutator",
        "Havelund & Shankar, section 5",
        |header| ObservedMemory::of(header).map_err(InputError::instance),
    );
    let is_of_ben_ari =
        |header: &Header| header.parameters.get("collector") == Some(&Value::from(BEN_ARI));
    vec![
        Validator::new(
            GARBAGE_ONLY,
            "what a native collector frees, or Ben-Ari's appends to the free list, is reachable by no mutator",
            "Gammie et al., section 1.1; Havelund & Shankar, section 5",
            |header| ObservedHeap::of(header).map_err(InputError::instance),
        )
        .or(is_of_ben_ari, of_ben_ari),
        Validator::new(
            "tso",
            "each access of the native collector and of its barriers is one of the x86-TSO model, on heaps \
             that the model has: at most 4 objects of 1 or 2 fields, and 3 mutators at a time",
            "Gammie et al., Figs. 2, 4, 5, 6 and 9",
            |header| ObservedModel::of(header).map_err(InputError::instance),
        ),
    ]
}

fn collector() -> StressRun {
    StressRun::new(
        "collector",
        "the on-the-fly collector: random mutators look for what was freed and is reachable",
        "Gammie, Hosking & Engelhardt, Relaxing Safely",
        vec![
            Parameter::number("threads", 1..=16, 2, "mutators"),
            Parameter::number("objects", 2..=1 << 20, 16, "objects that the heap holds"),
            Parameter::number("fields", 1..=64, 2, "fields of an object"),
            Parameter::choice("fault", &Fault::NAMES, "what is wrong with the collector"),
            Parameter::names(
                "program",
                "what a thread does, in the place of random programs; once a thread",
            ),
        ],
        |arguments, settings| {
            let begun = Instant::now();
            let stress = stress(arguments, settings)?;
            let stressed = stress.run(settings.cancel).map_err(InputError::instance)?;
            let mut report = report(&stress, &stressed, begun.elapsed());
            if let Some(path) = settings.record {
                report.recorded = Some(record(&stress, &stressed, path, settings.cancel)?);
            }
            Ok(report)
        },
    )
}

fn stress(arguments: &Arguments, settings: &StressSettings<'_>) -> Result<Stress, InputError> {
    let fault = Fault::named(arguments.choice("fault"));
    let lines = arguments.names("program");
    let program = (!lines.is_empty()).then(|| Program::read(lines));
    let program = program.transpose().map_err(InputError::instance)?;
    Ok(Stress {
        shape: Shape {
            objects: arguments.number("objects"),
            fields: arguments.number("fields"),
        },
        threads: arguments.number("threads"),
        fault: fault.expect("the choices are these names"),
        seed: settings.seed,
        duration: Duration::from_secs_f64(settings.seconds),
        program,
    })
}

/// Writes a history: of the program that failed, or of the one given, or of a long one.
fn record(
    stress: &Stress,
    stressed: &Stressed,
    path: &Path,
    cancel: &AtomicBool,
) -> Result<RecordedHistory, InputError> {
    let failure = stressed.failure.as_ref();
    let program = match (failure, &stress.program) {
        (Some(failure), _) => failure.program.clone(),
        (None, Some(program)) => program.clone(),
        (None, None) => stress.long_program(),
    };
    let failing = match failure {
        Some(_) => stress.record_failure(&program, cancel),
        None => Ok(None),
    };
    let failing = failing.map_err(InputError::instance)?;
    let fails = failing.is_some();
    let history = failing.map_or_else(|| stress.record(&program), Ok);
    let history = history.map_err(InputError::instance)?;
    let header = Header::new([
        ("collector", Value::from("on-the-fly")),
        ("threads", program.threads.len().into()),
        ("mutators", most_mutators(&history).into()),
        ("objects", stress.shape.objects.into()),
        ("fields", stress.shape.fields.into()),
        ("fault", stress.fault.name().into()),
        ("seed", stress.seed.into()),
    ]);
    write(path, &header, &history)?;
    Ok(RecordedHistory {
        file: path.to_owned(),
        events: history.len() as u64,
        fails,
        overhead: Some(overhead()),
    })
}

fn write<E: Serialize>(
    path: &Path,
    header: &Header,
    history: &[Event<E>],
) -> Result<(), InputError> {
    let write = || -> io::Result<()> {
        let mut writer = Writer::new(BufWriter::new(File::create(path)?), header)?;
        for event in history {
            writer.write(event)?;
        }
        writer.finish()?;
        Ok(())
    };
    write().map_err(|source| {
        let path = path.to_owned();
        InputError::instance(RecordError { path, source })
    })
}

/// A history that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be written: {source}", .path.display())]
struct RecordError {
    path: PathBuf,
    source: io::Error,
}

fn ben_ari() -> StressRun {
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
            Parameter::number("roots", 1..=16, 2, "nodes that are roots"),
            Parameter::choice("fault", &ben_ari::Fault::NAMES, "what is wrong with it"),
        ],
        |arguments, settings| {
            let bounds = Bounds {
                nodes: arguments.number("nodes"),
                sons: arguments.number("sons"),
                roots: arguments.number("roots"),
            };
            let fault = ben_ari::Fault::named(arguments.choice("fault"));
            let fault = fault.expect("the choices are these names");
            let begun = Instant::now();
            let goes_on = || {
                begun.elapsed().as_secs_f64() < settings.seconds
                    && !settings.cancel.load(Ordering::Relaxed)
            };
            let outcome = ben_ari::run(bounds, fault, settings.seed, u64::MAX, None, goes_on);
            let outcome = outcome.map_err(InputError::instance)?;
            let elapsed = begun.elapsed();
            let words = ["nodes", "sons", "roots"].map(|name| {
                let number: u64 = arguments.number(name);
                [format!("--{name}"), number.to_string()]
            });
            let mut command = words.concat();
            command.extend(["--fault", arguments.choice("fault")].map(str::to_owned));
            command.extend(["--seed".to_owned(), settings.seed.to_string()]);
            let mut report = report_of_ben_ari(&outcome, elapsed, command);
            if let Some(path) = settings.record {
                let fails = outcome.violation.is_some();
                report.recorded = Some(record_ben_ari(bounds, fault, fails, settings, path)?);
            }
            Ok(report)
        },
    )
}

/// How often the mutator redirects, or tries to, in a run that is recorded.
const RECORDED_STEPS: u64 = 100_000;
/// How long runs are recorded until one fails as the run before did.
const RECORDING: Duration = Duration::from_secs(60);

/// Writes a history of a run of its own; of one that fails, if that is what is wanted and one does.
fn record_ben_ari(
    bounds: Bounds,
    fault: ben_ari::Fault,
    fails: bool,
    settings: &StressSettings<'_>,
    path: &Path,
) -> Result<RecordedHistory, InputError> {
    let begun = Instant::now();
    let goes_on = || !settings.cancel.load(Ordering::Relaxed);
    let mut seed = settings.seed;
    let (failed, history) = loop {
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
        let is_late = begun.elapsed() > RECORDING || !goes_on();
        if !fails || outcome.violation.is_some() || is_late {
            break (outcome.violation.is_some(), recorder.finish());
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
    write(path, &header, &history)?;
    Ok(RecordedHistory {
        file: path.to_owned(),
        events: history.len() as u64,
        fails: failed,
        overhead: None,
    })
}

const GARBAGE: &str = "only-garbage-appended";

fn report_of_ben_ari(
    outcome: &ben_ari::Outcome,
    elapsed: Duration,
    command: Vec<String>,
) -> StressReport {
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

/// What is looked for, and how often it was.
const STALE: &str = "no-stale-reference";
const AUDIT: &str = "reachable-is-allocated";
const WORKLISTS: &str = "worklists";
const IDENTITY: &str = "fresh-references";
const EXERCISED: &str = "exercised";

fn obligation_of(violation: &Violation) -> &'static str {
    match violation {
        Violation::Stale(_) => STALE,
        Violation::Audit(_) => AUDIT,
        Violation::NotGrey(_) | Violation::TracedTwice(_) => WORKLISTS,
        Violation::AllocatedTwice(_) => IDENTITY,
    }
}

/// An obligation of a run, and how often it was tested.
struct Looked {
    name: &'static str,
    checked: u64,
}

fn report(stress: &Stress, stressed: &Stressed, elapsed: Duration) -> StressReport {
    let counts = &stressed.counts;
    let looked = |name, checked| Looked { name, checked };
    let obligations = [
        looked(STALE, counts.uses),
        looked(AUDIT, stressed.audited),
        looked(WORKLISTS, counts.traced),
        looked(IDENTITY, counts.allocs),
        looked(EXERCISED, stressed.plays),
    ];
    let quiet = missing(&[
        (counts.cycles, "cycle of the collector"),
        (counts.freed, "object freed"),
        (counts.stores_while_collecting, "store during a collection"),
    ]);
    let rules = [
        ("alloc", "mutator", counts.allocs),
        ("load", "mutator", counts.loads),
        ("store", "mutator", counts.stores),
        ("discard", "mutator", counts.discards),
        ("handshake", "mutator", counts.handshakes),
        ("barrier mark", "mutator", counts.barrier_marks),
        ("mark", "collector", counts.marks),
        ("mark lost", "collector", counts.marks_lost),
        ("trace", "collector", counts.traced),
        ("free", "collector", counts.freed),
    ];
    let violated = stressed.failure.as_ref().map(|f| obligation_of(&f.seen));
    let operations = counts.operations();
    let mut report = sampled(&obligations, violated, &quiet, &rules, operations, elapsed);
    report.threads = stress.mutators();
    report
        .parameters
        .insert("threads".to_owned(), stress.mutators().into());
    let mut all = Map::new();
    all.insert("programs".to_owned(), stressed.programs.into());
    all.insert("plays".to_owned(), stressed.plays.into());
    all.extend(counted(counts));
    StressReport {
        report,
        counts: all,
        failure: stressed
            .failure
            .as_ref()
            .map(|failure| told(stress, failure)),
        recorded: None,
    }
}

/// The report of a run: nothing holds by it. What is missing from it that would have to happen makes it
/// fail, unless something else does.
fn sampled(
    obligations: &[Looked],
    violated: Option<&str>,
    missing: &[&str],
    rules: &[(&str, &str, u64)],
    operations: u64,
    elapsed: Duration,
) -> Report {
    let is_quiet = violated.is_none() && !missing.is_empty();
    let row = |looked: &Looked| {
        let is_violated = violated == Some(looked.name) || (is_quiet && looked.name == EXERCISED);
        Obligation {
            name: looked.name.to_owned(),
            verdict: match is_violated {
                true => Verdict::Violated,
                false => Verdict::Incomplete,
            },
            checked: looked.checked,
            note: (is_quiet && looked.name == EXERCISED)
                .then(|| format!("there was no {}", missing.join(", no "))),
            needed: None,
            counterexamples: Vec::new(),
        }
    };
    let coverage = rules.iter().map(|(rule, process, fired)| RuleCoverage {
        rule: (*rule).to_owned(),
        process: (*process).to_owned(),
        fired: *fired,
    });
    let unexercised = rules.iter().filter(|(.., fired)| *fired == 0);
    Report {
        check: String::new(),
        parameters: Map::new(),
        verdict: Some(match violated.is_some() || is_quiet {
            true => Verdict::Violated,
            false => Verdict::Incomplete,
        }),
        evidence: Evidence::Sampled,
        walks: None,
        symmetry: None,
        omission_probability: None,
        limit: None,
        initial_states: 0,
        states: 0,
        transitions: operations,
        depth: 0,
        seconds: elapsed.as_secs_f64(),
        peak_memory_bytes: 0,
        threads: 1,
        obligations: obligations.iter().map(row).collect(),
        coverage: coverage.collect(),
        deadlocks: 0,
        cut_off: None,
        unexercised: unexercised
            .map(|(rule, ..)| format!("rule:{rule}"))
            .collect(),
        counterexample: None,
        history: None,
    }
}

/// What has to happen in a run that is to say anything, and did not.
fn missing<'a>(needed: &[(u64, &'a str)]) -> Vec<&'a str> {
    let missing = needed.iter().filter(|(count, _)| *count == 0);
    missing.map(|(_, what)| *what).collect()
}

fn counted(counts: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(counts) {
        Ok(Value::Object(counts)) => counts,
        _ => unreachable!("counts are numbers with names"),
    }
}

fn told(stress: &Stress, failure: &Failure) -> StressFailure {
    let program = failure.program.lines();
    let Shape { objects, fields } = stress.shape;
    let mut command: Vec<String> = ["--objects", &objects.to_string(), "--fields"]
        .map(str::to_owned)
        .to_vec();
    command.push(fields.to_string());
    command.extend(["--fault".to_owned(), stress.fault.name().to_owned()]);
    let seconds = failure.repeating().as_secs_f64().ceil();
    command.extend(["--seconds".to_owned(), seconds.to_string()]);
    for line in &program {
        command.extend(["--program".to_owned(), line.clone()]);
    }
    StressFailure {
        seen: failure.seen.to_string(),
        after_seconds: failure.after.as_secs_f64(),
        operations: failure.program.len(),
        operations_before: failure.operations,
        failed: failure.again.0,
        played: failure.again.1,
        program,
        command,
    }
}
