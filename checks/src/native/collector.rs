//! Stress run of the on-the-fly collector on real threads.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use refmap_cli::catalogue::{
    InputError, StressFailure, StressReport, StressRun, StressSettings, number,
};
use refmap_cli::clap::{self, Args};
use refmap_histories::{Header, Recorder};
use refmap_systems::native::on_the_fly::{Fault, Shape, Violation};
use refmap_systems::native::{Failure, Program, Stress, Stressed, most_mutators, overhead};
use serde_json::{Map, Value};

use super::super::named::named;
use super::history_file::{About, ENDING, HistoryFile};
use super::sampled::{EXERCISED, Looked, counted, missing, sampled};

pub(super) fn run() -> StressRun {
    StressRun::new(
        "collector",
        "the on-the-fly collector: random mutators look for what was freed and is reachable",
        "Gammie, Hosking & Engelhardt, Relaxing Safely",
        |arguments: &Arguments, settings| {
            let stress = stress(arguments, settings)?;
            match settings.record.map(HistoryFile::prepare).transpose()? {
                None => unrecorded(&stress, settings),
                Some(file) => recorded(&stress, arguments, settings, file),
            }
        },
    )
}

#[derive(Clone, Args)]
struct Arguments {
    /// mutators
    #[arg(long, default_value_t = 2, value_parser = number::<usize>(1..=16))]
    threads: usize,
    /// objects that the heap holds
    #[arg(long, default_value_t = 16, value_parser = number::<u32>(2..=1 << 20))]
    objects: u32,
    /// fields of an object
    #[arg(long, default_value_t = 2, value_parser = number::<u32>(1..=64))]
    fields: u32,
    /// what is wrong with the collector
    #[arg(long, default_value = "none", value_parser = named::<Fault>())]
    fault: Fault,
    /// what a thread does, in the place of random programs; once a thread
    #[arg(long)]
    program: Vec<String>,
}

fn unrecorded(stress: &Stress, settings: &StressSettings<'_>) -> Result<StressReport, InputError> {
    let begun = Instant::now();
    let stressed = searched(stress, settings)?;
    let elapsed = begun.elapsed();
    let failure = stressed.failure.as_ref().map(|failure| Seen {
        by: failure.seen,
        told: told(stress, failure),
    });
    Ok(report(stress, &stressed, failure, elapsed))
}

/// One long run, recorded and reported. If it fails, a small failing program is searched for as without recording.
fn recorded(
    stress: &Stress,
    arguments: &Arguments,
    settings: &StressSettings<'_>,
    file: HistoryFile,
) -> Result<StressReport, InputError> {
    let begun = Instant::now();
    let run = |recorder: &Arc<Recorder<_>>, over: &Arc<AtomicBool>| {
        let ended = stress.run_recorded(recorder, over);
        (ended, begun.elapsed())
    };
    let (mut history, (ended, elapsed)) = file.record(settings, run)?;
    let (stressed, seen) = ended.map_err(InputError::instance)?;
    let is_coming_or_going = |line: &str| line.contains("\"join\"") || line.contains("\"leave\"");
    let header = Header::new([
        ("collector", Value::from("on-the-fly")),
        ("threads", stress.mutators().into()),
        (
            "mutators",
            most_mutators(&history.events(is_coming_or_going)?).into(),
        ),
        ("objects", stress.shape.objects.into()),
        ("fields", stress.shape.fields.into()),
        ("fault", stress.fault.name().into()),
        ("seed", stress.seed.into()),
    ]);
    let about = About {
        header,
        fails: seen.is_some(),
        overhead: Some(overhead()),
    };
    let (recorded, unrecorded) = match history.write(about, settings.cancel) {
        Ok(history) => (Some(history), None),
        Err(error) => (None, Some(error)),
    };
    let report = |failure| StressReport {
        recorded: recorded.clone(),
        unrecorded: unrecorded.clone(),
        ..report(stress, &stressed, failure, elapsed)
    };
    let Some(by) = seen else {
        return Ok(report(None));
    };
    let mut seen = Seen {
        told: while_recording(arguments, settings, &by, elapsed),
        by,
    };
    settings.note(report(Some(seen.clone())));
    if let Some(small) = searched(stress, settings)?.failure {
        seen.told = StressFailure {
            seen: seen.told.seen,
            after_seconds: seen.told.after_seconds,
            ..told(stress, &small)
        };
    }
    Ok(report(Some(seen)))
}

/// Time that a run has beside its own, in seconds: to shorten a program that fails takes 20 at most, and to play it again 10.
const MORE: f64 = 30.0 + ENDING;

/// Searches for a small program that fails.
fn searched(stress: &Stress, settings: &StressSettings<'_>) -> Result<Stressed, InputError> {
    let searched = settings.running(MORE, || stress.run(settings.cancel));
    searched.map_err(InputError::instance)
}

fn stress(arguments: &Arguments, settings: &StressSettings<'_>) -> Result<Stress, InputError> {
    let lines = arguments.program.iter().map(String::as_str);
    let program = (!arguments.program.is_empty()).then(|| Program::read(lines));
    let program = program.transpose().map_err(InputError::instance)?;
    Ok(Stress {
        shape: Shape {
            objects: arguments.objects,
            fields: arguments.fields,
        },
        threads: arguments.threads,
        fault: arguments.fault,
        seed: settings.seed,
        // A time beyond the greatest duration is the greatest duration.
        duration: Duration::try_from_secs_f64(settings.seconds).unwrap_or(Duration::MAX),
        program,
    })
}

/// Observed failure, with the reported details.
#[derive(Clone)]
struct Seen {
    by: Violation,
    told: StressFailure,
}

/// Failure of the recorded run without a small failing program: the command runs and records it again.
fn while_recording(
    arguments: &Arguments,
    settings: &StressSettings<'_>,
    seen: &Violation,
    after: Duration,
) -> StressFailure {
    let mut command = Vec::new();
    command.extend(["--threads".to_owned(), arguments.threads.to_string()]);
    command.extend(["--objects".to_owned(), arguments.objects.to_string()]);
    command.extend(["--fields".to_owned(), arguments.fields.to_string()]);
    command.extend(["--fault", arguments.fault.name()].map(str::to_owned));
    command.extend(["--seed".to_owned(), settings.seed.to_string()]);
    for line in &arguments.program {
        command.extend(["--program".to_owned(), line.clone()]);
    }
    let file = settings.record.map(|file| file.display().to_string());
    command.extend(
        file.into_iter()
            .flat_map(|file| ["--record".to_owned(), file]),
    );
    StressFailure {
        seen: seen.to_string(),
        after_seconds: after.as_secs_f64(),
        program: Vec::new(),
        operations: 0,
        operations_before: 0,
        failed: 1,
        played: 1,
        command,
    }
}

/// Obligation of a stress run.
const STALE: &str = "no-stale-reference";
const AUDIT: &str = "reachable-is-allocated";
const WORKLISTS: &str = "worklists";
const IDENTITY: &str = "fresh-references";

fn obligation_of(violation: &Violation) -> &'static str {
    match violation {
        Violation::Stale(_) => STALE,
        Violation::Audit(_) => AUDIT,
        Violation::NotGrey(_) | Violation::TracedTwice(_) => WORKLISTS,
        Violation::AllocatedTwice(_) => IDENTITY,
    }
}

fn report(
    stress: &Stress,
    stressed: &Stressed,
    failure: Option<Seen>,
    elapsed: Duration,
) -> StressReport {
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
    let violated = failure.as_ref().map(|seen| obligation_of(&seen.by));
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
        failure: failure.map(|seen| seen.told),
        recorded: None,
        unrecorded: None,
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
