//! The published schemas, and what the program prints.

use std::fs;
use std::path::{Path, PathBuf};

use boon::{Compiler, Schemas};
use refmap::internal::TextOptions;
use refmap_cli::Status;
use refmap_cli::catalogue::Catalogue;
use serde_json::{Value, json};

use super::SMALL;
use crate::program::{json, text};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/cli/schema")
}

/// Why `printed` is not as its schema says, if it is not.
fn fault(schema: &str, printed: &Value) -> Option<String> {
    let file = folder().join(schema).with_extension("json");
    let mut schemas = Schemas::new();
    let compiled = Compiler::new()
        .compile(file.to_str().expect("the path is text"), &mut schemas)
        .unwrap_or_else(|error| panic!("{schema}: {error:#}"));
    let found = schemas.validate(printed, compiled).err();
    found.map(|error| format!("{error:#}"))
}

/// Output of these words, which fits its schema.
pub fn assert_fits(schema: &str, words: &str) -> Value {
    let printed = json(words);
    assert_eq!(printed["schema"], 1, "{words}");
    assert_eq!(
        printed.as_object().expect("an object").keys().next(),
        Some(&"schema".to_owned())
    );
    if let Some(fault) = fault(schema, &printed) {
        panic!("{words}: {fault}");
    }
    printed
}

#[test]
fn reports_fit_their_schema() {
    for words in [
        "",
        "--figure-14 as-printed --keep-going",
        "--max-depth 3",
        "--max-states 9",
        "--max-seconds 0.000001",
        "--max-memory 1KiB",
        "--obligations none",
        "--inductive --max-seconds 1",
        "--walks 3 --steps 9",
        "--inductive --samples 20 --walks 2",
        "--mutators 2 --obligations inductive --inductive --samples 2000 --walks 2",
    ] {
        assert_fits("report", &format!("check ben-ari-3 {SMALL} {words} --json"));
    }
    let words = "check yrc --storage whole --obligations observation --json";
    assert_fits("report", words);
    let tso = "check tso --references 1 --fields 1 --collector-buffer 1 --json";
    let report = assert_fits("report", &format!("{tso} --symmetry full"));
    assert!(report["symmetry"].is_object());
}

#[test]
fn histories_and_stress_runs_fit_their_schemas() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("history.jsonl");
    let (file, fault) = (file.display(), "--fault early-sweep");
    let stress = format!("stress collector {fault} --seconds 20 --record {file} --json");
    let run = assert_fits("stress", &stress);
    assert!(run["failure"].is_object() && run["recorded"].is_object());
    let validate = format!("validate {file} --against collect-only-garbage --json");
    let report = assert_fits("report", &validate);
    assert!(report["history"]["explanation"].is_object());
    let run = assert_fits("stress", "stress ben-ari --seconds 0.05 --json");
    assert!(run["recorded"].is_null());
}

#[test]
fn the_other_outputs_fit_their_schemas() {
    assert_fits("list", "list --json");
    let litmus = concat!(env!("CARGO_MANIFEST_DIR"), "/../systems/litmus");
    let run = format!("litmus {litmus}/SB.litmus {litmus}/MP.litmus no-such-file --json");
    let run = assert_fits("litmus", &run);
    assert_eq!(run["errors"].as_array().map(Vec::len), Some(1));
    let doubtful = format!("litmus --model rmo-no {litmus}/MP+mfence+ctrl.litmus --json");
    let doubtful = assert_fits("litmus", &doubtful);
    assert!(doubtful["tests"][0]["warnings"].is_array());
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("systems.jsonl");
    let system = json!({
        "name": "a", "states": 2, "initial": [0], "labels": {"Q": [1]}, "steps": [[0, "go", 1]], "fairness": [],
        "properties": [
            {"name": "p", "kind": "eventually", "conclusion": "Q"},
            {"name": "q", "kind": "leads_to", "premise": "Q", "conclusion": "Q"},
        ],
    });
    fs::write(&file, format!("{system}\n{{}}\n")).expect("there is room");
    let graph = assert_fits(
        "graph",
        &format!("graph {} no-such-file --json", file.display()),
    );
    assert_eq!(graph["graphs"].as_array().map(Vec::len), Some(1));
    assert_eq!(graph["errors"].as_array().map(Vec::len), Some(2));
    for words in [
        "dekker --memory tso",
        "dekker --memory sc",
        "dekker --memory tso --max-states 1",
    ] {
        assert_fits("fences", &format!("fences {words} --json"));
    }
}

/// Each kind of evidence that is decided, and none.
#[test]
fn comparisons_fit_their_schema() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let late = "des (0,3,4)\n(0,a,1)\n(1,b,2)\n(1,c,3)\n";
    let early = "des (0,4,5)\n(0,a,1)\n(0,a,2)\n(1,b,3)\n(2,c,4)\n";
    let grinding = "des (0,2,3)\n(0,tau,1)\n(1,a,2)\n";
    let once = "des (0,1,2)\n(0,a,1)\n";
    let joined = "des (0,5,4)\n(0,a,1)\n(0,b,1)\n(1,c,2)\n(2,a,3)\n(2,b,3)\n";
    let whole =
        "des (0,8,7)\n(0,a,1)\n(0,b,2)\n(1,c,3)\n(2,c,4)\n(3,a,5)\n(3,b,5)\n(4,a,6)\n(4,b,6)\n";
    let mut missing = Vec::new();
    let systems = [late, early, grinding, once, joined, whole];
    for (number, [one, other]) in systems
        .iter()
        .flat_map(|one| systems.map(|other| [*one, other]))
        .enumerate()
    {
        let [a, b] = [("a", one), ("b", other)].map(|(name, text)| {
            let file = folder.path().join(format!("{name}{number}.aut"));
            fs::write(&file, text).expect("there is room");
            file.display().to_string()
        });
        let found = assert_fits("include", &format!("include {a} {b} --json"));
        missing.push(found["evidence"]["missing"].clone());
        if found["verdict"] == "not_included" {
            let mut wrong = found.clone();
            wrong["evidence"]["steps"][0]["picture"] = json!("more");
            assert!(fault("include", &wrong).is_some());
            wrong = found;
            wrong["rung"] = json!(4);
            assert!(fault("include", &wrong).is_some());
        }
    }
    for one in ["nothing", "history", "stuttering", "prophecy", "refuted"] {
        assert!(missing.contains(&json!(one)), "{one} of {missing:?}");
    }
    let words = format!("include ben-ari-3 {SMALL} --max-states 9 --json");
    let cut = assert_fits("include", &words);
    assert_eq!(cut["verdict"], "incomplete");
    assert!(cut["limit"].is_object() && cut["parameters"].is_object());
}

/// All that a program over a small catalogue prints.
#[test]
fn claims_and_tables_fit_their_schemas() {
    let catalogue = refmap_checks::catalogue();
    let lines = catalogue.claims.lines();
    let is_kept = |line: &&str| !line.starts_with("| `") || line.contains(" check ben-ari-1 ");
    let lines = lines.filter(is_kept).map(|line| format!("{line}\n"));
    let small = Catalogue {
        claims: lines.collect(),
        tables: Vec::new(),
        ..catalogue
    };
    assert_fits("table", "table copying --json");
    assert!(small.claims().expect("they are claims").len() > 5);
    let (_, printed) = printed(&small, "--json --quiet", false);
    let printed: Value = serde_json::from_str(&printed).expect("it is JSON");
    assert_eq!(fault("claims", &printed), None);
    assert_eq!(printed["schema"], 1);
}

/// Status and output of a program over a catalogue, cancelled or not.
pub fn printed(catalogue: &Catalogue, words: &str, cancelled: bool) -> (Status, String) {
    let mut output = Vec::new();
    let words = ["refmap"].into_iter().chain(words.split(' '));
    let ended = refmap_cli::run(
        "refmap",
        "",
        catalogue,
        words.map(Into::into),
        &cancelled.into(),
        TextOptions::default(),
        &mut output,
    );
    (ended.expect("the command can be run"), text(&output))
}

/// A table that is cut short says so, in either form.
#[test]
fn a_table_that_is_cut_short_says_how_many_rows_are_missing() {
    let catalogue = refmap_checks::catalogue();
    for table in ["yrc", "copying"] {
        let words = format!("table {table} --threads 1");
        let (status, json) = printed(&catalogue, &format!("{words} --json"), true);
        assert_eq!(status, Status::Incomplete);
        let json: Value = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!(fault("table", &json), None);
        assert_eq!(json["rows"], json!([]));
        let left = json["not_run"].as_u64().expect("a number");
        assert!(left > 1, "{left}");
        let (status, text) = printed(&catalogue, &words, true);
        assert_eq!(status, Status::Incomplete);
        let end = format!("cut short: {left} rows were not decided\n");
        assert!(text.ends_with(&end), "{text}");
    }
}

/// A schema that fits everything would say nothing.
#[test]
fn what_is_not_in_a_schema_does_not_fit() {
    let report = json(&format!(
        "check ben-ari-3 {SMALL} --figure-14 as-printed --json"
    ));
    assert_eq!(fault("report", &report), None);
    let changes: [(&str, Value); 8] = [
        ("/schema", json!(2)),
        ("/verdict", json!("perhaps")),
        ("/states", json!(-1)),
        ("/evidence", Value::Null),
        ("/obligations/0/checked", json!("often")),
        ("/counterexample/length", json!(0.5)),
        ("/counterexample/steps/0/process", json!(7)),
        ("/limit", json!({"patience": 3})),
    ];
    for (at, wrong) in changes {
        let mut changed = report.clone();
        *changed.pointer_mut(at).expect("the report has it") = wrong;
        assert!(fault("report", &changed).is_some(), "{at}");
    }
    for (at, more) in [
        ("", "more"),
        ("/obligations/0", "more"),
        ("/counterexample/steps/1", "more"),
    ] {
        let mut changed = report.clone();
        let object = changed.pointer_mut(at).and_then(Value::as_object_mut);
        object
            .expect("the report has it")
            .insert(more.to_owned(), json!(1));
        assert!(fault("report", &changed).is_some(), "{at}/{more}");
    }
    for field in ["schema", "verdict", "seconds", "counterexample"] {
        let mut changed = report.clone();
        changed.as_object_mut().expect("an object").remove(field);
        assert!(fault("report", &changed).is_some(), "{field}");
    }
    let mut warned = report;
    warned["warnings"] = json!([{"about": "observation", "text": "it shows nothing"}]);
    assert_eq!(fault("report", &warned), None);
    warned["warnings"] = json!([{"about": "the weather", "text": "it rains"}]);
    assert!(fault("report", &warned).is_some());
}

#[test]
fn every_schema_can_be_read() {
    let files = fs::read_dir(folder()).expect("there is a folder");
    let mut names: Vec<_> = files
        .map(|file| file.expect("it is listed").path())
        .collect();
    names.sort();
    assert_eq!(names.len(), 9);
    for name in &names {
        let name = name.file_stem().and_then(|name| name.to_str());
        let name = name.expect("it is text");
        // Nothing is a result of any command.
        assert!(fault(name, &json!({})).is_some(), "{name}");
    }
}
