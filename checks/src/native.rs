//! What can be run on real threads.

use std::time::Duration;

use refmap::catalogue::{
    Arguments, InputError, Parameter, StressFailure, StressReport, StressRun, StressSettings,
};
use refmap::report::{Obligation, RuleCoverage};
use refmap::{Evidence, Report, Verdict};
use refmap_systems::native::on_the_fly::{Counts, Fault, Shape, Violation};
use refmap_systems::native::{Failure, Program, Stress, Stressed};
use serde_json::{Map, Value};

pub(super) fn runs() -> Vec<StressRun> {
    vec![collector()]
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
            let begun = std::time::Instant::now();
            let stress = stress(arguments, settings)?;
            let stressed = stress.run(settings.cancel).map_err(InputError::instance)?;
            Ok(report(&stress, &stressed, begun.elapsed()))
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

fn report(stress: &Stress, stressed: &Stressed, elapsed: Duration) -> StressReport {
    let counts = &stressed.counts;
    let violated = stressed.failure.as_ref().map(|f| obligation_of(&f.seen));
    let row = |name: &'static str, checked, note| Obligation {
        name: name.to_owned(),
        verdict: match violated == Some(name) {
            true => Verdict::Violated,
            false => Verdict::Incomplete,
        },
        checked,
        note,
        needed: None,
        counterexamples: Vec::new(),
    };
    let mut obligations = vec![
        row(STALE, counts.uses, None),
        row(AUDIT, stressed.audited, None),
        row(WORKLISTS, counts.traced, None),
        row(IDENTITY, counts.allocs, None),
        row(EXERCISED, stressed.plays, None),
    ];
    let quiet = quiet(counts);
    if let (None, Some(exercised), false) = (violated, obligations.last_mut(), quiet.is_empty()) {
        exercised.verdict = Verdict::Violated;
        exercised.note = Some(format!("there was no {}", quiet.join(", no ")));
    }
    let is_violated = obligations.iter().any(|o| o.verdict == Verdict::Violated);
    let coverage = coverage(counts);
    let unfired = coverage.iter().filter(|rule| rule.fired == 0);
    let report = Report {
        check: String::new(),
        parameters: Map::new(),
        verdict: Some(match is_violated {
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
        transitions: counts.operations(),
        depth: 0,
        seconds: elapsed.as_secs_f64(),
        peak_memory_bytes: 0,
        threads: stress.threads,
        obligations,
        unexercised: unfired.map(|rule| format!("rule:{}", rule.rule)).collect(),
        coverage,
        deadlocks: 0,
        cut_off: None,
        counterexample: None,
    };
    let mut counted = Map::new();
    counted.insert("programs".to_owned(), stressed.programs.into());
    counted.insert("plays".to_owned(), stressed.plays.into());
    if let Ok(Value::Object(counts)) = serde_json::to_value(counts) {
        counted.extend(counts);
    }
    StressReport {
        report,
        counts: counted,
        failure: stressed
            .failure
            .as_ref()
            .map(|failure| told(stress, failure)),
        recorded: None,
    }
}

/// What has to happen in a run that is to say anything.
fn quiet(counts: &Counts) -> Vec<&'static str> {
    let needed = [
        (counts.cycles, "cycle of the collector"),
        (counts.freed, "object freed"),
        (counts.stores_while_collecting, "store during a collection"),
    ];
    let missing = needed.iter().filter(|(count, _)| *count == 0);
    missing.map(|(_, what)| *what).collect()
}

fn coverage(counts: &Counts) -> Vec<RuleCoverage> {
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
    let row = |(rule, process, fired): (&str, &str, u64)| RuleCoverage {
        rule: rule.to_owned(),
        process: process.to_owned(),
        fired,
    };
    rules.into_iter().map(row).collect()
}

fn told(stress: &Stress, failure: &Failure) -> StressFailure {
    let program = failure.program.lines();
    let Shape { objects, fields } = stress.shape;
    let mut command: Vec<String> = ["--objects", &objects.to_string(), "--fields"]
        .map(str::to_owned)
        .to_vec();
    command.push(fields.to_string());
    command.extend(["--fault".to_owned(), stress.fault.name().to_owned()]);
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
