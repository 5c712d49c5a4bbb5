//! Conversion of command-line words to commands.

use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::PathBuf;

use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::checkpoint::{CHECK, KeptCommand, Question};
#[cfg(feature = "pictures")]
use super::command::ExploreCommand;
#[cfg(feature = "graph")]
use super::command::GraphCommand;
use super::command::{CheckCommand, Command, Listing, Page, RunAllCommand, TableCommand};
#[cfg(feature = "inclusion")]
use super::command::{Compared, IncludeCommand};
#[cfg(feature = "programs")]
use super::command::{FencesCommand, LitmusCommand};
#[cfg(feature = "histories")]
use super::command::{StressCommand, ValidateCommand};
use super::feature::{self, with_feature};
#[cfg(feature = "pictures")]
use super::grammar::EXPLORE;
#[cfg(feature = "histories")]
use super::grammar::criteria;
use super::grammar::{
    self, ANY_NUMBER_OF, Named, PROCESSES, SAMPLES, STORAGES, SYMMETRIES, WITHOUT, WORKERS, command,
};
#[cfg(feature = "inclusion")]
use super::grammar::{IMPLEMENTATION, INCLUDE, SPECIFICATION};
use super::new::{NewCommand, ProjectKind};
#[cfg(feature = "distributed")]
use super::processes::Company;
use crate::catalogue::{Abilities, Catalogue, Check, patterns};
use crate::shell;
use refmap::explore::{Limits, Spilling};
#[cfg(feature = "inclusion")]
use refmap::inclusion::Comparison;
use refmap::internal::{Detail, nearest, visible};
use refmap::obligation::{Induction, Liveness, Search, Selection, Settings, Until, Warnings};
use refmap::random::{Samples, Walks};
use refmap::report::Verdict;
#[cfg(feature = "programs")]
use refmap_programs::MemoryModel;
#[cfg(feature = "histories")]
use serde_json::{Map, Value};

pub(super) fn parse(
    name: &'static str,
    about: &'static str,
    catalogue: &Catalogue,
    words: &[OsString],
) -> Result<Command, clap::Error> {
    let told = &told(name, words);
    // A check is asked what it offers where somebody reads it.
    let all = |_: &Check| Abilities::all();
    let parsed =
        |words: &[OsString]| command(name, about, catalogue, &all).try_get_matches_from(words);
    let matches = parsed(words)
        .map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp => error,
            _ => parsed(&shown(words)).err().unwrap_or(error),
        })
        .map_err(with_feature)
        .map_err(|error| with_known_names(error, catalogue, words))
        .map_err(|error| with_allowed_values(error, catalogue, words))?;
    if let Some((command, _)) = matches.subcommand() {
        feature::validate(command)?;
    }
    Ok(match matches.subcommand() {
        Some(("list", matches)) => Command::List(if matches.get_flag("json") {
            Listing::Json
        } else {
            Listing::Text
        }),
        Some(("table", matches)) => {
            let (name, matches) = named(matches);
            Command::Table(TableCommand {
                table: name.to_owned(),
                threads: threads(matches),
                json: matches.get_flag("json"),
                // A sweep claims nothing, and has no such option.
                junit: matches.try_get_one("junit").ok().flatten().cloned(),
                quiet: matches.get_flag("quiet"),
            })
        }
        Some(("new", matches)) => Command::New(NewCommand {
            folder: required(matches, "folder"),
            refmap: matches.get_one::<PathBuf>("refmap").cloned(),
            kind: if matches.get_flag("object") {
                ProjectKind::Object
            } else {
                ProjectKind::Model
            },
        }),
        #[cfg(feature = "graph")]
        Some(("graph", matches)) => Command::Graph(GraphCommand {
            files: files(matches),
            limits: time_and_memory(matches),
            json: matches.get_flag("json"),
            html: page(matches, told),
        }),
        #[cfg(feature = "inclusion")]
        Some((INCLUDE, matches)) => {
            Command::Include(Box::new(include_command(catalogue, matches, told)?))
        }
        #[cfg(feature = "programs")]
        Some(("litmus", matches)) => Command::Litmus(LitmusCommand {
            files: files(matches),
            model: model(matches, "model"),
            limits: Limits {
                states: matches.get_one("max-states").copied(),
                seconds: matches.get_one("max-seconds").copied(),
                memory_bytes: matches.get_one("max-memory").copied(),
                ..Limits::default()
            },
            json: matches.get_flag("json"),
        }),
        #[cfg(feature = "histories")]
        Some(("validate", matches)) => Command::Validate(ValidateCommand {
            file: required(matches, "file"),
            against: required(matches, "against"),
            criterion: one_of(matches, "criterion", &criteria()),
            parameters: parameters(matches)?,
            configurations: required::<u64>(matches, "max-configurations") as usize,
            buffer: matches.get_one("buffer").copied(),
            keyed: matches.get_flag("keyed"),
            limits: time_and_memory(matches),
            json: matches.get_flag("json"),
            html: page(matches, told),
            quiet: matches.get_flag("quiet"),
        }),
        #[cfg(feature = "programs")]
        Some(("fences", matches)) => {
            let (name, matches) = named(matches);
            let mut problems = catalogue.fences.iter();
            let problem = problems.find(|problem| problem.name == name);
            let problem = problem.expect("clap knows those of the catalogue only");
            Command::Fences(Box::new(FencesCommand {
                problem: name.to_owned(),
                arguments: problem.parameters.arguments(matches.clone()),
                model: model(matches, "memory"),
                threads: threads(matches),
                limits: limits(matches),
                json: matches.get_flag("json"),
                detail: detail(matches),
                quiet: matches.get_flag("quiet"),
            }))
        }
        #[cfg(feature = "histories")]
        Some(("stress", matches)) => {
            let (name, matches) = named(matches);
            let stress = catalogue
                .stress
                .iter()
                .find(|stress| stress.name == name)
                .expect("clap knows the implementations of the catalogue only");
            Command::Stress(StressCommand {
                stress: name.to_owned(),
                arguments: stress.parameters.arguments(matches.clone()),
                seconds: required(matches, "seconds"),
                seed: required(matches, "seed"),
                record: matches.get_one("record").cloned(),
                junit: matches.get_one("junit").cloned(),
                json: matches.get_flag("json"),
                html: page(matches, told),
                quiet: matches.get_flag("quiet"),
            })
        }
        #[cfg(feature = "pictures")]
        Some((EXPLORE, matches)) => {
            let (name, matches) = named(matches);
            let check = known_check(catalogue, name);
            Command::Explore(ExploreCommand {
                check: name.to_owned(),
                arguments: check.parameters.arguments(matches.clone()),
                threads: threads(matches),
                limits: limits(matches),
                obligations: obligations(matches)?,
                without: without(matches),
                liveness: liveness(matches),
                listen: required(matches, "listen"),
                at: matches.get_one("at").cloned().unwrap_or_default(),
                command: told.clone(),
            })
        }
        Some(("check", matches)) => {
            let (name, matches) = named(matches);
            let check = known_check(catalogue, name);
            Command::Check(Box::new(check_command(check, matches, told)?))
        }
        #[cfg(feature = "shell")]
        Some(("completions", matches)) => Command::Completions(required(matches, "shell")),
        #[cfg(feature = "shell")]
        Some(("man", matches)) => {
            let path = matches.get_many("command").unwrap_or_default();
            Command::Man(path.cloned().collect())
        }
        _ => Command::RunAll(RunAllCommand {
            threads: threads(&matches),
            json: matches.get_flag("json"),
            junit: matches.get_one("junit").cloned(),
            verbose: matches.get_flag("verbose"),
            quiet: matches.get_flag("quiet"),
        }),
    })
}

/// The name that follows a command, and what comes behind it.
fn named(matches: &ArgMatches) -> (&str, &ArgMatches) {
    matches.subcommand().expect("clap demands a name")
}

/// Value that clap demands, or that has a default.
fn required<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> T {
    let value = matches.get_one::<T>(name).cloned();
    value.expect("clap demands it, or there is a default")
}

/// The files that clap demands.
fn files(matches: &ArgMatches) -> Vec<PathBuf> {
    let files = matches.get_many("files").expect("clap demands a file");
    files.cloned().collect()
}

/// # Errors
///
/// If a checkpoint cannot be resumed.
#[cfg(feature = "inclusion")]
fn include_command(
    catalogue: &Catalogue,
    matches: &ArgMatches,
    told: &str,
) -> Result<IncludeCommand, clap::Error> {
    let (check, matches) = match matches.subcommand() {
        Some((name, matches)) => (Some(known_check(catalogue, name)), matches),
        None => (None, matches),
    };
    let command = KeptCommand {
        command: INCLUDE,
        check: check.map_or("of two files", |check| check.name),
        grammar: grammar::included(check),
    };
    let Question {
        matches: asked_for,
        checkpoints,
        ..
    } = command.question(matches)?;
    let compared = match check {
        Some(check) => Compared::Check {
            name: check.name.to_owned(),
            arguments: Box::new(check.parameters.arguments(asked_for)),
        },
        None => {
            Compared::Files([IMPLEMENTATION, SPECIFICATION].map(|name| required(matches, name)))
        }
    };
    Ok(IncludeCommand {
        compared,
        comparison: Comparison {
            threads: threads(matches),
            limits: Limits {
                states: matches.get_one("max-states").copied(),
                ..time_and_memory(matches)
            },
            checkpoints,
            spill: spill(matches),
            ..Comparison::default()
        },
        json: matches.get_flag("json"),
        html: page(matches, told),
        quiet: matches.get_flag("quiet"),
    })
}

/// The words as an error can repeat them: controls as their escapes, which clap would leave out.
fn shown(words: &[OsString]) -> Vec<OsString> {
    let words = words.iter().map(|word| word.to_string_lossy());
    words
        .map(|word| visible(&word).into_owned().into())
        .collect()
}

fn known_check<'c>(catalogue: &'c Catalogue, name: &str) -> &'c Check {
    let mut checks = catalogue.checks.iter();
    let check = checks.find(|check| check.name == name);
    check.expect("clap knows the checks of the catalogue only")
}

/// The command as it is typed.
fn told(name: &str, words: &[OsString]) -> String {
    let words = words.iter().skip(1).map(OsString::as_os_str);
    shell::command(std::iter::once(OsStr::new(name)).chain(words))
}

/// The page that a command is to write.
fn page(matches: &ArgMatches, told: &str) -> Option<Page> {
    // Without pages it has no value.
    let path = matches.try_get_one::<PathBuf>("html").ok().flatten()?;
    Some(Page {
        path: path.clone(),
        command: told.to_owned(),
    })
}

/// Adds the known names to an error about an unknown check, table or program.
fn with_known_names(error: clap::Error, catalogue: &Catalogue, words: &[OsString]) -> clap::Error {
    let invalid = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) if error.kind() == ErrorKind::InvalidSubcommand => name,
        _ => return error,
    };
    let mut commands = words.iter().filter_map(|word| word.to_str());
    let command = commands
        .find(|word| ["check", "explore", "include", "table", "fences", "stress"].contains(word));
    let tables = catalogue.tables.iter().map(|table| table.name);
    let (what, known): (_, Vec<_>) = if matches!(command, Some("check" | "explore" | "include")) {
        let checks = catalogue.checks.iter().map(|check| check.name);
        ("check", checks.collect())
    } else if command == Some("table") {
        ("table", tables.collect())
    } else {
        match command {
            #[cfg(feature = "programs")]
            Some("fences") => {
                let problems = catalogue.fences.iter().map(|problem| problem.name);
                ("program with places for fences", problems.collect())
            }
            #[cfg(feature = "histories")]
            Some("stress") => {
                let runs = catalogue.stress.iter().map(|stress| stress.name);
                ("implementation to stress", runs.collect())
            }
            _ => return error,
        }
    };
    if known.is_empty() {
        // The catalogue has no such items, so the unknown name is the command itself.
        return error;
    }
    let hint = nearest(invalid, known.iter().copied())
        .map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"));
    let message = format!(
        "there is no {what} {invalid:?}{hint}; there are: {}\n",
        known.join(", ")
    );
    clap::Error::raw(error.kind(), message)
}

/// Says of an argument of a check that is missing which values it may have.
fn with_allowed_values(
    error: clap::Error,
    catalogue: &Catalogue,
    words: &[OsString],
) -> clap::Error {
    let mut words = words.iter().filter_map(|word| word.to_str());
    let is_of_check = words.any(|word| ["check", "explore", "include"].contains(&word));
    let check = words.next().and_then(|name| catalogue.check(name).ok());
    match check {
        Some(check) if is_of_check && error.kind() == ErrorKind::MissingRequiredArgument => {
            let command = check.parameters.augment(clap::Command::new(check.name));
            let refusal = check.parameters.refusal(check.name, &command, &error);
            clap::Error::raw(error.kind(), format!("{refusal}\n"))
        }
        _ => error,
    }
}

#[cfg(feature = "programs")]
fn model(matches: &ArgMatches, option: &str) -> MemoryModel {
    matches
        .get_one::<String>(option)
        .and_then(|name| name.parse().ok())
        .expect("clap knows the names of models only")
}

fn limits(matches: &ArgMatches) -> Limits {
    Limits {
        states: matches.get_one("max-states").copied(),
        depth: matches.get_one("max-depth").copied(),
        ..time_and_memory(matches)
    }
}

fn time_and_memory(matches: &ArgMatches) -> Limits {
    Limits {
        seconds: matches.get_one("max-seconds").copied(),
        memory_bytes: memory_bytes(matches),
        ..Limits::default()
    }
}

/// Parameters of the instance of a history that has none itself, by name.
///
/// # Errors
///
/// If one is given twice.
#[cfg(feature = "histories")]
fn parameters(matches: &ArgMatches) -> Result<Map<String, Value>, clap::Error> {
    let given = matches.get_many::<(String, Value)>("parameter");
    let mut parameters = Map::new();
    for (name, value) in given.into_iter().flatten() {
        if parameters.insert(name.clone(), value.clone()).is_some() {
            let message = format!("--parameter {name} is given twice\n");
            return Err(clap::Error::raw(ErrorKind::ArgumentConflict, message));
        }
    }
    Ok(parameters)
}

/// Memory limit: as given, or a default that leaves the machine usable.
fn memory_bytes(matches: &ArgMatches) -> Option<u64> {
    let given = matches.get_one("max-memory").copied();
    let share = |bytes| bytes / processes_here(matches) as u64;
    given.or_else(|| Limits::memory_by_default().map(share))
}

fn detail(matches: &ArgMatches) -> Detail {
    if matches.get_flag("verbose") {
        Detail::WholeStates
    } else {
        Detail::Changes
    }
}

fn one_of<T: Copy>(matches: &ArgMatches, name: &str, values: &Named<T>) -> T {
    let given = matches.get_one::<String>(name);
    let value = values
        .iter()
        .find(|(name, _)| Some(*name) == given.map(String::as_str));
    value.expect("clap admits the names of these values only").1
}

/// # Errors
///
/// If something is to be left out of none.
fn obligations(matches: &ArgMatches) -> Result<Selection, clap::Error> {
    let given = matches.get_one::<String>("obligations");
    Ok(match given.map(String::as_str) {
        None => Selection::Default,
        Some("none") if matches.contains_id(WITHOUT) => {
            return Err(clap::Error::raw(
                ErrorKind::ArgumentConflict,
                "the argument '--obligations none', which checks nothing, cannot be used with '--without'\n",
            ));
        }
        Some("none") => Selection::Nothing,
        Some(list) => Selection::Only(patterns(list)),
    })
}

fn without(matches: &ArgMatches) -> Vec<String> {
    let given = matches.get_one::<String>(WITHOUT);
    given.map_or_else(Vec::new, |list| patterns(list))
}

fn liveness(matches: &ArgMatches) -> Liveness {
    if matches.get_flag("liveness") {
        Liveness::Included
    } else {
        Liveness::Omitted
    }
}

fn spill(matches: &ArgMatches) -> Option<Spilling> {
    // Without disk it has no value.
    let folder = matches.try_get_one::<PathBuf>("spill").ok().flatten()?;
    Some(Spilling {
        folder: folder.clone(),
        from_bytes: None,
    })
}

fn threads(matches: &ArgMatches) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let share = || (cores() / processes_here(matches)).max(1);
    let given = matches.get_one::<u16>(WORKERS);
    given.map_or_else(share, |threads| usize::from(*threads))
}

/// Number of processes that share this machine.
fn processes_here(matches: &ArgMatches) -> usize {
    // Not every command has the option.
    let given = matches.try_get_one::<u16>(PROCESSES).ok().flatten();
    given.map_or(1, |processes| usize::from(*processes))
}

/// Walks that are made where states are drawn, and it is not said how many.
const WALKS: u32 = 100;

/// Seed of what is random.
fn seed(matches: &ArgMatches) -> u64 {
    matches.get_one("seed").copied().unwrap_or(0)
}

/// # Errors
///
/// If there is a seed, and nothing is random.
fn search(matches: &ArgMatches) -> Result<Search, clap::Error> {
    if cfg!(feature = "any-number") && matches.contains_id(ANY_NUMBER_OF) {
        let views = matches.get_one("views").copied();
        return Ok(Search::AnyNumber { views });
    }
    let is_sampled = matches.contains_id(SAMPLES);
    let walks = matches.get_one("walks").copied();
    let Some(walks) = walks.or(is_sampled.then_some(WALKS)) else {
        if matches.contains_id("seed") {
            let message = "the following required arguments were not provided: --walks <N> or --samples <N>\n";
            return Err(clap::Error::raw(
                ErrorKind::MissingRequiredArgument,
                message,
            ));
        }
        return Ok(Search::Exhaustive);
    };
    Ok(Search::Walks(Walks {
        walks,
        steps: matches.get_one("steps").copied().unwrap_or(1000),
        seed: seed(matches),
    }))
}

fn induction(matches: &ArgMatches) -> Induction {
    match matches.get_one(SAMPLES).copied() {
        Some(samples) => Induction::Sampled(Samples {
            samples,
            seed: seed(matches),
        }),
        None if matches.get_flag("inductive") => Induction::Included,
        None => Induction::Omitted,
    }
}

/// Settings of a check on which its result depends.
///
/// # Errors
///
/// If the values of options contradict each other.
pub(super) fn asked(matches: &ArgMatches) -> Result<Settings<'static>, clap::Error> {
    let induction = induction(matches);
    let obligations = obligations(matches)?;
    if induction != Induction::Omitted && obligations == Selection::Nothing {
        return Err(clap::Error::raw(
            ErrorKind::ArgumentConflict,
            "the argument '--obligations none', which checks nothing, cannot be used with '--inductive'; \
             for inductive:* alone say '--obligations inductive'\n",
        ));
    }
    Ok(Settings {
        search: search(matches)?,
        storage: one_of(matches, "storage", &STORAGES),
        symmetry: one_of(matches, "symmetry", &SYMMETRIES),
        limits: Limits {
            states: matches.get_one("max-states").copied(),
            depth: matches.get_one("max-depth").copied(),
            ..Limits::default()
        },
        obligations,
        without: without(matches),
        induction,
        liveness: liveness(matches),
        until: if matches.get_flag("keep-going") {
            Until::End
        } else {
            Until::FirstViolation
        },
        warnings: if matches.get_flag("strict") {
            Warnings::Fail
        } else {
            Warnings::Told
        },
        ..Settings::default()
    })
}

/// # Errors
///
/// If the values of options contradict each other, or a checkpoint cannot be resumed.
fn check_command(
    check: &Check,
    matches: &ArgMatches,
    told: &str,
) -> Result<CheckCommand, clap::Error> {
    let command = KeptCommand {
        command: CHECK,
        check: check.name,
        grammar: grammar::claim(check),
    };
    let Question {
        matches: asked_for,
        words,
        checkpoints,
    } = command.question(matches)?;
    let settings = Settings {
        checkpoints,
        ..asked(&asked_for)?
    };
    let arguments = check.parameters.arguments(asked_for);
    let (threads, limits) = (threads(matches), limits(matches));
    #[cfg(feature = "distributed")]
    let company = Company::asked(matches, check.name, words, threads, limits);
    #[cfg(not(feature = "distributed"))]
    drop(words);
    Ok(CheckCommand {
        check: check.name.to_owned(),
        arguments,
        #[cfg(feature = "distributed")]
        company,
        settings: Settings {
            threads,
            limits,
            spill: spill(matches),
            ..settings
        },
        expect: matches
            .get_one::<String>("expect")
            .map(|verdict| match verdict.as_str() {
                "holds" => Verdict::Holds,
                "violated" => Verdict::Violated,
                _ => Verdict::Incomplete,
            }),
        json: matches.get_flag("json"),
        junit: matches.get_one("junit").cloned(),
        trace: matches.get_one("trace").cloned(),
        html: page(matches, told),
        detail: detail(matches),
        quiet: matches.get_flag("quiet"),
    })
}
