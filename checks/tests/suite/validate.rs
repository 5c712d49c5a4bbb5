//! Tests of the command `validate`, over a user's catalogue.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::sync::atomic::AtomicBool;

use refmap::TransitionSystem;
use refmap::internal::TextOptions;
use refmap_cli::catalogue::{Catalogue, Nothing, Validator, ValidatorError, number};
use refmap_cli::clap::{self, Args};
use refmap_cli::{CommandError, Status};
use refmap_histories::{Happening, Observed, Settings};
use serde_json::{Value, json};

use crate::browser::Pages;
use crate::has;

/// Specification: a counter that stays below a bound.
struct Counter {
    bound: u64,
}

/// The step that adds so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, refmap::Action)]
#[action(system = Counter)]
enum Step {
    #[rule(process = "thread")]
    Add(#[action(range = 1..system.bound)] u64),
}

impl TransitionSystem for Counter {
    type State = u64;
    type Action = Step;
    type Observation = u64;

    fn initial(&self, visit: &mut impl FnMut(u64)) {
        visit(0);
    }

    fn fire(&self, Step::Add(by): &Step, counter: &mut u64) -> Option<()> {
        let sum = counter.checked_add(*by)?;
        (*by > 0 && sum < self.bound).then(|| *counter = sum)
    }

    fn observe(&self, state: &u64) -> u64 {
        *state
    }
}

impl Observed for Counter {
    type Specification = Self;
    type Event = u64;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(&self, _: &u64, event: &Happening<'_, u64>, visit: &mut impl FnMut(Option<Step>)) {
        visit(Some(Step::Add(*event.event)));
    }

    fn refusal(&self, from: &u64, _: &Happening<'_, u64>) -> String {
        format!("the counter is at {from}, and stays below {}", self.bound)
    }
}

/// Parameters of a counter's header.
#[derive(Clone, Args)]
struct Bound {
    /// least number that the counter does not reach
    #[arg(long, value_parser = number::<u64>(1..=100))]
    bound: u64,
}

fn catalogue() -> Catalogue {
    let adapter = |&Bound { bound }: &Bound| Ok(Counter { bound });
    let counter = Validator::new("counter", "a counter with a bound", "test", adapter);
    let below_five = Validator::new("below-five", "a counter below 5", "test", |_: &Nothing| {
        Ok(Counter { bound: 5 })
    });
    Catalogue {
        validators: vec![counter, below_five],
        ..Catalogue::default()
    }
}

fn run(words: &[&str]) -> (Result<Status, CommandError>, String) {
    let words = ["program"].iter().chain(words).map(OsString::from);
    let mut output = Vec::new();
    let status = refmap_cli::run(
        "program",
        "A test.",
        &catalogue(),
        words,
        &AtomicBool::new(false),
        TextOptions::default(),
        &mut output,
    );
    (status, String::from_utf8(output).expect("it is text"))
}

/// Runs `validate` on a history with these lines and an end.
fn validate(lines: &[&str], options: &[&str]) -> (Result<Status, CommandError>, String) {
    let end = json!({"history": "end", "events": lines.len() - 1}).to_string();
    let lines: Vec<_> = lines.iter().copied().chain([end.as_str()]).collect();
    validate_text(&lines.join("\n"), options)
}

fn validate_text(text: &str, options: &[&str]) -> (Result<Status, CommandError>, String) {
    let mut file = tempfile::NamedTempFile::new().expect("there is room for a file");
    file.write_all(text.as_bytes()).expect("it is written");
    let path = file.path().to_str().expect("the path is text");
    let mut words = vec!["validate", path, "--against", "counter"];
    words.extend(options);
    run(&words)
}

const HEADER: &str = r#"{"history":"refmap","version":1,"parameters":{"bound":5}}"#;

fn add(place: u64, by: u64) -> String {
    let (begin, end) = (10 * place, 10 * place + 5);
    json!({"thread": 0, "place": place, "begin": begin, "end": end, "event": by}).to_string()
}

#[test]
fn a_behaviour_holds_and_another_history_does_not() {
    let (status, text) = validate(&[HEADER, &add(0, 1), &add(1, 3)], &[]);
    assert_eq!(status.ok(), Some(Status::Success));
    assert!(
        text.starts_with(
            "counter  bound 5\nholds, an order of its events is a behaviour; nothing is said of other runs"
        ),
        "{text}"
    );
    let (status, text) = validate(&[HEADER, &add(0, 1), &add(1, 4)], &[]);
    assert_eq!(status.ok(), Some(Status::Violated));
    has(&text, "the counter is at 1, and stays below 5");
    let (status, text) = validate(&[HEADER], &[]);
    assert_eq!(status.ok(), Some(Status::Incomplete));
    has(&text, "says nothing");
}

/// The page of a history that is no behaviour shows its events in time, and does not speak of reachable states.
#[test]
fn a_history_has_a_page() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("page.html");
    let html = [
        "--quiet",
        "--html",
        file.to_str().expect("the path is text"),
    ];
    let (status, _) = validate(&[HEADER, &add(0, 1), &add(1, 4)], &html);
    assert_eq!(status.ok(), Some(Status::Violated));
    let page = fs::read_to_string(&file).expect("it was written");
    for part in [
        "No order of the events takes line 3, thread 0: 4.",
        "<title>Events in time</title>",
        "the counter is at 1, and stays below 5",
        "nothing is said of other runs",
        "<b>thread 0</b> <code>1</code> as <code>",
        "No order takes what comes next: line 3, thread 0: 4.",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains("every reachable state"));
    let mut pages = Pages::new();
    pages.add(&page);
    pages.look();
}

#[test]
fn the_report_is_that_of_the_architecture_page() {
    let (status, text) = validate(&[HEADER, &add(0, 1), &add(1, 4)], &["--json"]);
    assert_eq!(status.ok(), Some(Status::Violated));
    let report: Value = serde_json::from_str(&text).expect("it is JSON and nothing else");
    assert_eq!(report["check"], "counter");
    assert_eq!(report["parameters"], json!({"bound": 5}));
    assert_eq!(report["verdict"], "violated");
    assert_eq!(report["obligations"][0]["name"], "behaviour");
    assert_eq!(report["obligations"][0]["checked"], 2);
    assert_eq!(
        report["coverage"][0],
        json!({"rule": "add", "process": "thread", "fired": 1})
    );
    assert_eq!(report["counterexample"]["steps"][1]["state"], 1);
    let explanation = &report["history"]["explanation"];
    assert_eq!(explanation["event"]["line"], 3);
    assert_eq!(explanation["prefixes"][0]["next"][0]["event"]["line"], 3);
    let (_, quiet) = validate(&[HEADER, &add(0, 1)], &["--quiet"]);
    assert_eq!(quiet, "");
}

/// Fate of a history without an event whose header has these parameters: how many were taken to be those of the report, or why
/// they are refused.
fn headed(validator: &str, parameters: &Value) -> Result<usize, String> {
    let catalogue = refmap_checks::catalogue();
    let mut validators = catalogue.validators.iter();
    let validator = validators.find(|known| known.name == validator);
    let header = json!({"history": "refmap", "version": 1, "parameters": parameters});
    let text = format!("{header}\n{}\n", json!({"history": "end", "events": 0}));
    let decided = validator
        .expect("there is one")
        .run(&mut text.as_bytes(), &Settings::default());
    match decided {
        Ok(report) => Ok(report.parameters.len()),
        Err(error @ ValidatorError::Header(_)) => Err(error.to_string()),
        Err(error) => panic!("{parameters}: {error}"),
    }
}

/// The headers that stress runs record.
fn recorded_headers() -> [(&'static str, Value); 3] {
    let heap = |mutators: u64| {
        json!({
            "collector": "on-the-fly", "threads": 2, "mutators": mutators, "objects": 4, "fields": 2,
            "fault": "none", "seed": u64::MAX,
        })
    };
    let memory = json!({
        "collector": "ben-ari", "nodes": 5, "sons": 2, "roots": 2, "fault": "none", "seed": 1,
    });
    [
        ("collect-only-garbage", heap(16)),
        ("tso", heap(3)),
        ("collect-only-garbage", memory),
    ]
}

/// A header is read by the grammar of arguments. A parameter that is unknown, missing, out of range or of another kind is
/// refused, with its value as it stands there and what is allowed.
#[test]
fn a_header_says_which_instance_it_is() {
    for (validator, header) in recorded_headers() {
        let given = header.as_object().map(serde_json::Map::len);
        assert_eq!(headed(validator, &header).ok(), given, "{header}");
    }
    assert_eq!(
        headed("tso", &json!({"mutators": 1, "objects": 1, "fields": 1})),
        Ok(3)
    );
    assert_eq!(
        headed("collect-only-garbage", &json!({"objects": 1, "fields": 0})),
        Ok(2)
    );
    let cases = r#"
tso {"mutators": 4, "objects": 4, "fields": 2} => mutators is 4, and must be a number from 1 to 3
tso {"mutators": 1, "objects": 16, "fields": 2} => objects is 16, and must be a number from 1 to 4
tso {"mutators": 1, "objects": 4, "fields": 0} => fields is 0, and must be a number from 1 to 2
tso {} => mutators is not given, and must be a number from 1 to 3
tso {"mutators": -3} => mutators is -3, and must be a number from 1 to 3
tso {"mutators": "3", "objects": 4, "fields": 2} => mutators is "3", and must be a number from 1 to 3
collect-only-garbage {"objects": 16} => fields is not given, and must be a number from 0 to 255
collect-only-garbage {"objects": 16, "fields": 2, "fault": 3} => fault is 3, and must be the name of a fault
collect-only-garbage {"object": 16, "fields": 2} => collect-only-garbage has no parameter "object" (did you mean "objects"?); there are: objects, fields, mutators, threads, collector, fault, seed
collect-only-garbage {"collector": "ben-ari", "nodes": 3, "sons": 1, "roots": 4} => 3 nodes of 1 sons with 4 roots; a memory has at least one of each, and no more roots than nodes"#;
    for case in cases.lines().skip(1) {
        let (header, refusal) = case.split_once(" => ").expect(case);
        let (validator, parameters) = header.split_once(' ').expect(case);
        let parameters = serde_json::from_str(parameters).expect(case);
        let refused = headed(validator, &parameters);
        assert_eq!(refused, Err(format!("line 1: {refusal}")), "{parameters}");
    }
}

/// Whatever value a parameter has in place of its own, the header is read or refused by its parameters, and nothing panics.
#[test]
fn a_header_may_be_changed() {
    let others = [
        json!(null),
        json!(true),
        json!("2"),
        json!("--seed=3"),
        json!(""),
        json!(-1),
        json!(1.5),
        json!([]),
        json!(["2"]),
        json!({}),
        json!(0),
        json!(1),
        json!(255),
        json!(1_u64 << 32),
        json!(u64::MAX),
    ];
    let (mut read, mut refused) = (0, 0);
    for (validator, header) in recorded_headers() {
        let names: Vec<_> = header.as_object().into_iter().flatten().collect();
        for (name, sound) in names {
            for other in &others {
                let mut changed = header.clone();
                changed[name] = other.clone();
                match headed(validator, &changed) {
                    Ok(_) => {
                        read += 1;
                        // A value of another kind is never taken for one of this kind.
                        assert_eq!(other.is_string(), sound.is_string(), "{changed}");
                        assert_eq!(other.is_u64(), sound.is_u64(), "{changed}");
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(read > 20 && refused > 200, "{read} and {refused}");
}

/// A history that was cut, at a line or within one, is no pass, and says what it means; no more is a refusal of what was under
/// way at the cut a violation.
#[test]
fn a_cut_is_told_in_the_verdict() {
    let whole = [HEADER, &add(0, 1), &add(1, 3)].join("\n");
    for (cut, stops) in [
        (whole.clone(), "it stops after line 3"),
        (
            format!("{whole}\n{{\"thread\":0,\"pla"),
            "it stops in the middle of line 4",
        ),
    ] {
        let (status, text) = validate_text(&cut, &[]);
        assert_eq!(status.ok(), Some(Status::Incomplete));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "incomplete, an order of its events up to line",
            "it has no end, so that more may be missing",
            stops,
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    // What is refused last was under way; what is refused before it had ended.
    let beyond = [HEADER, &add(0, 1), &add(1, 4)].join("\n");
    let (status, text) = validate_text(&beyond, &["--json"]);
    assert_eq!(status.ok(), Some(Status::Incomplete));
    let report: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(
        report["history"]["no_end"],
        json!({"line": 3, "within_line": false})
    );
    assert_eq!(report["obligations"][2]["name"], "end");
    let (status, _) = validate_text(&[beyond.as_str(), &add(2, 1)].join("\n"), &[]);
    assert_eq!(status.ok(), Some(Status::Violated));
}

#[test]
fn a_file_or_a_name_that_there_is_not_is_refused() {
    let folder = std::env::temp_dir();
    for path in ["/no/such/file", folder.to_str().expect("it is text")] {
        let (status, _) = run(&["validate", path, "--against", "counter"]);
        let message = status.expect_err("there is no such file").to_string();
        has(&message, "cannot be read");
    }
    let (status, _) = run(&["validate", "x", "--against", "kounter"]);
    let message = status.expect_err("there is no such name").to_string();
    has(&message, "counter");
}

/// A file's name selects its format: traces of states are named as `check --trace` names them.
#[test]
fn a_trace_of_states_is_validated_too() {
    let run = |states: Value, against: &[&str]| {
        let mut builder = tempfile::Builder::new();
        let file = builder.suffix(".itf.json").tempfile();
        let mut file = file.expect("there is room for a file");
        write!(file, "{}", json!({"vars": ["state"], "states": states})).expect("it is written");
        let path = file.path().to_str().expect("the path is text").to_owned();
        let words = ["validate", &path, "--against"];
        run(&[&words, against].concat())
    };
    let state = |number: u64| json!({"#meta": {}, "state": {"#bigint": number.to_string()}});
    let (status, _) = run(json!([state(0), state(1), state(4)]), &["below-five"]);
    assert_eq!(status.ok(), Some(Status::Success));
    let (status, text) = run(json!([state(0), state(2), state(1)]), &["below-five"]);
    assert_eq!(status.ok(), Some(Status::Violated));
    has(&text, "no order of the events takes state 2");
    let (status, _) = run(json!([{"number": 3}]), &["below-five"]);
    let message = status.expect_err("it is no trace of a counter").to_string();
    has(&message, "variable \"number\"");
    let (status, _) = run(json!([state(0)]), &["counter"]);
    let message = status.expect_err("a trace has no bound").to_string();
    has(
        &message,
        "bound is not given, and must be a number from 1 to 100 (the file has no parameters: --parameter NAME=VALUE gives one)",
    );
    let given = ["counter", "--parameter", "bound=2"];
    let (status, _) = run(json!([state(0), state(1)]), &given);
    assert_eq!(status.ok(), Some(Status::Success));
    let (status, _) = run(json!([state(0), state(1), state(2)]), &given);
    assert_eq!(status.ok(), Some(Status::Violated));
}

#[test]
fn validators_are_listed() {
    let (_, text) = run(&["list"]);
    has(&text, "counter: a counter with a bound [test]");
    let (_, text) = run(&["list", "--json"]);
    let listed: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(listed["validators"][0]["name"], "counter");
}
