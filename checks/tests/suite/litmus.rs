//! Tests of the command `refmap litmus`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::has;

fn battery(name: &str) -> PathBuf {
    let checks = Path::new(env!("CARGO_MANIFEST_DIR"));
    checks.join("../systems/litmus").join(name)
}

fn litmus(words: &[&str], files: &[PathBuf]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_refmap"))
        .arg("litmus")
        .args(words)
        .args(files)
        .output()
        .expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program prints text")
}

#[test]
fn a_test_is_answered_in_the_shape_of_herd() {
    let output = litmus(&[], &[battery("SB.litmus")]);
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output.stdout);
    let (shown, time) = shown.split_once("Time SB ").expect("it tells its time");
    assert_eq!(
        shown,
        "Test SB Allowed\nModel tso\nStates 4\n\
         0:EAX=0; 1:EAX=0;\n0:EAX=0; 1:EAX=1;\n0:EAX=1; 1:EAX=0;\n0:EAX=1; 1:EAX=1;\n\
         Ok\nWitnesses\nPositive: 1 Negative: 3 (distinct final states)\n\
         Condition exists (0:EAX=0 /\\ 1:EAX=0)\nObservation SB Sometimes 1 3\n"
    );
    assert!(time.ends_with("\n\n"));
    assert!(output.stderr.is_empty());
}

#[test]
fn the_model_is_an_option_and_json_has_its_fields() {
    let output = litmus(
        &["--model", "sc", "--json"],
        &[battery("SB.litmus"), battery("2+2W.litmus")],
    );
    assert_eq!(output.status.code(), Some(0));
    let mut report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(report["model"], "sc");
    assert_eq!(report["errors"], json!([]));
    for test in report["tests"].as_array_mut().expect("it is a list") {
        assert!(
            test["seconds"]
                .as_f64()
                .is_some_and(|seconds| seconds >= 0.0)
        );
        assert!(test["explored"].as_u64().is_some_and(|states| states > 3));
    }
    let sb = &report["tests"][0];
    assert!(
        sb["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("SB.litmus"))
    );
    assert_eq!(sb["name"], "SB");
    assert_eq!(sb["quantifier"], "exists");
    assert_eq!(sb["verdict"], "No");
    assert_eq!(sb["observation"], "Never");
    assert_eq!(
        sb["states"],
        json!([
            {"0:EAX": 0, "1:EAX": 1},
            {"0:EAX": 1, "1:EAX": 0},
            {"0:EAX": 1, "1:EAX": 1},
        ])
    );
    assert_eq!(report["tests"][1]["states"][0], json!({"x": 1, "y": 1}));
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_still_runs() {
    let folder = scratch();
    let bad = folder.join("bad.litmus");
    fs::write(&bad, "X86 bad\n{ }\nP0;\nRDTSC;\n").expect("it can be written");
    let files = [
        bad.clone(),
        folder.join("missing.litmus"),
        battery("MP.litmus"),
    ];
    let output = litmus(&["--json"], &files);
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(report["model"], "tso");
    assert_eq!(report["tests"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        report["errors"][0],
        json!({
            "file": bad.to_str(),
            "line": 4,
            "message": "the instruction \"RDTSC\" is not among those that are understood",
            "undecided": false,
        })
    );
    assert_eq!(report["errors"][1]["line"], Value::Null);
    let output = litmus(&[], &files);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).starts_with("Test MP Allowed\n"));
    let message = format!("{}:4: the instruction \"RDTSC\" is not", bad.display());
    assert!(text(&output.stderr).starts_with(&message));
    fs::remove_dir_all(folder).expect("it can be removed");
}

/// A test that a bound leaves undecided is `incomplete`: neither a verdict nor an unreadable file.
#[test]
fn bounds_can_be_set_and_are_told() {
    let output = litmus(&["--json"], &[battery("SB.litmus")]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let default = json!({"states": 3_000_000, "seconds": null, "memory_bytes": 2_u64 << 30});
    assert_eq!(report["bounds"], default);
    for (bound, value, told, message) in [
        (
            "--max-states",
            "2",
            json!(2),
            "there are more than 2 states",
        ),
        (
            "--max-seconds",
            "0.000001",
            json!(0.000_001),
            "cannot be read: the limit of 1e-6 seconds came before ",
        ),
        (
            "--max-memory",
            "1KiB",
            json!(1024),
            "the states take more than 1 024 bytes: stopped after ",
        ),
    ] {
        let words = [bound, value, "--json"];
        let output = litmus(&words, &[battery("SB.litmus"), battery("MP.litmus")]);
        assert_eq!(output.status.code(), Some(3), "{bound}");
        let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        let name = match bound {
            "--max-states" => "states",
            "--max-seconds" => "seconds",
            _ => "memory_bytes",
        };
        assert_eq!(report["bounds"][name], told);
        assert_eq!(report["tests"], json!([]));
        for error in report["errors"].as_array().expect("it is a list") {
            assert_eq!(error["undecided"], true);
            assert!(
                error["message"]
                    .as_str()
                    .is_some_and(|text| text.starts_with(message))
            );
        }
        assert_eq!(report["errors"].as_array().map(Vec::len), Some(2));
        assert!(text(&output.stderr).contains(message));
        // What cannot be run at all is worse, whichever comes first.
        for files in [["SB.litmus", "missing"], ["missing", "SB.litmus"]] {
            assert_eq!(litmus(&words, &files.map(battery)).status.code(), Some(2));
        }
    }
    assert_eq!(
        litmus(&["--max-states", "100"], &[battery("SB.litmus")])
            .status
            .code(),
        Some(0)
    );
}

/// Of two tests that differ in a branch before the second load, one is answered with a warning, under a model that does not order loads.
#[test]
fn a_load_that_a_branch_alone_keeps_in_order_is_warned_of() {
    for (model, file, told) in [
        ("rmo-full", "MP+mfence+ctrl.litmus", 1),
        ("rmo-full", "MP+mfence+po.litmus", 0),
        ("pso-no", "MP+mfence+ctrl.litmus", 0),
    ] {
        let output = litmus(&["--model", model], &[battery(file)]);
        assert_eq!(output.status.code(), Some(0));
        let shown = text(&output.stdout);
        let warnings = shown
            .lines()
            .filter(|line| line.starts_with("Warning: P1: "));
        assert_eq!(warnings.count(), told, "{model} {shown}");
    }
}

#[test]
fn an_unknown_model_names_those_that_there_are() {
    let output = litmus(&["--model", "x86"], &[battery("SB.litmus")]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    has(&message, "sc, tso, pso-full, pso-no, rmo-full, rmo-no");
    assert_eq!(litmus(&[], &[]).status.code(), Some(2));
}

/// Temporary directory of this process.
fn scratch() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("refmap-litmus-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("it can be created");
    folder
}
