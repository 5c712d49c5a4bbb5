//! Tests that `stress --record` records the run that it reports.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::has;
use crate::program::{self, refmap, status, text};

/// The lines of a history, as JSON.
fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("there is a history");
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("each line is JSON")
}

/// Number of events of a kind.
fn count(history: &[Value], kind: &str) -> u64 {
    let events = history.iter().map(|line| &line["event"]);
    let of_kind = events.filter(|event| !event[kind].is_null() || **event == kind);
    of_kind.count() as u64
}

/// The history contains every operation, and has the requested length.
#[test]
fn the_run_that_is_reported_is_recorded() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("history.jsonl");
    for (of, kinds) in [
        (
            "ben-ari",
            [("redirect", "redirected"), ("append", "appended")],
        ),
        (
            "collector --objects 16",
            [("free", "freed"), ("load", "loads")],
        ),
    ] {
        let seconds = 0.5;
        let words = format!("stress {of} --seconds {seconds} --json --record");
        let report = program::json(&format!("{words} {}", file.display()));
        assert!(report["failure"].is_null());
        let history = lines(&file);
        let (end, history) = history.split_last().expect("it has lines");
        let events = history.len() as u64 - 1;
        assert_eq!(*end, json!({"history": "end", "events": events}));
        assert_eq!(report["recorded"]["events"], events);
        assert_eq!(report["recorded"]["fails"], false);
        for (kind, counted) in kinds {
            let recorded = count(history, kind);
            assert!(recorded > 0, "{of}: {kind}");
            assert_eq!(report["counts"][counted], recorded, "{of}: {kind}");
        }
        let last = history.last().and_then(|line| line["begin"].as_u64());
        let last = last.expect("it has an event") as f64 / 1e9;
        assert!(last > 0.8 * seconds, "{of}: {last}");
        assert!(
            report["seconds"]
                .as_f64()
                .is_some_and(|time| time > 0.8 * seconds)
        );
        let overhead = report["recorded"]["overhead"].as_f64();
        assert!(overhead.is_some_and(|times| times > 1.0), "{overhead:?}");
    }
    let words = "stress ben-ari --seconds 0.05 --record";
    let told = text(&refmap(&format!("{words} {}", file.display())).stdout);
    let told: Vec<_> = told.split_whitespace().collect();
    let told = told.join(" ");
    has(&told, "an operation takes");
    has(&told, "times as long when it is recorded");
}

/// A field that the header's instance does not have is refused with its line.
#[test]
fn a_field_that_there_is_not_is_refused() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("history.jsonl");
    let event = |thread: u32, place: u64, begin: u64, event: Value| json!({"thread": thread, "place": place, "begin": begin, "end": begin + 400, "event": event});
    let reference = json!({"slot": 0, "generation": 0});
    let lines = [
        json!({"history": "refmap", "version": 1, "parameters": {
            "collector": "on-the-fly", "threads": 2, "mutators": 3, "objects": 4, "fields": 1,
            "fault": "none", "seed": 2,
        }}),
        event(0, 0, 1000, json!({"join": {"owes": null}})),
        event(
            0,
            1,
            2000,
            json!({"alloc": {"reference": reference, "mark": false}}),
        ),
        event(1, 0, 3000, json!({"join": {"owes": null}})),
        event(
            0,
            2,
            9000,
            json!({
                "overwrite": {"src": reference, "field": 2, "was": null, "value": null},
            }),
        ),
    ];
    fs::write(&file, lines.map(|line| line.to_string()).join("\n")).expect("it can be written");
    for against in ["tso", "collect-only-garbage"] {
        let output = refmap(&format!("validate {} --against {against}", file.display()));
        assert_eq!(status(&output), 2, "{against}");
        let told = text(&output.stderr);
        has(&told, "line 5: there is no field 2");
    }
}

/// An event that was not recorded has more steps in a memory of 4096 nodes than can be taken in hours. A signal is heard
/// meanwhile.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_is_heard_while_an_event_has_many_steps() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("history.jsonl");
    let parameters = json!({"collector": "ben-ari", "nodes": 4096, "sons": 4, "roots": 4096});
    let lines = [
        json!({"history": "refmap", "version": 1, "parameters": parameters}),
        json!({"thread": 0, "place": 0, "begin": 0, "end": 9, "event": null}),
        json!({"history": "end", "events": 1}),
    ];
    fs::write(&file, lines.map(|line| line.to_string()).join("\n")).expect("it can be written");
    let words = format!(
        "validate {} --against collect-only-garbage --max-configurations 4294967296",
        file.display()
    );
    let child = super::signals::started("", &words, &["--json"]);
    super::signals::send("-TERM", &child);
    super::signals::is_partial(child);
}

/// A name with a typo is not one left out.
#[test]
fn a_header_with_a_typo_is_refused() {
    let folder = tempfile::tempdir().expect("there is a folder");
    let file = folder.path().join("history.jsonl");
    let recorded = concat!(
        r#"{"history":"refmap","version":1,"parameters":{"collector":"ben-ari","nodes":3,"#,
        r#""sons":1,"roots":1,"fault":"none","seed":0}}"#,
        "\n"
    );
    fs::write(&file, recorded).expect("it can be written");
    let validated = || {
        let output = refmap(&format!(
            "validate {} --against collect-only-garbage",
            file.display()
        ));
        (status(&output), text(&output.stderr))
    };
    // It has no event, which is another matter.
    assert_eq!(validated().0, 3);
    for (name, typo, parts) in [
        (
            "\"seed\"",
            "\"sead\"",
            [
                "line 1: collect-only-garbage has no parameter \"sead\" (did you mean \"seed\"?)",
                "there are: nodes, sons, roots, collector, fault, seed",
            ],
        ),
        (
            "\"parameters\"",
            "\"paramters\"",
            [
                "line 1: the header's field \"paramters\" is not known",
                "there are: history, version, parameters",
            ],
        ),
        (
            "\"version\"",
            "\"versoin\"",
            [
                "line 1: the header's field \"versoin\" is not known",
                "there are: history, version, parameters",
            ],
        ),
    ] {
        assert!(recorded.contains(name));
        fs::write(&file, recorded.replacen(name, typo, 1)).expect("it can be written");
        let (status, told) = validated();
        assert_eq!(status, 2, "{typo}");
        for part in parts {
            has(&told, part);
        }
    }
}
