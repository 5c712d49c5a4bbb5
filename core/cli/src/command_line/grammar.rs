//! Grammar of the command line: commands, parameters and options.

use std::fmt::Debug;
use std::ops::RangeBounds;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction};

use super::feature::{self, Feature};
use super::size::{bytes, minutes, seconds};
#[cfg(feature = "shell")]
use super::{completions, man};
use crate::catalogue::table::Rows;
use crate::catalogue::{Abilities, Ability, Catalogue, Check, Parameters, whole_number};
#[cfg(feature = "pictures")]
use crate::pictures::explorer::{Address, Listen};
use refmap::explore::Storage;
use refmap::obligation::Symmetry;
#[cfg(feature = "histories")]
use refmap::report::history::Criterion;
#[cfg(feature = "programs")]
use refmap_programs::MemoryModel;
#[cfg(feature = "histories")]
use serde_json::Value;

/// Option for the number of the engine's worker threads.
pub(super) const WORKERS: &str = "workers";

/// Name of the command that compares two systems without a mapping.
pub(super) const INCLUDE: &str = feature::INCLUDE.name;

/// File with the implementation, where two explicit systems are compared.
#[cfg(feature = "inclusion")]
pub(super) const IMPLEMENTATION: &str = "A.aut";

/// File with the specification.
#[cfg(feature = "inclusion")]
pub(super) const SPECIFICATION: &str = "B.aut";

/// Option for the number of states that are drawn.
pub(super) const SAMPLES: &str = "samples";

/// Names of the options of several processes.
pub(super) const PROCESSES: &str = "processes";
pub(super) const HOSTS: &str = "hosts";
pub(super) const PROCESS: &str = "process";
/// Name of the option of a process that another one has started, and whose input is open as long as that one lives.
pub(super) const STARTED: &str = "started";
/// Name of the option that says after which silence a process is lost.
pub(super) const PEER_TIMEOUT: &str = "peer-timeout";

/// Tells which questions a check can be asked, for the options that are offered.
pub(super) type Offered<'o> = dyn Fn(&Check) -> Abilities + 'o;

/// Options of a check that are offered: those whose questions it can be asked.
struct Options<'c> {
    check: &'c Check,
    abilities: Abilities,
}

/// Option for the obligations that are left out.
pub(super) const WITHOUT: &str = "without-obligations";

pub(super) fn command(
    name: &'static str,
    about: &'static str,
    catalogue: &Catalogue,
    offered: &Offered<'_>,
) -> clap::Command {
    let checks = catalogue.checks.iter().map(|check| {
        let options = Options {
            check,
            abilities: offered(check),
        };
        unless_resumed(check.parameters.augment(clap::Command::new(check.name)))
            .about(check.about)
            .after_help(format!("Source: {}", check.source))
            .next_help_heading("Options")
            .args(options.all())
    });
    let command = clap::Command::new(name)
        .about(about)
        .version(version(name))
        .after_help(
            "Without a command every claim of the catalogue is checked, one row each.\n\n\
             Exit status: 0 every obligation holds, 1 one is violated, 2 the command or its input is \
             unusable, 3 incomplete.",
        )
        .args_conflicts_with_subcommands(true)
        .args([
            threads_option(None),
            json_option(),
            junit_option(),
            flag("verbose", "Shows the source of each claim, and what it says"),
            quiet_option(),
        ])
        .subcommand(
            clap::Command::new("list")
                .about("The catalogue: checks, parameters, claims and their sources")
                .arg(json_option()),
        )
        .subcommand(
            clap::Command::new("check")
                .about("Checks one refinement")
                .subcommand_required(true)
                .subcommand_value_name("NAME")
                .subcommand_help_heading("Checks")
                .subcommands(checks),
        )
        ;
    #[cfg(feature = "programs")]
    let command = command.subcommand(litmus());
    #[cfg(feature = "graph")]
    let command = command.subcommand(graph());
    #[cfg(feature = "inclusion")]
    let command = command.subcommand(include(catalogue));
    #[cfg(feature = "shell")]
    let command = command.subcommands([completions::grammar(), man::grammar()]);
    #[cfg(feature = "pictures")]
    let command = command.subcommand(explore(catalogue, offered));
    let command = feature::with_missing(command);
    // A project writes no other one.
    let command = match name {
        "refmap" => command.subcommand(new()),
        _ => command,
    };
    #[cfg(feature = "programs")]
    let command = if catalogue.fences.is_empty() {
        command
    } else {
        command.subcommand(fences(catalogue))
    };
    #[cfg(feature = "histories")]
    let command = if catalogue.stress.is_empty() {
        command
    } else {
        command.subcommand(stress(catalogue))
    };
    #[cfg(feature = "histories")]
    let command = command.subcommand(validate(catalogue));
    if catalogue.tables.is_empty() {
        return command;
    }
    let tables = catalogue.tables.iter().map(|table| {
        let about = match &table.rows {
            Rows::Sweep(_) => table.about.to_owned(),
            Rows::Published(published) => format!("{} [{}]", table.about, published.source),
        };
        let junit = matches!(table.rows, Rows::Published(_)).then(junit_option);
        clap::Command::new(table.name)
            .about(about)
            .args([threads_option(None), json_option()])
            .args(junit)
            .arg(quiet_option())
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

/// Version of refmap, on which a verdict depends. A program of another name prints whose version it is.
fn version(name: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match name {
        "refmap" => version.to_owned(),
        _ => format!("(refmap {version})"),
    }
}

fn new() -> clap::Command {
    clap::Command::new("new")
        .about("Writes a project of your own, which runs and whose tests pass")
        .arg(
            Arg::new("folder")
                .value_name("NAME")
                .help("Its name, or its folder")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf)),
        )
        .arg(
            valued(
                "refmap",
                "PATH",
                "A checkout of refmap to depend on, in the place of the published crates",
            )
            .value_parser(clap::value_parser!(PathBuf)),
        )
        .arg(flag(
            "object",
            "Tests a concurrent object of your own, in the place of a model",
        ))
}

#[cfg(feature = "programs")]
fn litmus() -> clap::Command {
    feature::LITMUS.command()
        .after_help(
            "SFENCE and LFENCE order nothing. Under pso-full and rmo-full an XCHG or LOCKed \
             instruction is a full fence, under pso-no and rmo-no it orders nothing of its own. No model \
             speculates: an answer has a warning for each load that a branch alone keeps behind an earlier one.\n\n\
             Exit status: 0 every test has its answer, 2 a file could not be run, and the others are run \
             nevertheless, 3 a bound came before an answer, or some were left when it was stopped.",
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
        .args([
            valued("max-states", "N", "Leaves a test undecided that has more states")
                .default_value("3000000")
                .value_parser(number::<u64>(1..)),
            valued("max-seconds", "N", "Leaves a test undecided after this time")
                .value_parser(ValueParser::new(seconds)),
            valued(
                "max-memory",
                "BYTES",
                "Leaves a test undecided whose states take more memory: 512MiB, 1.5GiB, 2GB",
            )
            .default_value("2GiB")
            .value_parser(ValueParser::new(bytes)),
        ])
        .arg(json_option())
}

#[cfg(feature = "graph")]
fn graph() -> clap::Command {
    feature::GRAPH.command()
        .after_help(format!(
            "{}\nExit status: 0 every property holds and none is vacuous, 1 one is violated or vacuous, 2 a line or \
             a file could not be read, and the others are decided nevertheless, 3 it was interrupted, or ended by a limit.",
            crate::graph::FORMAT
        ))
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .help("Systems, one a line")
                .required(true)
                .num_args(1..)
                .value_parser(clap::value_parser!(PathBuf)),
        )
        .args(time_and_memory())
        .arg(json_option())
        .arg(html_option())
}

#[cfg(feature = "inclusion")]
fn include(catalogue: &Catalogue) -> clap::Command {
    let checks = catalogue.checks.iter().map(|check| {
        unless_resumed(check.parameters.augment(clap::Command::new(check.name)))
            .about(check.about)
            .after_help(format!("Source: {}", check.source))
            .next_help_heading("Options")
            .args(include_options(Some(&check.parameters)))
    });
    let file = |name, help| {
        Arg::new(name)
            .value_name(name)
            .help(help)
            .value_parser(clap::value_parser!(PathBuf))
    };
    feature::INCLUDE.command()
        .after_help(
            "The systems are those of a check, whose mapping is not used, or two labelled transition systems in the format of \
             Aldebaran (.aut): `des (INITIAL, TRANSITIONS, STATES)`, then a line `(FROM, LABEL, TO)` for each transition; a label \
             stands in double quotes, or has no comma, parenthesis or quote; `tau` and `i` are invisible.\n\n\
             Exit status: 0 what is observed is included, 1 it is not, 2 the command or its input is unusable, 3 a limit came \
             first, or a system contradicts itself.",
        )
        .args_conflicts_with_subcommands(true)
        .subcommand_value_name("NAME")
        .subcommand_help_heading("Checks")
        .args([
            file(IMPLEMENTATION, "The implementation").requires(SPECIFICATION),
            file(SPECIFICATION, "The specification"),
        ])
        .args(include_options(None))
        .arg_required_else_help(true)
        .subcommands(checks)
}

#[cfg(feature = "inclusion")]
fn include_options(parameters: Option<&Parameters>) -> Vec<Arg> {
    let [most_states, _] = bounds();
    let mut options = vec![threads_option(parameters), most_states];
    options.extend(time_and_memory());
    options.extend([json_option(), quiet_option()]);
    options.extend(on_disk(&[], ""));
    options.push(html_option());
    options
}

/// Grammar of what a checkpoint of `include` keeps of its command, after the name of the check: its parameters. Of two files it keeps nothing.
#[cfg(feature = "inclusion")]
pub(super) fn included(check: Option<&Check>) -> clap::Command {
    let command = clap::Command::new(INCLUDE)
        .no_binary_name(true)
        .disable_help_flag(true);
    match check {
        Some(check) => check.parameters.augment(command),
        None => command,
    }
}

/// Options of what a search has on disk, which some others exclude; and what is to be said of it besides.
fn on_disk(excluded_by: &[&'static str], besides: &str) -> [Arg; 4] {
    let folder = |name: &'static str, help: String| {
        valued(name, "DIR", "")
            .help(help)
            .value_parser(clap::value_parser!(PathBuf))
            .conflicts_with_all(excluded_by)
    };
    [
        folder(
            CHECKPOINT,
            format!("Writes checkpoints into this folder, from which --resume goes on{besides}"),
        ),
        valued(
            "every",
            "MINUTES",
            "Time between two checkpoints; 10 by default. A search that a limit ends writes one, too; several processes write theirs where a level begins",
        )
        .value_parser(ValueParser::new(minutes)),
        folder(
            RESUME,
            "Goes on from the last checkpoint of this folder, with the parameters and options of the command that wrote it. Limits, \
             the number of threads and what is written are this command's; a limit on states or depth is not below what the checkpoint has, and \
             the time to read it is not counted"
                .to_owned(),
        )
        .conflicts_with(CHECKPOINT),
        folder(
            "spill",
            format!("Has states go to disk, into this folder, when --max-memory comes near{besides}"),
        ),
    ]
    .map(|option| Feature::Disk.option(option))
}

#[cfg(feature = "programs")]
fn model_option(name: &'static str) -> Arg {
    let names = MemoryModel::ALL.map(MemoryModel::name);
    valued(name, "MODEL", "The memory model").value_parser(PossibleValuesParser::new(names))
}

#[cfg(feature = "programs")]
fn fences(catalogue: &Catalogue) -> clap::Command {
    let problems = catalogue.fences.iter().map(|problem| {
        problem
            .parameters
            .augment(clap::Command::new(problem.name))
            .about(problem.about)
            .after_help(format!("Source: {}", problem.source))
            .next_help_heading("Options")
            .arg(model_option("memory").required(true))
            .arg(threads_option(Some(&problem.parameters)))
            .args(limit_options())
            .args([
                json_option(),
                flag("verbose", "Shows whole states at every step"),
                quiet_option(),
            ])
    });
    feature::FENCES.command()
        .after_help(
            "Each set is shown to be minimal by what goes wrong without any one of its fences. No model speculates: a set has a \
             warning for each load that a branch alone keeps behind an earlier one.\n\n\
             Exit status: 0 some set suffices (the empty one, if no fence is needed), 1 none does, 2 \
             the command or its input is unusable, 3 a limit came first, and nothing is claimed.",
        )
        .subcommand_required(true)
        .subcommand_value_name("PROGRAM")
        .subcommand_help_heading("Programs")
        .subcommands(problems)
}

#[cfg(feature = "histories")]
fn stress(catalogue: &Catalogue) -> clap::Command {
    let runs = catalogue.stress.iter().map(|stress| {
        stress
            .parameters
            .augment(clap::Command::new(stress.name))
            .about(stress.about)
            .after_help(format!("Source: {}", stress.source))
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
                    .value_parser(number::<u64>(0..)),
                valued(
                    "record",
                    "FILE",
                    "Records the run, and writes its history; to /dev/stdout or a FIFO as well",
                )
                .value_parser(clap::value_parser!(PathBuf)),
                junit_option(),
                json_option(),
                quiet_option(),
            ])
            .arg(html_option())
    });
    feature::STRESS.command()
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

#[cfg(feature = "histories")]
fn validate(catalogue: &Catalogue) -> clap::Command {
    let names = catalogue.all_validators().map(|validator| validator.name);
    let listed = catalogue.all_validators().map(|validator| {
        let (name, about, source) = (validator.name, validator.about, validator.source);
        format!("  {name}: {about} [{source}]\n")
    });
    feature::VALIDATE.command()
        .after_help(format!(
            "Specifications:\n{}\n\
             Exit status: 0 it is, 1 it is not, 2 the command or the history is unusable, 3 a limit came \
             first, or the history has no end or no event of interest.",
            listed.collect::<String>()
        ))
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .help(
                    "The history, as JSON lines, or as Jepsen records it, in EDN, JSON or text; if its name ends in .itf.json, a \
                     trace of states",
                )
                .required(true)
                .value_parser(clap::value_parser!(PathBuf)),
        )
        .arg(
            valued("against", "NAME", "The specification")
                .required(true)
                .value_parser(PossibleValuesParser::new(names)),
        )
        .arg(choice(
            "criterion",
            &criteria(),
            "Orders that count: by time and thread, by thread alone, or by the times at which nothing is under way",
        ))
        .arg(
            valued(
                "parameter",
                "NAME=VALUE",
                "Gives a parameter of the specification, of a history or a trace that has none itself",
            )
            .action(ArgAction::Append)
            .value_parser(parameter),
        )
        .arg(flag(
            "keyed",
            "Takes each value of a history of Jepsen as a key and a value, and each key as an object of its own",
        ))
        .arg(
            valued(
                "max-configurations",
                "N",
                "Ends as incomplete where more have to be kept at a time",
            )
            .default_value("1048576")
            .value_parser(number::<u64>(1..=1 << 32)),
        )
        .arg(
            valued(
                "buffer",
                "N",
                "How many stores of a thread may be waiting to take effect; any number by default",
            )
            .value_parser(number::<u32>(1..)),
        )
        .args(time_and_memory())
        .args([json_option(), quiet_option()])
        .arg(html_option())
}

fn limit_options() -> Vec<Arg> {
    let mut options = bounds().to_vec();
    options.extend(time_and_memory());
    options
}

/// Limits that end a search at the same place each time.
fn bounds() -> [Arg; 2] {
    [
        valued("max-states", "N", "Ends as incomplete at this many states").value_parser(number::<
            u64,
        >(
            1..
        )),
        valued(
            "max-depth",
            "N",
            "Ends as incomplete at this distance from the initial states",
        )
        .value_parser(number::<u32>(0..)),
    ]
}

fn time_and_memory() -> Vec<Arg> {
    vec![
        valued("max-seconds", "N", "Ends as incomplete after this time")
            .value_parser(ValueParser::new(seconds)),
        valued(
            "max-memory",
            "BYTES",
            "Ends as incomplete at this much memory: 2000000, 512MiB, 1.5GiB, 2GB [default: four fifths of \
             what the machine or its control group has]",
        )
        .value_parser(ValueParser::new(bytes)),
    ]
}

/// Parser of whole numbers within a range.
fn number<T>(range: impl RangeBounds<u64> + Debug + Clone + Send + Sync + 'static) -> ValueParser
where
    T: TryFrom<u64> + Clone + Send + Sync + 'static,
{
    ValueParser::new(whole_number::<T>(range))
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

fn html_option() -> Arg {
    Feature::Pictures.option(
        valued(
            "html",
            "FILE",
            "Writes the report as a page for a browser: with the counterexample step by step, and its drawings",
        )
        .value_parser(clap::value_parser!(PathBuf)),
    )
}

fn junit_option() -> Arg {
    valued(
        "junit",
        "FILE",
        "Writes the results as JUnit XML, for build servers; what is incomplete is an error there, and skipped where \
         something else failed first",
    )
    .value_parser(clap::value_parser!(PathBuf))
}

fn quiet_option() -> Arg {
    flag("quiet", "No progress and no text report")
}

/// `--threads` and `--workers`; only the latter if a check has a parameter `threads`.
fn threads_option(parameters: Option<&Parameters>) -> Arg {
    let option =
        valued(WORKERS, "N", "Workers; all cores by default").value_parser(number::<u16>(1..=512));
    if parameters.is_some_and(|parameters| parameters.has("threads")) {
        option
    } else {
        option.long("threads").visible_alias(WORKERS)
    }
}

fn valued(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .allow_negative_numbers(true)
        .long(name)
        .value_name(value)
        .help(help)
        .action(ArgAction::Set)
}

/// Parameter with its value, of JSON if it can be read so, else a text.
#[cfg(feature = "histories")]
fn parameter(given: &str) -> Result<(String, Value), String> {
    let (name, value) = given
        .split_once('=')
        .ok_or("it is no NAME=VALUE, as capacity=4")?;
    let read = serde_json::from_str(value);
    Ok((name.to_owned(), read.unwrap_or_else(|_| value.into())))
}

/// Option that asks of every number of members.
pub(super) const ANY_NUMBER_OF: &str = "any-number-of";
pub(super) const CHECKPOINT: &str = "checkpoint";
pub(super) const RESUME: &str = "resume";

/// Names of an option's values, the default first.
pub(super) type Named<T> = [(&'static str, T)];

pub(super) const SYMMETRIES: [(&str, Symmetry); 2] =
    [("none", Symmetry::None), ("full", Symmetry::Full)];

/// Criteria by their names, the default first.
#[cfg(feature = "histories")]
pub(super) fn criteria() -> [(&'static str, Criterion); 3] {
    Criterion::ALL.map(|criterion| (criterion.name(), criterion))
}

pub(super) const STORAGES: [(&str, Storage); 2] =
    [("packed", Storage::Packed), ("whole", Storage::Whole)];

fn choice<T>(name: &'static str, values: &Named<T>, help: &'static str) -> Arg {
    let names: Vec<_> = values.iter().map(|(name, _)| *name).collect();
    Arg::new(name)
        .long(name)
        .help(help)
        .action(ArgAction::Set)
        .default_value(names[0])
        .value_parser(PossibleValuesParser::new(names))
}

fn obligations_option() -> Arg {
    valued(
        "obligations",
        "LIST|none",
        "Just these, with commas between; `none` explores plainly. In a name `*` is any text, as in 'invariant:*', and \
         a backslash takes the character behind it as it is, a comma too",
    )
}

/// `--without` and `--without-obligations`; only the latter if a check has a parameter `without`.
fn without_option(parameters: &Parameters) -> Arg {
    let option = valued(
        WITHOUT,
        "LIST",
        "All but these, of those that would be checked; written as for --obligations",
    );
    if parameters.has("without") {
        option
    } else {
        option.long("without").visible_alias(WITHOUT)
    }
}

fn liveness_option() -> Arg {
    flag(
        "liveness",
        "Adds fairness:*, leads-to:*, eventually:*, always-eventually:*, eventually-always:*, decided on the complete \
         graph",
    )
}

/// Command that steps through a refinement.
#[cfg(feature = "pictures")]
pub(super) const EXPLORE: &str = feature::EXPLORE.name;

/// `explore`, with a command for each check.
#[cfg(feature = "pictures")]
fn explore(catalogue: &Catalogue, offered: &Offered<'_>) -> clap::Command {
    let checks = catalogue.checks.iter().map(|check| {
        let is_live = offered(check).has(Ability::Liveness);
        check
            .parameters
            .augment(clap::Command::new(check.name))
            .about(check.about)
            .after_help(format!("Source: {}", check.source))
            .next_help_heading("Options")
            .args([
                valued(
                    "listen",
                    "ADDRESS",
                    "Where, on this machine alone: 127.0.0.1:8000; port 0 is any that is free",
                )
                .default_value("127.0.0.1:0")
                .value_parser(|given: &str| given.parse::<Listen>()),
                valued(
                    "at",
                    "STEPS",
                    "Begins there: what stands behind `at/` in the address of a page",
                )
                .value_parser(|given: &str| given.parse::<Address>()),
                obligations_option(),
                without_option(&check.parameters),
                threads_option(Some(&check.parameters)),
            ])
            .args(is_live.then(liveness_option))
            .args(limit_options())
    });
    feature::EXPLORE.command()
        .after_help(
            "A page shows a state on both levels, and each step that can be taken there: what it simulates, and which \
             obligations it passes. Nothing is searched for, until a page is asked to run to the counterexample. \
             Ctrl-C ends it.",
        )
        .subcommand_required(true)
        .subcommand_value_name("NAME")
        .subcommand_help_heading("Checks")
        .subcommands(checks)
}

impl Options<'_> {
    fn has(&self, ability: Ability) -> bool {
        self.abilities.has(ability)
    }

    /// Options by which random walks take the place of exploration.
    fn random(&self) -> Vec<&'static str> {
        let samples = self.has(Ability::Induction).then_some(SAMPLES);
        ["walks"].into_iter().chain(samples).collect()
    }

    fn all(&self) -> Vec<Arg> {
        let mut options = vec![threads_option(Some(&self.check.parameters))];
        options.extend(limit_options());
        options.extend(self.asked());
        options.extend([
            valued("expect", "VERDICT", "Makes this verdict the successful one").value_parser(
                PossibleValuesParser::new(["holds", "violated", "incomplete"]),
            ),
            json_option(),
            junit_option(),
            valued(
                "trace",
                "FILE",
                "Writes the counterexample: .itf.json or .json as an ITF trace, .mmd as a Mermaid \
                 diagram, .dot as a graph, .svg as a picture of its last step; to /dev/stdout, a FIFO or a device without such an ending as an \
                 ITF trace. Without a counterexample nothing is written, and a file of an earlier run is \
                 left and named on standard error",
            )
            .value_parser(clap::value_parser!(PathBuf)),
            flag("verbose", "Shows whole states at every step"),
            quiet_option(),
        ]);
        options.extend(on_disk(
            &self.random(),
            "; what needs the complete graph is not decided",
        ));
        options.extend(self.processes());
        options.push(html_option());
        options
    }

    /// Options of several processes.
    fn processes(&self) -> impl Iterator<Item = Arg> {
        const SEVERAL: &str = "several";
        let alone = self.random();
        let options = [
            valued(
                PROCESSES,
                "N",
                "Searches with so many processes on this machine, each with the states that it owns and its share of the cores and the memory",
            )
            .value_parser(number::<u16>(1..=64))
            .group(SEVERAL)
            .conflicts_with_all(&alone)
            .conflicts_with(HOSTS),
            valued(
                HOSTS,
                "FILE",
                "Searches with the processes of this list, an address host:port a line, each of which is started with this command and its \
                 --process. Connections are neither authenticated nor encrypted: use a private network. To come together may take as long as \
                 --max-seconds, 10 minutes at most, and the search as long again",
            )
            .value_parser(clap::value_parser!(PathBuf))
            .group(SEVERAL)
            .conflicts_with_all(&alone)
            .requires(PROCESS),
            valued(PROCESS, "N", "Number of this process in the list of --hosts, from 0")
                .value_parser(number::<u16>(0..=1023))
                .requires(HOSTS),
            valued(
                PEER_TIMEOUT,
                "SECONDS",
                "Ends as incomplete when another process gives no sign of life for this long, 30 s by default: it is stopped, or its network is gone",
            )
            .value_parser(number::<u32>(1..=86_400))
            .requires(SEVERAL),
        ];
        let started = flag(STARTED, "Ends this process when its input does")
            .hide(true)
            .requires(HOSTS);
        let started = cfg!(feature = "distributed").then_some(started);
        options
            .map(|arg| Feature::Distributed.option(arg))
            .into_iter()
            .chain(started)
    }

    /// Options of the questions of a check, and of its search.
    fn asked(&self) -> Vec<Arg> {
        let parameters = &self.check.parameters;
        let mut options = vec![obligations_option(), without_option(parameters)];
        if self.has(Ability::Induction) {
            options.extend(induction_options());
        }
        options.extend(self.has(Ability::Liveness).then(liveness_option));
        options.extend([
            flag(
                "strict",
                "Takes each warning, of a verdict that says less than it seems to, for a violation",
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
            .value_parser(number::<u32>(1..))
            .conflicts_with_all(["max-states", "max-depth"]),
            valued("steps", "N", "The most steps of a walk; 1000 by default")
                .value_parser(number::<u32>(1..))
                .requires("walks"),
            valued(
                "seed",
                "N",
                "What determines the walks, and the states that are drawn; 0 by default",
            )
            .value_parser(number::<u64>(0..)),
        ]);
        if self.has(Ability::EveryNumber) {
            options.extend(self.every_number());
        }
        if self.has(Ability::Symmetry) {
            options.push(
                choice(
                    "symmetry",
                    &SYMMETRIES,
                    "Identifies states that differ by a symmetry of the model only",
                )
                .conflicts_with_all(self.random()),
            );
        }
        options.push(
            choice(
                "storage",
                &STORAGES,
                "What is kept of a state: its variables packed, or all of it",
            )
            .conflicts_with_all(self.random()),
        );
        options
    }

    /// The options that ask of every number of members.
    fn every_number(&self) -> [Arg; 2] {
        let (name, members) = (self.check.name, self.check.any_number_of);
        let parse = move |given: &str| match members {
            Some(members) if members != given => {
                Err(format!("{name} can be checked for any number of {members}"))
            }
            // A check without such members is refused with the checks that have some.
            _ => Ok(()),
        };
        let mut option = valued(
            ANY_NUMBER_OF,
            "MEMBERS",
            "Decides observation, initiality, simulation, agency and invariants for every number of these members, by views. What an instance with \
             few violates is violated, and what views cannot exclude incomplete",
        )
        .value_parser(ValueParser::new(parse))
        .conflicts_with_all(["walks", "max-depth"]);
        for (ability, id) in [
            (Ability::Induction, "inductive"),
            (Ability::Liveness, "liveness"),
        ] {
            if self.has(ability) {
                option = option.conflicts_with(id);
            }
        }
        // How many there are is not said.
        if let Some(id) = members.and_then(|members| self.check.parameters.id(members)) {
            option = option.conflicts_with(id.to_owned());
        }
        let views = valued(
            "views",
            "K",
            "Members of a view of --any-number-of; 1, 2 and 3 in turn by default, until one suffices",
        )
        .value_parser(number::<usize>(1..=6))
        .requires(ANY_NUMBER_OF);
        [option, views].map(|option| Feature::AnyNumber.option(option))
    }
}

fn induction_options() -> [Arg; 2] {
    [
        flag(
            "inductive",
            "Adds inductive:*, decided from every type-correct state",
        ),
        valued(
            SAMPLES,
            "N",
            "Decides inductive:* from so many type-correct states that are drawn, most of them beside states of random walks, which take \
             the place of exploration: 100, unless --walks says how many. A gap that is found is one; nothing holds",
        )
        .value_parser(number::<u64>(1..))
        .requires("inductive")
        .conflicts_with_all(["max-states", "max-depth"]),
    ]
}

/// The command with arguments that are required unless a checkpoint has them.
fn unless_resumed(command: clap::Command) -> clap::Command {
    command.mut_args(|argument| {
        if argument.is_required_set() {
            argument.required(false).required_unless_present(RESUME)
        } else {
            argument
        }
    })
}

/// Grammar of the command of a claim, after the name of the check: its parameters, and the options on which the result depends.
pub(super) fn claim(check: &Check) -> clap::Command {
    let options = Options {
        check,
        abilities: Abilities::all(),
    };
    let parameters = &check.parameters;
    parameters
        .augment(clap::Command::new(check.name))
        .no_binary_name(true)
        .disable_help_flag(true)
        .args(bounds())
        .args(options.asked())
}
