//! Tests of what is the second, or the third, of several files, names or claims, and of what comes after the first block of a file.

use std::fs;
use std::path::Path;

use refmap::obligation::Checker;
use refmap::{AbstractSteps, Property};
use refmap_cli::Status;
use refmap_cli::catalogue::{Catalogue, Check, InputError, Nothing, Validator};
use refmap_cli::clap;
use refmap_histories::specifications::{Counter, Operations};
use refmap_testing::{Machine, counter, itself};
use serde_json::{Value, json};

use super::run_all::{Answers, HOLDS, catalogue, page, run};
use crate::{has, over};

/// Bytes of a block that is read at a time.
const BLOCK: usize = 1 << 16;

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("there is room");
    path.to_str().expect("it is text").to_owned()
}

/// A command over files, with its answer as JSON.
fn answer(words: &str) -> (Status, Value) {
    let (status, text) = run(&Catalogue::default(), &format!("{words} --json"), false);
    let answer = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (status.expect("it has an answer"), answer)
}

#[test]
fn of_three_results_no_two_are_written_onto_one() {
    let folder = tempfile::tempdir().expect("there is room");
    let [one, other] = ["one.json", "other.json"].map(|name| folder.path().join(name));
    let [one, other] = [one.display(), other.display()];
    let wrong = "check count --answers wrong";
    for files in [
        format!("--trace {one} --html {other} --junit {other}"),
        format!("--trace {other} --html {one} --junit {other}"),
        format!("--trace {other} --html {other} --junit {one}"),
    ] {
        let (status, _) = run(&catalogue(&[]), &format!("{wrong} {files}"), false);
        let error = status.expect_err("two are one");
        has(&error, "is to be written there");
    }
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0);
}

/// A second instance of a check may have what the first has not: the check is not said to have it as it was refused.
#[test]
fn an_option_of_another_instance_is_told_of_that_one() {
    let count = Check::new("count", "", "", |arguments: &Answers| {
        let mut refinement = itself(counter());
        if arguments.answers == "wrong" {
            refinement.liveness = vec![Property::eventually("ends", "a test", |n| *n == 3)];
        }
        Ok(Box::new(Checker::owning(refinement)))
    });
    let catalogue = over(vec![count]);
    let (status, _) = run(&catalogue, "check count --liveness", false);
    let error = status.expect_err("nothing is said of what happens in the end");
    let able = "; --liveness is for count with other arguments";
    assert!(error.ends_with(able), "{error}");
}

#[test]
fn processes_that_do_not_come_together_have_results_in_a_file() {
    let folder = tempfile::tempdir().expect("there is room");
    let [hosts, junit] = ["hosts", "junit.xml"].map(|name| folder.path().join(name));
    let (of_hosts, of_junit) = (hosts.display(), junit.display());
    let words = format!("check count --hosts {of_hosts} --process 0 --junit {of_junit}");
    let (status, _) = run(&catalogue(&[]), &words, false);
    let error = status.expect_err("there is no list of hosts");
    let junit = fs::read_to_string(&junit).expect("it is written");
    assert!(
        error.contains("cannot use") && junit.contains("cannot use"),
        "{error}: {junit}"
    );
}

#[test]
fn no_result_is_written_over_the_second_file_that_is_read() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = |name| written(folder.path(), name, "des (0,0,1)\n");
    let [a, b] = ["a.aut", "b.aut"].map(file);
    for page in [&a, &b] {
        for command in ["graph", "include"] {
            let words = format!("{command} {a} {b} --html {page}");
            let (status, _) = run(&Catalogue::default(), &words, false);
            let error = status.expect_err("it is one that is read");
            has(&error, "it is a file that the command reads");
        }
    }
}

fn system(name: &str) -> Value {
    json!({
        "name": name, "states": 2, "initial": [0], "labels": {"Q": [1]}, "steps": [[0, "a", 1]],
        "fairness": [{"name": "F", "kind": "weak", "rules": ["a"]}],
        "properties": [{"name": "p", "kind": "eventually", "conclusion": "Q"}],
    })
}

#[test]
fn of_three_systems_the_last_may_not_have_the_name_of_the_first() {
    let folder = tempfile::tempdir().expect("there is room");
    for (names, line) in [
        (["a", "b", "a"], 3),
        (["a", "b", "b"], 3),
        (["a", "a", "b"], 2),
    ] {
        let lines = names.map(|name| format!("{}\n", system(name))).concat();
        let file = written(folder.path(), "g.jsonl", &lines);
        let (status, found) = answer(&format!("graph {file}"));
        assert_eq!(status, Status::Unusable);
        assert_eq!(found["errors"][0]["line"], line, "{names:?}");
        assert_eq!(found["graphs"].as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn of_three_properties_and_of_three_labels_no_two_have_one_name() {
    let folder = tempfile::tempdir().expect("there is room");
    let property = |name: &&str| json!({"name": name, "kind": "eventually", "conclusion": "Q"});
    for names in [["p", "q", "p"], ["p", "q", "q"], ["p", "p", "q"]] {
        let mut system = system("s");
        system["properties"] = names.iter().map(property).collect();
        let file = written(folder.path(), "g.jsonl", &format!("{system}\n"));
        let (_, found) = answer(&format!("graph {file}"));
        let message = found["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("two properties are named"), "{message}");
        let labels = names.map(|name| format!("\"{name}\":[0]")).join(",");
        let system = system
            .to_string()
            .replace("{\"Q\":[1]}", &format!("{{{labels}}}"));
        let file = written(folder.path(), "g.jsonl", &system);
        let (_, found) = answer(&format!("graph {file}"));
        let message = found["errors"][0]["message"].as_str().unwrap_or_default();
        has(message, "is there twice");
    }
}

/// The worst of several is the status, whichever comes first.
#[test]
fn an_unusable_litmus_test_is_told_by_the_status_before_and_after_an_undecided_one() {
    let folder = tempfile::tempdir().expect("there is room");
    let test = include_str!("../corpus/sb.litmus");
    let good = written(folder.path(), "good.litmus", test);
    let bad = written(folder.path(), "bad.litmus", "X86 bad\n");
    for files in [format!("{bad} {good}"), format!("{good} {bad}")] {
        let (status, found) = answer(&format!("litmus {files} --max-states 1"));
        assert_eq!(status, Status::Unusable, "{found}");
        assert_eq!(found["errors"].as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn a_claim_that_repeats_the_second_is_refused() {
    const OTHER: [&str; 3] = ["check count --max-states 99", "holds", HOLDS[2]];
    let of = |claims: &[[&str; 3]]| catalogue(claims).validate();
    assert!(of(&[HOLDS, OTHER]).is_ok());
    for claims in [[HOLDS, OTHER, OTHER], [HOLDS, OTHER, HOLDS]] {
        let told = of(&claims).expect_err("it is there already").to_string();
        assert!(told.starts_with("error: line 7: "), "{told}");
    }
}

/// Bars are escaped, and there may be several in one cell.
#[test]
fn a_cell_has_as_many_bars_as_are_escaped() {
    let claims = page(&[["check count", "holds", r"a\|b\|c: d\|e\|f"]]);
    let catalogue = Catalogue {
        claims,
        ..catalogue(&[])
    };
    let claims = catalogue.claims().expect("it is one");
    assert_eq!(claims[0].source, "a|b|c");
}

/// Each operation has a key, or none has.
#[test]
fn an_operation_without_a_key_is_refused_wherever_it_is() {
    let folder = tempfile::tempdir().expect("there is room");
    let operation = |key: bool| {
        let key = if key { ":key 1, " } else { "" };
        format!(
            "{{:process 0, :type :invoke, {key}:f :write, :value 1}}\n{{:process 0, :type :ok, {key}:f :write, :value 1}}\n"
        )
    };
    for (without, line) in [(1, 3), (2, 5), (0, 1)] {
        let history: String = (0..3).map(|number| operation(number != without)).collect();
        let file = written(folder.path(), "h.edn", &history);
        let words = format!("validate {file} --against register");
        let (status, _) = run(&Catalogue::default(), &words, false);
        let told = status.expect_err("it has no key");
        let expected = format!("line {line}: the operation has no key, and others have one");
        has(&told, &expected);
    }
}

/// A file of many blocks, of which the last says what is different.
#[test]
fn what_comes_after_many_blocks_counts() {
    let folder = tempfile::tempdir().expect("there is room");
    let steps = BLOCK / 7;
    let chain = |last: &str| {
        let mut text = format!("des (0, {steps}, {})\n", steps + 1);
        for state in 1..steps {
            text += &format!("({}, a{}, {state})\n", state - 1, state % 3);
        }
        text + &format!("({}, {last}, {steps})\n", steps - 1)
    };
    let [one, same, other] = [("one", "b"), ("same", "b"), ("other", "c")]
        .map(|(name, last)| written(folder.path(), &format!("{name}.aut"), &chain(last)));
    let (status, _) = answer(&format!("include {one} {same}"));
    assert_eq!(status, Status::Success);
    let (status, found) = answer(&format!("include {one} {other}"));
    assert_eq!(status, Status::Violated);
    assert_eq!(found["trace_length"], steps);
    // A line of many blocks: the property comes last in it.
    let mut long = system(&"long ".repeat(BLOCK));
    long["properties"] =
        json!([{"name": "p".repeat(2 * BLOCK), "kind": "always", "conclusion": "Q"}]);
    let file = written(
        folder.path(),
        "g.jsonl",
        &format!("{long}\n{}\n", system("short")),
    );
    let (status, found) = answer(&format!("graph {file}"));
    assert_eq!(status, Status::Violated);
    assert_eq!(
        found["graphs"][0]["properties"][0]["name"],
        long["properties"][0]["name"]
    );
    assert_eq!(found["graphs"][0]["properties"][0]["verdict"], "violated");
    assert_eq!(found["graphs"][1]["properties"][0]["verdict"], "holds");
    // The last of many events is the one that is refused.
    let mut history = r#"{"history":"refmap","version":1,"parameters":{}}"#.to_owned() + "\n";
    let events = 2 * BLOCK / 64;
    for number in 0..events {
        let (begin, end) = (2 * number, 2 * number + 1);
        let is_last = number + 1 == events;
        let event = match number % 2 {
            0 => json!({"call": {"write": number % 7}}),
            _ if is_last => json!({"call": "read", "answer": 8}),
            _ => json!({"call": "read", "answer": (number - 1) % 7}),
        };
        let event =
            json!({"thread": 0, "place": number, "begin": begin, "end": end, "event": event});
        history += &format!("{event}\n");
    }
    history += &format!("{}\n", json!({"history": "end", "events": events}));
    assert!(history.len() > 2 * BLOCK);
    let file = written(folder.path(), "h.jsonl", &history);
    let (status, found) = answer(&format!("validate {file} --against register"));
    assert_eq!(status, Status::Violated, "{found}");
    assert_eq!(found["history"]["explanation"]["event"]["line"], events + 1);
}

/// Parameters of which one is a list.
#[derive(Clone, clap::Args)]
struct Names {
    /// names
    #[arg(long)]
    name: Vec<String>,
}

/// A header of a history has all values of a list.
#[test]
fn of_a_list_in_a_header_all_is_read() {
    let refuse = |names: &Names| -> Result<Operations<Counter>, InputError> {
        let names = format!("{:?}", names.name);
        Err(InputError::instance(std::io::Error::other(names)))
    };
    let catalogue = Catalogue {
        validators: vec![Validator::new("named", "", "", refuse)],
        ..Catalogue::default()
    };
    let folder = tempfile::tempdir().expect("there is room");
    let header =
        json!({"history": "refmap", "version": 1, "parameters": {"name": ["a", "b", "c"]}});
    let history = format!("{header}\n{}\n", json!({"history": "end", "events": 0}));
    let file = written(folder.path(), "h.jsonl", &history);
    let (status, _) = run(
        &catalogue,
        &format!("validate {file} --against named"),
        false,
    );
    let told = status.expect_err("it is refused");
    has(&told, r#"["a", "b", "c"]"#);
}

/// A command that is suggested has all values of a list.
#[test]
fn of_a_list_in_a_suggestion_all_is_there() {
    let named = Check::new("named", "", "", |_: &Names| {
        let mut refinement = itself(counter());
        refinement.abstract_steps = Box::new(|n, action, _| (*n != 2).then_some(*action).into());
        Ok(Box::new(Checker::owning(refinement)))
    });
    let catalogue = over(vec![named]);
    let words = "named --name a --name b --name c";
    let (_, text) = run(&catalogue, &format!("check {words}"), false);
    has(&text, &format!("mine include {words}"));
}

/// A check that goes on has all values of a list.
#[test]
fn of_a_list_in_a_checkpoint_all_is_there() {
    let named = Check::new("named", "", "", |names: &Names| match &names.name[..] {
        [_, _, _] => Ok(Box::new(Checker::owning(itself(counter())))),
        names => Err(InputError::instance(std::io::Error::other(format!(
            "{names:?}"
        )))),
    });
    let catalogue = over(vec![named]);
    let folder = tempfile::tempdir().expect("there is room");
    let at = folder.path().join("kept");
    let words = "check named --name a --name b --name c --max-states 2";
    let (status, text) = run(
        &catalogue,
        &format!("{words} --checkpoint {}", at.display()),
        false,
    );
    assert_eq!(status, Ok(Status::Incomplete), "{text}");
    let (status, text) = run(
        &catalogue,
        &format!("check named --resume {}", at.display()),
        false,
    );
    assert_eq!(status, Ok(Status::Success), "{text}");
}

/// A page and a file of results have each violation of an obligation, each warning, and each abstract step of a step.
#[test]
fn of_what_a_check_tells_all_is_in_its_files() {
    let counts = Check::new("counts", "", "", |_: &Nothing| {
        let next = |n: &u8| vec![(("on", 0), (n + 1) % 4), (("back", 0), (n + 3) % 4)];
        let rules = [("on", "clock"), ("back", "clock")];
        let mut refinement = itself(Machine::new(&rules, [0], next, |_| 0));
        refinement.implementation.doubts = vec!["one thing", "another thing", "a third"];
        refinement.abstract_steps = Box::new(|n, action, _| match (n, action.0) {
            // Both rules fail after a step that is three.
            (3, _) => AbstractSteps::Stutter,
            (0, "back") => AbstractSteps::Several(vec![("on", 0); 3]),
            _ => AbstractSteps::One(*action),
        });
        Ok(Box::new(Checker::owning(refinement)))
    });
    let catalogue = over(vec![counts]);
    let folder = tempfile::tempdir().expect("there is room");
    let [page, results] = ["page.html", "results.xml"].map(|name| folder.path().join(name));
    let (of_page, of_results) = (page.display(), results.display());
    let words = format!("check counts --keep-going --html {of_page} --junit {of_results}");
    let (status, text) = run(&catalogue, &words, false);
    assert_eq!(status, Ok(Status::Violated), "{text}");
    let [page, results] =
        [page, results].map(|file| fs::read_to_string(file).expect("it is written"));
    for rule in ["on", "back"] {
        let told = format!("clock takes `{rule}` (a test), which is answered by a stutter");
        assert!(results.contains(&told) && page.contains(&told), "{rule}");
    }
    for warning in ["one thing", "another thing", "a third"] {
        assert!(page.contains(&format!("Warning: {warning}")), "{warning}");
    }
    assert_eq!(
        page.matches("<p class=\"by\"><code>[on 0]</code></p>")
            .count(),
        3
    );
}

/// A page says how many systems and errors it leaves out.
#[test]
fn of_what_a_page_leaves_out_all_is_counted() {
    let folder = tempfile::tempdir().expect("there is room");
    let systems = (0..1003).map(|number| format!("{}\n", system(&number.to_string())));
    let lines = systems.collect::<String>() + &"nothing\n".repeat(1002);
    let file = written(folder.path(), "g.jsonl", &lines);
    let page = folder.path().join("page.html");
    let words = format!("graph {file} --html {}", page.display());
    let (status, _) = run(&Catalogue::default(), &words, false);
    assert_eq!(status, Ok(Status::Unusable));
    let html = fs::read_to_string(page).expect("it is written");
    assert!(html.contains("5 more systems and errors are not shown on this page"));
}
