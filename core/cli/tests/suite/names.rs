//! Tests that a name may have any character: JSON says what it is, and no output speaks to a terminal.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use refmap::internal::is_unseen;
use refmap::obligation::{Checker, Selection};
use refmap_cli::Status;
use refmap_cli::catalogue::{
    Catalogue, Check, FenceProblem, InputError, Nothing, PublishedFences, StressRun,
};
use refmap_cli::clap;
use refmap_cli::table::{Instance, Row, Rows, Sweep, Table};
use refmap_programs::MemoryModel;
use refmap_programs::synthesis::Scenario;
use refmap_testing::{counter, itself};
use serde_json::{Value, json};

use super::fences::message_passing;
use super::objects;
use super::run_all::carried_out;

/// Characters of which a name is made at a time.
const MANY: usize = 1 << 14;

/// All characters, in names of so many.
fn names(of: impl Fn(char) -> bool) -> Vec<String> {
    let all: Vec<char> = ('\0'..=char::MAX).filter(|one| of(*one)).collect();
    all.chunks(MANY).map(|some| some.iter().collect()).collect()
}

/// Those that are not to be seen, and those that mean something to a reader of JSON.
fn hostile() -> String {
    let [hostile] = &names(is_unseen)[..] else {
        panic!("they are few");
    };
    format!("{hostile}\"\\/<>&'\u{d7ff}\u{e000}🦀")
}

fn run(catalogue: &Catalogue, words: &[&str]) -> (Result<Status, String>, String) {
    let (status, text) = carried_out(catalogue, words, &false.into());
    let unseen: BTreeSet<char> = text
        .chars()
        .filter(|one| *one != '\n' && is_unseen(*one))
        .collect();
    assert!(unseen.is_empty(), "{words:?}: {unseen:?}");
    (status.map_err(|error| error.to_string()), text)
}

/// All texts of a value, those of the names of fields included.
fn texts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                found.push(name);
                texts(value, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => (),
    }
}

/// The command says the name in its JSON, which is returned, as it is, and in its text so that it can be seen.
fn says(catalogue: &Catalogue, words: &[&str], name: &str) -> Value {
    let (status, _) = run(catalogue, words);
    assert!(status.is_ok(), "{words:?}: {status:?}");
    let (status, text) = run(catalogue, &[words, &["--json"]].concat());
    assert!(status.is_ok(), "{words:?}: {status:?}");
    let value: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    let mut found = Vec::new();
    texts(&value, &mut found);
    let is_said = found.iter().any(|text| text.contains(name));
    assert!(is_said, "{words:?}: it is not said");
    value
}

#[test]
fn names_in_a_graph_may_have_any_character() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("graph.jsonl");
    let path = file.to_str().expect("it is text");
    for name in names(|_| true) {
        let system = json!({
            "name": name, "states": 2, "initial": [0], "labels": {&name: [1]}, "steps": [[0, name, 1]],
            "fairness": [{"name": name, "kind": "weak", "rules": [name]}],
            "properties": [{"name": name, "kind": "always", "conclusion": name}],
        });
        // The second has an error, which repeats the name.
        fs::write(&file, format!("{system}\n{system}\n")).expect("there is room");
        let answer = says(&Catalogue::default(), &["graph", path], &name);
        let property = &answer["graphs"][0]["properties"][0];
        assert_eq!(
            (&answer["graphs"][0]["name"], &property["name"]),
            (&json!(name), &json!(name))
        );
        let message = format!("there is a system of the name `{name}` already");
        assert_eq!(answer["errors"][0]["message"], message);
    }
}

#[derive(Clone, clap::Args)]
struct Named {
    #[arg(long, default_value = "")]
    name: String,
}

/// A catalogue of which everything is about a name.
fn about(name: &'static str) -> Catalogue {
    let count = || {
        Check::new("count", name, name, |_: &Named| {
            Ok(Box::new(Checker::owning(itself(counter()))))
        })
    };
    let instance = Instance {
        obligations: Selection::Default,
        ..Instance::default()
    };
    let table = Table {
        name: "table",
        about: name,
        check: "count",
        rows: Rows::Sweep(Sweep {
            rows: vec![Row {
                // Words, as they are typed to a shell.
                given: "--name one".to_owned(),
                instances: vec![instance],
            }],
            on_the_way: None,
        }),
    };
    let fences = FenceProblem::new("fences", name, name, |_: &Nothing| {
        let robust = Scenario::robust("robust", message_passing(), 1000);
        Ok(vec![robust.map_err(InputError::instance)?])
    });
    let fences = fences.published(PublishedFences {
        source: name,
        memory: MemoryModel::ALL.to_vec(),
        fences: vec!["sent:full", "received:full"],
    });
    let stress = StressRun::object("stress", name, name, |_: &Nothing| {
        Ok(objects::counter(false))
    });
    Catalogue {
        checks: vec![count()],
        tables: vec![table],
        fences: vec![fences],
        stress: vec![stress],
        ..Catalogue::default()
    }
}

#[test]
fn names_in_a_catalogue_and_in_arguments_may_have_any_character() {
    for name in names(|_| true) {
        let name = &*name.leak();
        says(&about(name), &["list"], name);
        let given = format!("--name={name}");
        says(&about(""), &["check", "count", &given], name);
    }
    let name = &*hostile().leak();
    let catalogue = about(name);
    for words in [
        &["table", "table"][..],
        &["fences", "fences", "--memory", "tso"],
        &["stress", "stress", "--seconds", "0.01"],
        &["check", "count"],
    ] {
        says(&catalogue, words, name);
    }
}

/// A file of a name that has some of the characters that are not to be seen, since a name is short.
#[cfg(target_os = "linux")]
#[test]
fn files_and_what_is_in_them_may_have_any_character() {
    let folder = tempfile::tempdir().expect("there is room");
    let at = |name: &str, text: &[u8]| -> String {
        let path: PathBuf = folder.path().join(name);
        fs::write(&path, text).expect("there is room");
        path.to_str().expect("it is text").to_owned()
    };
    let hostile = hostile();
    let label: String = hostile.chars().filter(|one| !"\n".contains(*one)).collect();
    let with_label = format!("des (0,1,2)\n(0, \"{label}\", 1)\n");
    let other = at("b.aut", b"des (0,0,1)\n");
    let file = at("a.aut", with_label.as_bytes());
    says(&Catalogue::default(), &["include", &file, &other], &label);
    let nameable: Vec<char> = hostile
        .chars()
        .filter(|one| !"/\0".contains(*one))
        .collect();
    for some in nameable.chunks(40) {
        let name: String = some.iter().collect();
        let file = at(&format!("{name}.aut"), b"des (0,0,1)\n");
        says(&Catalogue::default(), &["include", &file, &other], &file);
        let file = at(&format!("{name}.jsonl"), b"{}\n");
        says(&Catalogue::default(), &["graph", &file], &file);
        let file = at(
            &format!("{name}.litmus"),
            include_bytes!("../corpus/sb.litmus"),
        );
        says(&Catalogue::default(), &["litmus", &file], &file);
        let file = at(&format!("{name}.txt"), b"X86\n");
        says(&Catalogue::default(), &["litmus", &file], &file);
        // A value that was read, and that nobody wrote.
        let mut history =
            json!({"process": 0, "type": "invoke", "f": "read", "value": null}).to_string();
        history += &json!({"process": 0, "type": "ok", "f": "read", "value": name}).to_string();
        let file = at("history.json", history.as_bytes());
        let words = ["validate", &file, "--against", "register", "--json"];
        let (status, text) = run(&Catalogue::default(), &words);
        assert_eq!(status, Ok(Status::Violated), "{text}");
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }
}
