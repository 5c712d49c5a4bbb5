//! From words to what is compared, and how it is shown.

use std::ffi::OsString;

use clap::builder::EnumValueParser;
use clap::{Arg, ArgAction, Command};

use refmap::explore::Storage;

use super::instance::{DEFAULT, Instance, LARGE};
use super::models::Claims;
use super::table::Style;

/// Request to the bench.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// To compare programs.
    Compare(Arguments),
    /// To search a model, as one of those that are compared.
    Search(Instance, Claims, Storage),
}

/// Arguments of a comparison, and of its output.
#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    pub instances: Vec<Instance>,
    /// Number of runs of each search.
    pub runs: u32,
    pub style: Style,
    pub destination: Destination,
}

/// Destination of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    Terminal,
    /// The benchmark page, too.
    Page,
}

/// Request, or nothing: `cargo bench` says `--bench`, and without it a bench is only to show that it can be started,
/// as `cargo test --benches` does.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Request>, clap::Error> {
    let matches = command().try_get_matches_from(words)?;
    if !matches.get_flag("bench") || matches.get_flag("test") {
        return Ok(None);
    }
    if let Some(instance) = matches.get_one("search") {
        let claims = matches.get_one("claims").expect("it has a default");
        let storage = match matches.get_flag("whole") {
            true => Storage::Whole,
            false => Storage::Packed,
        };
        return Ok(Some(Request::Search(*instance, *claims, storage)));
    }
    let named = matches.get_many("instances");
    let mut instances: Vec<Instance> =
        named.map_or_else(|| DEFAULT.to_vec(), |named| named.copied().collect());
    if matches.get_flag("large") && !instances.contains(&LARGE) {
        instances.push(LARGE);
    }
    Ok(Some(Request::Compare(Arguments {
        instances,
        runs: matches.get_one("runs").copied().expect("it has a default"),
        style: match matches.get_flag("markdown") {
            true => Style::Markdown,
            false => Style::Text,
        },
        destination: match matches.get_flag("write") {
            true => Destination::Page,
            false => Destination::Terminal,
        },
    })))
}

fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        let flag = Arg::new(name).long(name).help(help);
        flag.action(ArgAction::SetTrue)
    };
    Command::new("compare")
        .bin_name("cargo bench -p refmap-checks --bench compare --")
        .about("Measures every mode of refmap, and the peers that this machine has")
        .args([
            Arg::new("instances")
                .long("instances")
                .value_name("LIST")
                .help(format!(
                    "Just these, with commas between; NODES-SONS-ROOTS is Ben-Ari's collector: {}",
                    Instance::names().join(", ")
                ))
                .value_delimiter(',')
                .value_parser(instance),
            flag("large", "Adds 4-2-1, which takes minutes"),
            Arg::new("runs")
                .long("runs")
                .value_name("N")
                .help("How often each search is made; the best counts")
                .default_value("3")
                .value_parser(clap::value_parser!(u32).range(1..)),
            flag("markdown", "Prints the tables in Markdown"),
            flag("write", "Writes them into the benchmark page as well").requires("markdown"),
            Arg::new("search")
                .long("search")
                .value_parser(instance)
                .hide(true),
            Arg::new("claims")
                .long("claims")
                .value_parser(EnumValueParser::<Claims>::new())
                .default_value("none")
                .hide(true),
            flag("whole", "Keeps states as they are").hide(true),
            flag("bench", "Said by cargo bench").hide(true),
            flag("test", "Ends at once").hide(true),
        ])
}

fn instance(name: &str) -> Result<Instance, String> {
    Instance::named(name).ok_or_else(|| {
        let known = Instance::names().join(", ");
        format!("the instances whose counts are known are {known}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &str) -> Result<Option<Request>, clap::Error> {
        let words = ["compare"].into_iter().chain(words.split_whitespace());
        parse(words.map(OsString::from))
    }

    fn arguments(words: &str) -> Arguments {
        let parsed = parsed(&format!("--bench {words}")).expect("the words are right");
        match parsed {
            Some(Request::Compare(arguments)) => arguments,
            other => panic!("it is no comparison: {other:?}"),
        }
    }

    #[test]
    fn nothing_is_measured_outside_of_cargo_bench() {
        assert!(matches!(parsed(""), Ok(None)));
        assert!(matches!(parsed("--bench --test"), Ok(None)));
    }

    #[test]
    fn some_instances_are_measured_thrice_by_default() {
        let by_default = Arguments {
            instances: DEFAULT.to_vec(),
            runs: 3,
            style: Style::Text,
            destination: Destination::Terminal,
        };
        assert_eq!(arguments(""), by_default);
    }

    #[test]
    fn instances_are_chosen_by_name() {
        let small = arguments("--instances 2-1-1,3-1-1").instances;
        let names: Vec<_> = small.iter().map(Instance::name).collect();
        assert_eq!(names, ["2-1-1", "3-1-1"]);
        let large = arguments("--instances 2-1-1 --large").instances;
        assert_eq!(large[1..], [LARGE]);
    }

    #[test]
    fn a_model_is_searched_by_name() {
        let request = parsed("--bench --search two-phase-commit-5 --claims invariant");
        let model = Instance::named("two-phase-commit-5").expect("it is known");
        assert!(
            matches!(request, Ok(Some(Request::Search(found, Claims::Invariant, Storage::Packed))) if found == model)
        );
    }

    #[test]
    fn a_wrong_argument_is_one_clear_error() {
        for (words, reason) in [
            ("--instances 9-9-9", "whose counts are known are 2-1-1, "),
            ("--runs 0", "0 is not in 1.."),
            ("--lrage", "unexpected argument '--lrage'"),
            ("--write", "--markdown"),
        ] {
            let error = parsed(&format!("--bench {words}")).expect_err("it is wrong");
            assert!(error.to_string().contains(reason), "{words}: {error}");
        }
    }
}
