//! From words to commands.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches};
use serde_json::Value;

use super::listing::Listing;
use crate::catalogue::{Catalogue, Check, Parameter, ParameterKind};
use crate::explore::{Limits, Order, Storage};
use crate::memory::MemoryModel;
use crate::obligation::{Induction, Search, Selection, Symmetry, Until, nearest};
use crate::random::Walks;
use crate::report::{Detail, Verdict};

/// The option that says how many threads the engine uses.
const WORKERS: &str = "workers";

/// What is to be done.
pub(super) enum Command {
    Everything(EverythingCommand),
    List(Listing),
    Table(TableCommand),
    Check(CheckCommand),
    Fences(FencesCommand),
    Litmus(LitmusCommand),
    Stress(StressCommand),
    Validate(ValidateCommand),
}

/// Every claim of the catalogue.
pub(super) struct EverythingCommand {
    pub threads: usize,
    pub json: bool,
    pub quiet: bool,
}

/// One table.
pub(super) struct TableCommand {
    pub table: String,
    pub threads: usize,
    pub json: bool,
    pub quiet: bool,
}

/// The fences of one program.
pub(super) struct FencesCommand {
    pub problem: String,
    pub arguments: Vec<(String, Value)>,
    pub model: MemoryModel,
    pub threads: usize,
    pub limits: Limits,
    pub json: bool,
    pub detail: Detail,
    pub quiet: bool,
}

/// Litmus tests.
pub(super) struct LitmusCommand {
    pub files: Vec<PathBuf>,
    pub model: MemoryModel,
    pub json: bool,
}

/// One stress run.
pub(super) struct StressCommand {
    pub stress: String,
    pub arguments: Vec<(String, Value)>,
    pub seconds: f64,
    pub seed: u64,
    pub record: Option<PathBuf>,
    pub json: bool,
    pub quiet: bool,
}

/// A recorded history.
pub(super) struct ValidateCommand {
    pub file: PathBuf,
    pub against: String,
    pub configurations: usize,
    pub buffer: Option<u32>,
    pub limits: Limits,
    pub json: bool,
    pub quiet: bool,
}

/// One check.
pub(super) struct CheckCommand {
    pub check: String,
    pub arguments: Vec<(String, Value)>,
    pub search: Search,
    pub order: Order,
    pub storage: Storage,
    pub symmetry: Symmetry,
    pub threads: usize,
    pub limits: Limits,
    pub obligations: Selection,
    pub induction: Induction,
    pub until: Until,
    pub expect: Option<Verdict>,
    pub json: bool,
    pub trace: Option<PathBuf>,
    pub detail: Detail,
    pub quiet: bool,
}

pub(super) fn parse(
    name: &'static str,
    about: &'static str,
    catalogue: &Catalogue,
    words: impl IntoIterator<Item = OsString>,
) -> Result<Command, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    let matches = command(name, about, catalogue)
        .try_get_matches_from(&words)
        .map_err(|error| with_known_names(error, catalogue, &words))?;
    Ok(match matches.subcommand() {
        Some(("list", matches)) => Command::List(if matches.get_flag("json") {
            Listing::Json
        } else if matches.get_flag("markdown") {
            Listing::Markdown
        } else {
            Listing::Text
        }),
        Some(("table", matches)) => {
            let (name, matches) = matches
                .subcommand()
                .expect("clap demands the name of a table");
            Command::Table(TableCommand {
                table: name.to_owned(),
                threads: threads(matches),
                json: matches.get_flag("json"),
                quiet: matches.get_flag("quiet"),
            })
        }
        Some(("litmus", matches)) => Command::Litmus(LitmusCommand {
            files: matches
                .get_many("files")
                .expect("clap demands a file")
                .cloned()
                .collect(),
            model: model(matches, "model"),
            json: matches.get_flag("json"),
        }),
        Some(("validate", matches)) => Command::Validate(ValidateCommand {
            file: matches
                .get_one::<PathBuf>("file")
                .expect("clap demands a file")
                .clone(),
            against: matches
                .get_one::<String>("against")
                .expect("clap demands a specification")
                .clone(),
            configurations: *matches
                .get_one::<u64>("max-configurations")
                .expect("there is a default") as usize,
            buffer: matches.get_one("buffer").copied(),
            limits: Limits {
                seconds: matches.get_one("max-seconds").copied(),
                memory_bytes: matches.get_one("max-memory").copied(),
                ..Limits::default()
            },
            json: matches.get_flag("json"),
            quiet: matches.get_flag("quiet"),
        }),
        Some(("fences", matches)) => {
            let (name, matches) = matches
                .subcommand()
                .expect("clap demands the name of a program");
            let problem = catalogue
                .fences
                .iter()
                .find(|problem| problem.name == name)
                .expect("clap knows the programs of the catalogue only");
            Command::Fences(FencesCommand {
                problem: name.to_owned(),
                arguments: arguments(&problem.parameters, matches),
                model: model(matches, "memory"),
                threads: threads(matches),
                limits: limits(matches),
                json: matches.get_flag("json"),
                detail: detail(matches),
                quiet: matches.get_flag("quiet"),
            })
        }
        Some(("stress", matches)) => {
            let (name, matches) = matches
                .subcommand()
                .expect("clap demands the name of an implementation");
            let stress = catalogue
                .stress
                .iter()
                .find(|stress| stress.name == name)
                .expect("clap knows the implementations of the catalogue only");
            Command::Stress(StressCommand {
                stress: name.to_owned(),
                arguments: arguments(&stress.parameters, matches),
                seconds: *matches.get_one("seconds").expect("there is a default"),
                seed: *matches.get_one("seed").expect("there is a default"),
                record: matches.get_one("record").cloned(),
                json: matches.get_flag("json"),
                quiet: matches.get_flag("quiet"),
            })
        }
        Some(("check", matches)) => {
            let (name, matches) = matches
                .subcommand()
                .expect("clap demands the name of a check");
            let check = catalogue
                .checks
                .iter()
                .find(|check| check.name == name)
                .expect("clap knows the checks of the catalogue only");
            Command::Check(check_command(check, matches))
        }
        _ => Command::Everything(EverythingCommand {
            threads: threads(&matches),
            json: matches.get_flag("json"),
            quiet: matches.get_flag("quiet"),
        }),
    })
}

/// Of a check, a table or a program that there is not: with the names that there are.
fn with_known_names(error: clap::Error, catalogue: &Catalogue, words: &[OsString]) -> clap::Error {
    let invalid = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) if error.kind() == ErrorKind::InvalidSubcommand => name,
        _ => return error,
    };
    let mut commands = words.iter().filter_map(|word| word.to_str());
    let command = commands.find(|word| ["check", "table", "fences", "stress"].contains(word));
    let tables = catalogue.tables.iter().map(|table| table.name);
    let grids = catalogue.grids.iter().map(|grid| grid.name);
    let (what, known): (_, Vec<_>) = if command == Some("check") {
        let checks = catalogue.checks.iter().map(|check| check.name);
        ("check", checks.collect())
    } else if command == Some("table") {
        ("table", tables.chain(grids).collect())
    } else if command == Some("fences") {
        let problems = catalogue.fences.iter().map(|problem| problem.name);
        ("program with places for fences", problems.collect())
    } else if command == Some("stress") {
        let runs = catalogue.stress.iter().map(|stress| stress.name);
        ("implementation to stress", runs.collect())
    } else {
        return error;
    };
    let hint = nearest(invalid, known.iter().copied())
        .map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"));
    let message = format!(
        "there is no {what} {invalid:?}{hint}; there are: {}\n",
        known.join(", ")
    );
    clap::Error::raw(error.kind(), message)
}

fn model(matches: &ArgMatches, option: &str) -> MemoryModel {
    matches
        .get_one::<String>(option)
        .and_then(|name| name.parse().ok())
        .expect("clap knows the names of models only")
}

fn command(name: &'static str, about: &'static str, catalogue: &Catalogue) -> clap::Command {
    let checks = catalogue.checks.iter().map(|check| {
        let parameters = check.parameters.iter().map(parameter);
        clap::Command::new(check.name)
            .about(check.about)
            .after_help(format!("Source: {}", check.source))
            .next_help_heading("Parameters")
            .args(parameters)
            .next_help_heading("Options")
            .args(options(&check.parameters))
    });
    let command = clap::Command::new(name)
        .about(about)
        .after_help(
            "Without a command every claim of the catalogue is checked, one row each.\n\n\
             Exit status: 0 every obligation holds, 1 one is violated, 2 the command or its input is \
             unusable, 3 incomplete.",
        )
        .args_conflicts_with_subcommands(true)
        .args([threads_option(&[]), json_option(), quiet_option()])
        .subcommand(
            clap::Command::new("list")
                .about("The catalogue: checks, parameters, claims and their sources")
                .arg(json_option().conflicts_with("markdown"))
                .arg(flag("markdown", "The claims as a table in Markdown")),
        )
        .subcommand(
            clap::Command::new("check")
                .about("Checks one refinement")
                .subcommand_required(true)
                .subcommand_value_name("NAME")
                .subcommand_help_heading("Checks")
                .subcommands(checks),
        )
        .subcommand(litmus());
    let command = match catalogue.fences.is_empty() {
        true => command,
        false => command.subcommand(fences(catalogue)),
    };
    let command = match catalogue.stress.is_empty() {
        true => command,
        false => command.subcommand(stress(catalogue)),
    };
    let command = match catalogue.validators.is_empty() {
        true => command,
        false => command.subcommand(validate(catalogue)),
    };
    let tables = catalogue
        .tables
        .iter()
        .map(|table| (table.name, table.about.to_owned()));
    let grids = catalogue
        .grids
        .iter()
        .map(|grid| (grid.name, format!("{} [{}]", grid.about, grid.source)));
    let tables: Vec<_> = tables.chain(grids).collect();
    if tables.is_empty() {
        return command;
    }
    let tables = tables.into_iter().map(|(name, about)| {
        clap::Command::new(name).about(about).args([
            threads_option(&[]),
            json_option(),
            quiet_option(),
        ])
    });
    command.subcommand(
        clap::Command::new("table")
            .about("A check at every combination of some of its parameters")
            .subcommand_required(true)
            .subcommand_value_name("NAME")
            .subcommand_help_heading("Tables")
            .subcommands(tables),
    )
}

fn litmus() -> clap::Command {
    clap::Command::new("litmus")
        .about("Runs litmus tests of the herd tools, X86 and X86_64, under a memory model")
        .after_help(
            "SFENCE and LFENCE order nothing. Under pso-full and rmo-full an XCHG or LOCKed \
             instruction is a full fence, under pso-no and rmo-no it orders nothing of its own.\n\n\
             Exit status: 0 every file was run, 2 one could not be; the others are run nevertheless.",
        )
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .help("Litmus tests")
                .required(true)
                .num_args(1..)
                .value_parser(clap::value_parser!(PathBuf)),
        )
        .arg(model_option("model").default_value(MemoryModel::Tso.name()))
        .arg(json_option())
}

fn model_option(name: &'static str) -> Arg {
    let names = MemoryModel::ALL.map(MemoryModel::name);
    valued(name, "MODEL", "The memory model").value_parser(PossibleValuesParser::new(names))
}

fn fences(catalogue: &Catalogue) -> clap::Command {
    let problems = catalogue.fences.iter().map(|problem| {
        clap::Command::new(problem.name)
            .about(problem.about)
            .after_help(format!("Source: {}", problem.source))
            .next_help_heading("Parameters")
            .args(problem.parameters.iter().map(parameter))
            .next_help_heading("Options")
            .arg(model_option("memory").required(true))
            .arg(threads_option(&problem.parameters))
            .args(limit_options())
            .args([
                json_option(),
                flag("verbose", "Shows whole states at every step"),
                quiet_option(),
            ])
    });
    clap::Command::new("fences")
        .about("Every minimal set of fences that mends a program under a memory model")
        .after_help(
            "Each set is shown to be minimal by what goes wrong without any one of its fences.\n\n\
             Exit status: 0 some set suffices (the empty one, if no fence is needed), 1 none does, 2 \
             the command or its input is unusable, 3 a limit came first, and nothing is claimed.",
        )
        .subcommand_required(true)
        .subcommand_value_name("PROGRAM")
        .subcommand_help_heading("Programs")
        .subcommands(problems)
}

fn stress(catalogue: &Catalogue) -> clap::Command {
    let runs = catalogue.stress.iter().map(|stress| {
        clap::Command::new(stress.name)
            .about(stress.about)
            .after_help(format!("Source: {}", stress.source))
            .next_help_heading("Parameters")
            .args(stress.parameters.iter().map(parameter))
            .next_help_heading("Options")
            .args([
                valued(
                    "seconds",
                    "S",
                    "How long at most; making a failure small and recording come on top",
                )
                .default_value("10")
                .value_parser(ValueParser::new(seconds)),
                valued("seed", "N", "What determines the programs")
                    .default_value("0")
                    .value_parser(clap::value_parser!(u64)),
                valued("record", "FILE", "Writes a recorded history")
                    .value_parser(clap::value_parser!(PathBuf)),
                json_option(),
                quiet_option(),
            ])
    });
    clap::Command::new("stress")
        .about("Drives an implementation on real threads, and looks for what may not happen")
        .after_help(
            "What is found depends on the machine's schedules, so that nothing found shows nothing: \
             the verdict is then incomplete.\n\n\
             Exit status: 0 nothing was found, 1 a violation was found or nothing was exercised, 2 the \
             command or its input is unusable.",
        )
        .subcommand_required(true)
        .subcommand_value_name("NAME")
        .subcommand_help_heading("Implementations")
        .subcommands(runs)
}

fn validate(catalogue: &Catalogue) -> clap::Command {
    let names = catalogue.validators.iter().map(|validator| validator.name);
    let listed = catalogue.validators.iter().map(|validator| {
        let (name, about, source) = (validator.name, validator.about, validator.source);
        format!("  {name}: {about} [{source}]\n")
    });
    clap::Command::new("validate")
        .about("Whether a recorded history is a behaviour of a specification")
        .after_help(format!(
            "Specifications:\n{}\n\
             Exit status: 0 it is, 1 it is not, 2 the command or the history is unusable, 3 a limit came \
             first, or the history has no event of interest.",
            listed.collect::<String>()
        ))
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .help(
                    "The history, as JSON lines; if its name ends in .itf.json, a trace of states, for \
                     specifications that need no parameters",
                )
                .required(true)
                .value_parser(clap::value_parser!(PathBuf)),
        )
        .arg(
            valued("against", "NAME", "The specification")
                .required(true)
                .value_parser(PossibleValuesParser::new(names)),
        )
        .arg(
            valued(
                "max-configurations",
                "N",
                "Ends as incomplete where more have to be kept at a time",
            )
            .default_value("1048576")
            .value_parser(clap::value_parser!(u64).range(1..=1 << 32)),
        )
        .arg(
            valued(
                "buffer",
                "N",
                "How many stores of a thread may be waiting to take effect; any number by default",
            )
            .value_parser(clap::value_parser!(u32).range(1..)),
        )
        .args(time_and_memory())
        .args([json_option(), quiet_option()])
}

fn limit_options() -> Vec<Arg> {
    let mut options = vec![
        valued("max-states", "N", "Ends as incomplete at this many states")
            .value_parser(clap::value_parser!(u64).range(1..)),
        valued(
            "max-depth",
            "N",
            "Ends as incomplete at this distance from the initial states",
        )
        .value_parser(clap::value_parser!(u32)),
    ];
    options.extend(time_and_memory());
    options
}

fn time_and_memory() -> Vec<Arg> {
    vec![
        valued("max-seconds", "N", "Ends as incomplete after this time")
            .value_parser(ValueParser::new(seconds)),
        valued(
            "max-memory",
            "BYTES|GiB",
            "Ends as incomplete at this much memory: 2000000, 512MiB, 4GiB",
        )
        .value_parser(ValueParser::new(bytes)),
    ]
}

fn limits(matches: &ArgMatches) -> Limits {
    Limits {
        states: matches.get_one("max-states").copied(),
        depth: matches.get_one("max-depth").copied(),
        seconds: matches.get_one("max-seconds").copied(),
        memory_bytes: matches.get_one("max-memory").copied(),
    }
}

fn detail(matches: &ArgMatches) -> Detail {
    match matches.get_flag("verbose") {
        true => Detail::WholeStates,
        false => Detail::Changes,
    }
}

fn parameter(parameter: &Parameter) -> Arg {
    let arg = Arg::new(parameter.name)
        .long(parameter.name)
        .action(ArgAction::Set);
    match &parameter.kind {
        ParameterKind::Number {
            least,
            most,
            default,
        } => arg
            .value_name("N")
            .help(format!("{} [{least} to {most}]", parameter.help))
            .default_value(default.to_string())
            .value_parser(clap::value_parser!(u64).range(*least..=*most)),
        ParameterKind::Choice { values, default } => arg
            .help(match default {
                Some(_) => parameter.help.to_owned(),
                None => format!("{} [required]", parameter.help),
            })
            .default_value(*default)
            .value_parser(PossibleValuesParser::new(*values)),
        ParameterKind::Flag => flag(parameter.name, parameter.help),
        ParameterKind::Names => arg
            .value_name("NAME")
            .help(parameter.help)
            .action(ArgAction::Append),
    }
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .help(help)
        .action(ArgAction::SetTrue)
}

fn json_option() -> Arg {
    flag("json", "Prints one JSON object and nothing else")
}

fn quiet_option() -> Arg {
    flag("quiet", "No progress and no text report")
}

/// `--threads`, or `--workers`; the latter alone where a check has a parameter `threads`.
fn threads_option(parameters: &[Parameter]) -> Arg {
    let taken = parameters
        .iter()
        .any(|parameter| parameter.name == "threads");
    let option = valued(WORKERS, "N", "Workers; all cores by default")
        .value_parser(clap::value_parser!(u16).range(1..=512));
    match taken {
        true => option,
        false => option.long("threads").visible_alias(WORKERS),
    }
}

fn valued(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .help(help)
        .action(ArgAction::Set)
}

/// The names of an option's values, the default first.
type Named<T> = [(&'static str, T)];

const SYMMETRIES: [(&str, Symmetry); 2] = [("none", Symmetry::None), ("full", Symmetry::Full)];

const STORAGES: [(&str, Storage); 3] = [
    ("packed", Storage::Packed),
    ("whole", Storage::Whole),
    ("fingerprints", Storage::Fingerprints),
];

const ORDERS: [(&str, Order); 2] = [
    ("breadth-first", Order::BreadthFirst),
    ("depth-first", Order::DepthFirst),
];

fn choice<T>(name: &'static str, values: &Named<T>, help: &'static str) -> Arg {
    let names: Vec<_> = values.iter().map(|(name, _)| *name).collect();
    Arg::new(name)
        .long(name)
        .help(help)
        .action(ArgAction::Set)
        .default_value(names[0])
        .value_parser(PossibleValuesParser::new(names))
}

fn one_of<T: Copy>(matches: &ArgMatches, name: &str, values: &Named<T>) -> T {
    let given = matches.get_one::<String>(name);
    let value = values
        .iter()
        .find(|(name, _)| Some(*name) == given.map(String::as_str));
    value.expect("clap admits the names of these values only").1
}

fn options(parameters: &[Parameter]) -> Vec<Arg> {
    let mut options = vec![threads_option(parameters)];
    options.extend(limit_options());
    options.extend([
        valued(
            "obligations",
            "LIST|none",
            "Just these, with commas between; `none` explores plainly",
        ),
        flag(
            "inductive",
            "Adds inductive:*, decided from every type-correct state",
        ),
        flag(
            "keep-going",
            "Explores to the end instead of stopping at the first violation",
        ),
        valued(
            "walks",
            "N",
            "Makes random walks instead of exploring; they never make a check hold",
        )
        .value_parser(clap::value_parser!(u32).range(1..))
        .conflicts_with_all(["max-states", "max-depth"]),
        valued("steps", "N", "The most steps of a walk; 1000 by default")
            .value_parser(clap::value_parser!(u32).range(1..))
            .requires("walks"),
        valued("seed", "N", "What determines the walks; 0 by default")
            .value_parser(clap::value_parser!(u64))
            .requires("walks"),
        choice(
            "symmetry",
            &SYMMETRIES,
            "Identifies states that differ by a symmetry of the model only",
        )
        .conflicts_with("walks"),
        choice(
            "storage",
            &STORAGES,
            "What is kept of a state: its variables packed, all of it, or 64 bits of a hash, which \
             may leave states out",
        )
        .conflicts_with("walks"),
        choice(
            "order",
            &ORDERS,
            "Which states come first; depth-first counterexamples need not be shortest",
        )
        .conflicts_with("walks"),
        valued("expect", "VERDICT", "Makes this verdict the successful one").value_parser(
            PossibleValuesParser::new(["holds", "violated", "incomplete"]),
        ),
        json_option(),
        valued(
            "trace",
            "FILE",
            "Writes the counterexample: .itf.json or .json as an ITF trace, .mmd as a Mermaid \
             diagram, .dot as a graph",
        )
        .value_parser(clap::value_parser!(PathBuf)),
        flag("verbose", "Shows whole states at every step"),
        quiet_option(),
    ]);
    options
}

/// A number of bytes or of seconds that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// Not a size.
    #[error("{0:?} is not a size: a whole number of bytes, or one with KiB, MiB or GiB behind it")]
    Bytes(String),
    /// Not a time.
    #[error("{0:?} is not a time: a number of seconds greater than 0")]
    Seconds(String),
}

fn bytes(text: &str) -> Result<u64, SizeError> {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("", 0)];
    let (number, shift) = units
        .into_iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)))
        .unwrap_or((text, 0));
    let number: Option<u64> = number.trim_end().parse().ok();
    number
        .and_then(|number| number.checked_mul(1 << shift))
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| SizeError::Bytes(text.to_owned()))
}

fn seconds(text: &str) -> Result<f64, SizeError> {
    let seconds = text
        .parse()
        .ok()
        .filter(|s: &f64| s.is_finite() && *s > 0.0);
    seconds.ok_or_else(|| SizeError::Seconds(text.to_owned()))
}

fn threads(matches: &ArgMatches) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let given = matches.get_one::<u16>(WORKERS);
    given.map_or_else(cores, |threads| usize::from(*threads))
}

fn search(matches: &ArgMatches) -> Search {
    let Some(&walks) = matches.get_one("walks") else {
        return Search::Exhaustive;
    };
    Search::Walks(Walks {
        walks,
        steps: matches.get_one("steps").copied().unwrap_or(1000),
        seed: matches.get_one("seed").copied().unwrap_or(0),
    })
}

/// The value of every parameter.
fn arguments(parameters: &[Parameter], matches: &ArgMatches) -> Vec<(String, Value)> {
    let argument = |parameter: &Parameter| {
        let value = match parameter.kind {
            ParameterKind::Number { .. } => matches.get_one::<u64>(parameter.name).copied()?.into(),
            ParameterKind::Choice { .. } => {
                matches.get_one::<String>(parameter.name)?.as_str().into()
            }
            ParameterKind::Flag => matches.get_flag(parameter.name).into(),
            ParameterKind::Names => {
                let names = matches.get_many::<String>(parameter.name);
                names
                    .map_or_else(Vec::new, |names| names.cloned().collect())
                    .into()
            }
        };
        Some((parameter.name.to_owned(), value))
    };
    parameters.iter().filter_map(argument).collect()
}

fn check_command(check: &Check, matches: &ArgMatches) -> CheckCommand {
    let obligations = matches.get_one::<String>("obligations");
    CheckCommand {
        check: check.name.to_owned(),
        arguments: arguments(&check.parameters, matches),
        search: search(matches),
        order: one_of(matches, "order", &ORDERS),
        storage: one_of(matches, "storage", &STORAGES),
        symmetry: one_of(matches, "symmetry", &SYMMETRIES),
        threads: threads(matches),
        limits: limits(matches),
        obligations: match obligations.map(String::as_str) {
            None => Selection::Default,
            Some("none") => Selection::Nothing,
            Some(list) => Selection::only(list.split(',').map(str::trim)),
        },
        induction: match matches.get_flag("inductive") {
            true => Induction::Included,
            false => Induction::Omitted,
        },
        until: match matches.get_flag("keep-going") {
            true => Until::End,
            false => Until::FirstViolation,
        },
        expect: matches
            .get_one::<String>("expect")
            .map(|verdict| match verdict.as_str() {
                "holds" => Verdict::Holds,
                "violated" => Verdict::Violated,
                _ => Verdict::Incomplete,
            }),
        json: matches.get_flag("json"),
        trace: matches.get_one("trace").cloned(),
        detail: detail(matches),
        quiet: matches.get_flag("quiet"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("4GiB"), Ok(4 << 30));
        assert_eq!(bytes("512 MiB"), Ok(512 << 20));
        assert_eq!(bytes("1000"), Ok(1000));
        for wrong in ["", "GiB", "-1", "4GB", "1.5GiB", "0", "99999999999GiB"] {
            assert_eq!(bytes(wrong), Err(SizeError::Bytes(wrong.to_owned())));
        }
    }

    #[test]
    fn times_are_positive() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "inf", "NaN", "soon"] {
            assert_eq!(seconds(wrong), Err(SizeError::Seconds(wrong.to_owned())));
        }
    }
}
