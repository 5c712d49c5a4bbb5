//! Tests of `include` on explicit systems: verdicts on which independent programs agree, what is refused, and how it is told.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use refmap::internal::TextOptions;
use refmap_cli::catalogue::Catalogue;
use refmap_cli::{CommandError, Status, run};
use serde_json::{Value, json};

use crate::has;

/// Runs `include` with some words, and returns what it prints.
fn include(words: &[&str], cancelled: bool) -> (Result<Status, CommandError>, String) {
    let mut output = Vec::new();
    let words = ["refmap", "include"].iter().chain(words).map(Into::into);
    let status = run(
        "refmap",
        "",
        &Catalogue::default(),
        words,
        &AtomicBool::new(cancelled),
        TextOptions::default(),
        &mut output,
    );
    (status, String::from_utf8(output).expect("it is text"))
}

/// Files of an implementation and a specification.
fn written(folder: &Path, implementation: &str, specification: &str) -> [String; 2] {
    [("a.aut", implementation), ("b.aut", specification)].map(|(name, text)| {
        let path: PathBuf = folder.join(name);
        fs::write(&path, text).expect("there is room");
        path.display().to_string()
    })
}

fn cases(text: &str) -> Vec<Value> {
    let cases = text.lines();
    cases
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect()
}

fn text<'v>(case: &'v Value, name: &str) -> &'v str {
    case[name].as_str().expect("it is text")
}

/// The verdict, the length of a shortest trace, the rung where it is known, and the trace itself.
#[test]
fn trusted_verdicts_are_found() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut rungs = [0; 4];
    for case in cases(include_str!("trusted.jsonl")) {
        let [a, b] = written(folder.path(), text(&case, "impl"), text(&case, "spec"));
        let (status, output) = include(&[&a, &b, "--json"], false);
        let found: Value = serde_json::from_str(&output).expect("it is JSON");
        let id = text(&case, "id");
        assert_eq!(found["verdict"], case["expected"], "{id}");
        assert_eq!(found["trace_length"], case["shortest"], "{id}");
        assert_eq!(found["rung"], case["rung"], "{id}");
        let expected = match text(&case, "expected") {
            "included" => Status::Success,
            _ => Status::Violated,
        };
        assert_eq!(status.expect("it is decided"), expected, "{id}");
        assert_eq!(found["files"], json!([a, b]), "{id}");
        rungs[case["rung"].as_u64().unwrap_or_default() as usize] += 1;
        if let Some(trace) = case["trace"].as_array() {
            let shown = found["evidence"]["steps"]
                .as_array()
                .expect("it is a trace");
            let shown = shown.iter().map(|step| &step["action"]);
            let visible = shown.filter(|label| !label.is_null() && **label != "tau");
            assert_eq!(visible.count() + 1, trace.len(), "{id}");
        }
    }
    assert!(rungs.iter().all(|number| *number > 0), "{rungs:?}");
}

#[test]
fn what_is_malformed_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("there is room");
    for case in cases(include_str!("malformed.jsonl")) {
        let [a, b] = written(folder.path(), text(&case, "impl"), text(&case, "spec"));
        let (status, output) = include(&[&a, &b, "--json"], false);
        let error = status.expect_err("it is malformed").to_string();
        assert!(error.contains(&a) || error.contains(&b), "{error}");
        assert_eq!(output, "");
    }
    let [a, b] = written(folder.path(), "des (0,1,1)\n(0,a,3)\n", "des (0,0,1)\n");
    let (status, _) = include(&[&a, &b], false);
    assert_eq!(
        status.expect_err("a state is out of range").to_string(),
        format!("error: {a}: line 2: there is no state 3: the states are 0 to 0")
    );
    let (status, _) = include(&[&b, "nowhere.aut"], false);
    let error = status.expect_err("there is no such file").to_string();
    assert!(
        error.starts_with("error: nowhere.aut: cannot be read: "),
        "{error}"
    );
    let (status, _) = include(&[&b], false);
    let error = status.expect_err("there is one file").to_string();
    has(&error, "<B.aut>");
}

/// Told for people: the verdict, what is missing, and what shows it.
#[test]
fn what_is_missing_is_told() {
    let folder = tempfile::tempdir().expect("there is room");
    let told = |implementation: &str, specification: &str| {
        let [a, b] = written(folder.path(), implementation, specification);
        let (status, output) = include(&[&a, &b], false);
        (status.expect("it is decided"), output)
    };
    let choice = "des (0,3,4)\n(0,a,1)\n(1,b,2)\n(1,c,3)\n";
    let early = "des (0,4,5)\n(0,a,1)\n(0,a,2)\n(1,b,3)\n(2,c,4)\n";
    let (status, output) = told(choice, early);
    assert_eq!(status, Status::Success);
    for line in [
        "rung 3: a prophecy variable is needed: no image serves every future of this state",
        "future 1, which shows c",
        "future 2, which shows b",
        "    not future 1 from 1",
        "    not future 2 from 2",
    ] {
        assert!(output.lines().any(|told| told == line), "{line}\n{output}");
    }
    let (status, output) = told(early, choice);
    assert_eq!(status, Status::Success);
    has(
        &output,
        "rung 1: no variable is missing; a mapping of 5 states is:",
    );
    let (_, output) = told(
        "des (0,1,2)\n(0,a,1)\n",
        "des (0,2,3)\n(0,tau,1)\n(1,a,2)\n",
    );
    has(
        &output,
        "rung 2: no variable is missing if a step may be several abstract steps",
    );
    for line in [
        "a: up to 2 abstract steps, in 1 step",
        "in place of several steps: a stuttering variable",
        "a mapping of 2 states is:",
    ] {
        assert!(output.lines().any(|told| told == line), "{line}\n{output}");
    }
    // A state that is reached in two ways has two images.
    let joined = "des (0,5,4)\n(0,a,1)\n(0,b,1)\n(1,c,2)\n(2,a,3)\n(2,b,3)\n";
    let apart = "des (0,4,4)\n(0,a,1)\n(0,b,2)\n(1,c,3)\n(2,c,3)\n";
    let (status, output) = told(apart, joined);
    assert_eq!(status, Status::Success, "{output}");
    let whole =
        "des (0,8,7)\n(0,a,1)\n(0,b,2)\n(1,c,3)\n(2,c,4)\n(3,a,5)\n(3,b,5)\n(4,a,6)\n(4,b,6)\n";
    let (status, output) = told(joined, whole);
    assert_eq!(status, Status::Success, "{output}");
    has(
        &output,
        "rung 1: a history variable is needed, unless a prophecy variable will do",
    );
    let (status, output) = told(choice, "des (0,2,3)\n(0,a,1)\n(1,b,2)\n");
    assert_eq!(status, Status::Violated);
    for line in ["shows c", "the specification could show b"] {
        assert!(output.lines().any(|told| told == line), "{line}\n{output}");
    }
}

/// A limit ends it as incomplete, and nothing is claimed.
#[test]
fn a_limit_claims_nothing() {
    let folder = tempfile::tempdir().expect("there is room");
    let steps = (0..20_000).map(|state| format!("({state},a,{})\n", state + 1));
    let chain = format!("des (0,20000,20001)\n{}", steps.collect::<String>());
    let [a, b] = written(folder.path(), &chain, &chain);
    let (status, output) = include(&[&a, &b, "--json", "--max-memory", "1000"], false);
    assert_eq!(status.expect("a limit is no error"), Status::Incomplete);
    let found: Value = serde_json::from_str(&output).expect("it is JSON");
    assert_eq!(found["verdict"], "incomplete");
    assert_eq!(found["rung"], Value::Null);
    assert_eq!(found["limit"], json!({"memory_bytes": 1000}));
    let (status, output) = include(&[&a, &b, "--json"], true);
    assert_eq!(status.expect("it is no error"), Status::Incomplete);
    let found: Value = serde_json::from_str(&output).expect("it is JSON");
    assert_eq!(found["verdict"], "incomplete");
    assert_eq!(found["limit"], "cancelled");
    let far = text(&found, "unclaimed");
    assert!(far.starts_with(&format!("{a}: cancellation came")), "{far}");
    let (_, output) = include(&[&a, &b], true);
    has(&output, &format!("incomplete: {a}: cancellation came"));
    let (status, _) = include(&[&a, &b, "--quiet"], false);
    assert_eq!(status.expect("it is decided"), Status::Success);
}
