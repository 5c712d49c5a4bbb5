//! Lines that describe no system, and what is said of them.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use refmap::internal::TextOptions;
use refmap_cli::catalogue::Catalogue;
use refmap_cli::graph::{FORMAT, read};
use refmap_cli::{CommandError, Status, run};
use serde_json::{Value, json};

use crate::{cases, has};

/// The parts of a system that is read.
pub fn good() -> Value {
    json!({
        "name": "good", "states": 2, "initial": [0], "labels": {"Q": [1]}, "steps": [[0, "a", 1]],
        "fairness": [{"name": "F", "kind": "weak", "rules": ["a"]}],
        "properties": [{"name": "p", "kind": "eventually", "conclusion": "Q"}],
    })
}

fn refusal(line: &str) -> String {
    match read(line.as_bytes()) {
        Ok(_) => panic!("it is read: {line}"),
        Err(error) => error.to_string(),
    }
}

/// Each with a part that says what is wrong.
#[test]
fn each_part_is_looked_at() {
    for (field, said) in cases(
        r#"
name 7 => expected a string
states 0 => `states` is 0
states 1.5 => expected u64
states -1 => expected u64
initial [] => `initial` is empty
initial [2] => state 2 in `initial`: there are 2 states
labels {"Q": [5]} => state 5 in the label `Q`
labels [] => an object from labels to lists of states
steps [[0, "a", 2]] => state 2 in step 0
steps [[0, "a"]] => a step, [from, "rule", to]
steps [[0, "a", 1, 1]] => column
steps [[0, 1, 1]] => expected a string
steps [] => the rule `a`, of which there is no step
fairness [{"name": "F", "kind": "week", "rules": ["a"]}] => expected `weak` or `strong`
fairness [{"name": "F", "kind": "weak", "rules": []}] => `rules` of fairness `F` is empty
fairness [{"name": "F", "kind": "weak", "rules": ["b"]}] => the rule `b`, of which there is no step
properties [] => `properties` is empty
properties [{"name": "p", "kind": "sometimes"}] => unknown variant `sometimes`
properties [{"name": "p", "kind": "leads_to", "conclusion": "Q"}] => has `premise` and `conclusion`
properties [{"name": "p", "kind": "eventually", "premise": "Q", "conclusion": "Q"}] => no `premise`
properties [{"name": "p", "kind": "eventually", "conclusion": "R"}] => the label `R`, which is not among
properties [{"name": "p", "kind": "eventually", "conclusion": null}] => expected a string
properties [{"name": "p", "kind": "eventually", "conclusion": "Q"}, {"name": "p", "kind": "always", "conclusion": "Q"}] => two properties are named `p`
properties [{"name": "p", "kind": "eventually_always", "premise": "Q"}] => has `conclusion`, may have `premise`
properties [{"name": "p", "kind": "eventually_always", "conclusion": "Q", "rules": ["a"]}] => has no `rules`
properties [{"name": "p", "kind": "eventually_always", "premise": "R", "conclusion": "Q"}] => the label `R`, which is not among
properties [{"name": "p", "kind": "eventually_always", "premise": null, "conclusion": "Q"}] => expected a string
more 1 => unknown field `more`
fairness [["fair", "weak", ["a"]]] => invalid type: sequence, expected an object
fairness [{"name": "fair", "kind": {"weak": null}, "rules": ["a"]}] => invalid type: map, expected text
properties [["p", "leads_to", "Q", "Q"]] => invalid type: sequence, expected an object
properties [{"name": "p", "kind": {"eventually": null}, "conclusion": "Q"}] => invalid type: map, expected text"#,
    ) {
        let (key, value) = field.split_once(' ').expect(field);
        let mut line = good();
        line[key] = serde_json::from_str(value).expect(value);
        let refusal = refusal(&line.to_string());
        assert!(refusal.contains(said), "{key}: {refusal}");
    }
    for key in good().as_object().unwrap().keys() {
        let mut line = good();
        line.as_object_mut().unwrap().remove(key);
        let refusal = refusal(&line.to_string());
        has(&refusal, &format!("missing field `{key}`"));
    }
}

#[test]
fn text_that_is_no_json_is_refused_with_its_column() {
    let line = good().to_string();
    let cut = refusal(&line[..line.len() / 2]);
    assert!(cut.starts_with("EOF while parsing"), "{cut}");
    has(&cut, ", at column ");
    assert!(refusal(&format!("{line} {line}")).starts_with("trailing characters"));
    let twice = line.replacen("\"Q\":[1]", "\"Q\":[1],\"Q\":[0]", 1);
    assert!(refusal(&twice).contains("the label `Q` is there twice"));
    let twice = line.replacen("\"states\":2", "\"states\":2,\"states\":2", 1);
    assert!(refusal(&twice).contains("duplicate field `states`"));
    let fields = r#"["name", 2, [0], {"Q": [0]}, [], [], [{"name": "p", "kind": "eventually", "conclusion": "Q"}]]"#;
    let array = refusal(fields);
    assert!(
        array.starts_with("invalid type: sequence, expected an object"),
        "{array}"
    );
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(!refusal(&deep).is_empty());
    let deep = line.replacen("[1]", &deep, 1);
    assert!(!refusal(&deep).is_empty());
}

/// Memory is that of what is said, and not of the number of states.
#[test]
fn states_of_which_nothing_is_said_take_no_memory() {
    let mut line = good();
    line["states"] = json!(u64::MAX);
    line["steps"] = json!([[0, "a", u64::MAX - 1]]);
    let system = read(line.to_string().as_bytes()).unwrap();
    assert_eq!(system.given.len(), 3);
}

/// Lines that cannot be read are named, and the others decided.
#[test]
fn a_line_that_is_refused_leaves_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("systems.jsonl");
    let mut other = good();
    other["name"] = json!("unfair");
    other["fairness"] = json!([]);
    let text = format!("{}\n\n{{\"name\": 7}}\n{}\r\n{}", good(), other, good());
    fs::write(&file, text).unwrap();
    let (status, all) = decided(&[&file]);
    assert_eq!(status, Status::Unusable);
    let verdicts = [("good", "holds", None), ("unfair", "violated", Some(0))];
    for (graph, (name, verdict, stem)) in all["graphs"].as_array().unwrap().iter().zip(verdicts) {
        let property = &graph["properties"][0];
        assert_eq!(graph["name"], name);
        assert_eq!(property["verdict"], verdict);
        assert_eq!(property["stem"], json!(stem));
        assert_eq!(property["loop"], json!(stem));
        assert_eq!(property["vacuous"], false);
    }
    let lines: Vec<_> = all["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| &error["line"])
        .collect();
    assert_eq!(lines, [&json!(3), &json!(5)]);
    let message = all["errors"][1]["message"].as_str().unwrap();
    assert_eq!(message, "there is a system of the name `good` already");
}

#[test]
fn what_the_status_says() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        file
    };
    let mut vacuous = good();
    vacuous["labels"] = json!({"P": [], "Q": [1]});
    vacuous["properties"] =
        json!([{"name": "p", "kind": "leads_to", "premise": "P", "conclusion": "Q"}]);
    let (good, vacuous) = (
        write("good", good().to_string()),
        write("vacuous", vacuous.to_string()),
    );
    for rules in [["loop"], ["far"]] {
        for kind in ["weak_fairness", "strong_fairness"] {
            let mut fair = self::good();
            fair["states"] = json!(4);
            fair["steps"] = json!([[0, "a", 1], [0, "loop", 0], [2, "far", 3]]);
            fair["properties"] = json!([{"name": "p", "kind": kind, "rules": rules}]);
            let fair = write("fair", fair.to_string());
            let (status, all) = decided(&[&fair]);
            assert_eq!(status, Status::Violated, "{rules:?} {kind}");
            let property = &all["graphs"][0]["properties"][0];
            assert_eq!(
                (&property["verdict"], &property["vacuous"]),
                (&json!("holds"), &json!(true))
            );
            let (_, text) = asked(&[], &[&fair], false);
            let text = String::from_utf8(text).unwrap();
            let expected = format!(
                "  {kind} p: holds, vacuously: its action is enabled in no state that is reached\n"
            );
            assert!(text.ends_with(&expected), "{text}");
        }
    }
    let empty = write("empty", String::new());
    assert_eq!(decided(&[&good]).0, Status::Success);
    let (status, all) = decided(&[&vacuous]);
    assert_eq!(status, Status::Violated);
    assert_eq!(all["graphs"][0]["properties"][0]["vacuous"], true);
    assert_eq!(decided(&[&good, &empty]).0, Status::Unusable);
    let missing = folder.path().join("missing");
    let (status, all) = decided(&[&missing, &good]);
    assert_eq!(status, Status::Unusable);
    assert_eq!(all["graphs"].as_array().unwrap().len(), 1);
}

/// A file that is left out is told, and no pass.
#[test]
fn an_interrupted_command_names_what_it_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("systems.jsonl");
    fs::write(&file, good().to_string()).unwrap();
    let (status, output) = asked(&["--json"], &[&file], true);
    assert_eq!(status.unwrap(), Status::Incomplete);
    let all: Value = serde_json::from_slice(&output).expect("it is JSON");
    assert_eq!(all["graphs"], json!([]));
    let message = all["errors"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("interrupted"), "{message}");
}

/// A name neither begins a line of its own nor moves the cursor.
#[test]
fn control_characters_in_names_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("systems.jsonl");
    let mut system = good();
    system["name"] = json!("ok\nforged: 1 states, 0 steps\u{1b}[2J");
    system["properties"][0]["name"] = json!("p\rq");
    system["steps"] = json!([[0, "a", 1], [1, "a", 1], [0, "b\u{7}", 0]]);
    system["labels"] = json!({"Q": []});
    system["fairness"] = json!([
        {"name": "F\u{9b}", "kind": "weak", "rules": ["a"]},
        {"name": "idle\u{202e}", "kind": "weak", "rules": ["b\u{7}"]},
    ]);
    fs::write(&file, system.to_string()).unwrap();
    let (status, output) = asked(&[], &[&file], false);
    assert_eq!(status.unwrap(), Status::Violated);
    let text = String::from_utf8(output).unwrap();
    assert!(
        text.starts_with("ok\\nforged: 1 states, 0 steps\\u{1b}[2J: 2 states"),
        "{text}"
    );
    has(&text, "eventually p\\rq: violated");
    has(&text, "    F\\u{9b} is met: ");
    has(
        &text,
        "warning: the fairness condition `idle\\u{202e}` is on",
    );
    let controls = text.chars().filter(|one| one.is_control() && *one != '\n');
    assert_eq!(controls.count(), 0, "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
}

/// A condition that assumes nothing is told beside what is decided.
#[test]
fn a_condition_that_is_enabled_nowhere_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("systems.jsonl");
    let mut system = good();
    system["states"] = json!(4);
    system["steps"] = json!([[0, "a", 1], [0, "loop", 0], [2, "far", 3]]);
    let condition = |rule: &str| json!({"name": rule, "kind": "strong", "rules": [rule]});
    system["fairness"] = json!(["a", "loop", "far"].map(condition));
    fs::write(&file, system.to_string()).unwrap();
    let (status, all) = decided(&[&file]);
    assert_eq!(status, Status::Success);
    let warnings = ["loop", "far"].map(|name| {
        format!(
            "the fairness condition `{name}` is on an action that is enabled in no state that is reached: it assumes nothing"
        )
    });
    assert_eq!(all["graphs"][0]["warnings"], json!(warnings));
    fs::write(&file, good().to_string()).unwrap();
    assert_eq!(decided(&[&file]).1["graphs"][0]["warnings"], json!([]));
}

#[test]
fn the_help_has_the_format_with_an_example() {
    let (status, _) = asked(&["--help"], &[], false);
    let help = status.expect_err("to clap it is one").to_string();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&help).contains(&words(FORMAT)), "{help}");
    let (_, example) = FORMAT.split_once("one line in the file:").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("systems.jsonl");
    fs::write(&file, words(example)).unwrap();
    let (status, all) = decided(&[&file]);
    assert_eq!(status, Status::Success);
    assert_eq!(all["graphs"][0]["properties"][0]["vacuous"], false);
    // It needs both conditions.
    for condition in [0, 1] {
        let mut less: Value = serde_json::from_str(example).unwrap();
        less["fairness"].as_array_mut().unwrap().remove(condition);
        fs::write(&file, less.to_string()).unwrap();
        assert_eq!(decided(&[&file]).0, Status::Violated);
    }
    // All keys, and all kinds that the reader knows.
    for key in good().as_object().unwrap().keys() {
        assert!(FORMAT.contains(&format!("\n  {key} ")), "{key}");
    }
    let mut unknown = good();
    unknown["properties"][0]["kind"] = json!("none");
    let refusal = refusal(&unknown.to_string());
    let (_, kinds) = refusal.split_once("expected one of ").unwrap();
    let kinds: Vec<&str> = kinds.split('`').skip(1).step_by(2).collect();
    assert_eq!(kinds.len(), 7, "{refusal}");
    for kind in kinds {
        assert!(FORMAT.contains(&format!("\n  {kind} ")), "{kind}");
    }
}

/// Of several lassos with the shortest stem it is the same one that is told.
#[test]
fn the_same_is_told_at_every_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("systems.jsonl");
    let states = 40;
    let labels: serde_json::Map<String, Value> = (0..states)
        .map(|state| (format!("label {state}"), json!([state])))
        .collect();
    let rules: Vec<String> = (1..states).map(|state| format!("to {state}")).collect();
    let steps: Vec<Value> = rules
        .iter()
        .zip(1..)
        .flat_map(|(rule, to)| [json!([0, rule, to]), json!([to, "back", 0])])
        .collect();
    let system = json!({
        "name": "star", "states": states, "initial": [0], "labels": labels, "steps": steps,
        "fairness": [{"name": "goes on", "kind": "weak", "rules": rules}],
        "properties": [{"name": "p", "kind": "always_eventually", "conclusion": "label 7"}],
    });
    fs::write(&file, system.to_string()).unwrap();
    let first = asked(&[], &[&file], false).1;
    for _ in 0..20 {
        assert_eq!(asked(&[], &[&file], false).1, first);
    }
}

#[cfg(feature = "pictures")]
#[test]
fn a_page_does_not_take_the_place_of_what_it_is_made_from() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("systems.jsonl");
    fs::write(&file, good().to_string()).unwrap();
    let page = folder.path().join(".").join("systems.jsonl");
    let (status, _) = asked(&["--html", page.to_str().unwrap()], &[&file], false);
    let refused = status.unwrap_err().to_string();
    has(&refused, "it is a file that the command reads");
    assert_eq!(fs::read_to_string(&file).unwrap(), good().to_string());
}

pub fn decided(files: &[&PathBuf]) -> (Status, Value) {
    let (status, output) = asked(&["--json"], files, false);
    let status = status.expect("the command is good");
    (status, serde_json::from_slice(&output).expect("it is JSON"))
}

/// Status and output of `graph` with these options of these files, cancelled before it begins or not.
fn asked(
    options: &[&str],
    files: &[&PathBuf],
    cancelled: bool,
) -> (Result<Status, CommandError>, Vec<u8>) {
    let mut output = Vec::new();
    let status = into(options, files, &AtomicBool::new(cancelled), &mut output);
    (status, output)
}

/// Runs `graph` with these options on these files.
pub fn into(
    options: &[&str],
    files: &[&PathBuf],
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let words = ["refmap", "graph"].iter().chain(options).map(Into::into);
    let words = words.chain(files.iter().map(|file| file.as_os_str().to_owned()));
    let catalogue = Catalogue::default();
    let options = TextOptions::default();
    run("refmap", "", &catalogue, words, cancel, options, output)
}
