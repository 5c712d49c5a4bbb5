//! Tests of `validate` on the histories of other tools, against the ready specifications.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader};
use std::sync::atomic::AtomicBool;

use refmap_cli::catalogue::{Catalogue, Nothing, Validator, ValidatorError};
use refmap_cli::{CommandError, Status};
use refmap_histories::Settings;
use refmap_histories::foreign::Format;
use refmap_histories::specifications::{Counter, Operations};
use serde_json::{Map, Value};

use super::run_all::carried_out;
use crate::has;

/// Validates a history against an object, and returns the report.
fn validated(history: &str, words: &[&str]) -> (Result<Status, CommandError>, Value) {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("history.edn");
    std::fs::write(&file, history).expect("there is room");
    let file = file.to_str().expect("text");
    let words = ["validate", file, "--json", "--against"]
        .into_iter()
        .chain(words.iter().copied());
    let (status, text) = carried_out(&Catalogue::default(), words, &AtomicBool::new(false));
    let report = serde_json::from_str(&text).unwrap_or(Value::Null);
    (status, report)
}

fn assert_holds(history: &str, words: &[&str]) -> Value {
    let (status, report) = validated(history, words);
    assert_eq!(
        status.expect("it has a verdict"),
        Status::Success,
        "{report}"
    );
    report
}

fn assert_violated(history: &str, words: &[&str]) -> Value {
    let (status, report) = validated(history, words);
    assert_eq!(
        status.expect("it has a verdict"),
        Status::Violated,
        "{report}"
    );
    report
}

fn assert_refused(history: &str, words: &[&str], told: &str) {
    let (status, _) = validated(history, words);
    let error = status.expect_err("it has no verdict").to_string();
    has(&error, told);
}

/// Of a history without an end only the beginning is read.
#[test]
fn a_history_of_another_tool_is_refused_by_a_validator_that_is_not_for_it_before_it_is_read() {
    let own = |_: &Nothing| Ok(Operations(Counter::default()));
    let own = Validator::new("own", "a counter", "a test", own);
    let run = |input: &mut dyn BufRead| {
        let (format, given) = (Format::JepsenEdn, Map::new());
        own.run_foreign(input, format, false, &given, &Settings::default())
    };
    let refused = run(&mut BufReader::new(io::repeat(b'\n')));
    assert!(matches!(
        refused,
        Err(ValidatorError::NotForeign { name: "own" })
    ));
    // A history of nothing is none of another tool.
    assert!(run(&mut &b"\n"[..]).is_ok());
}

/// Event of Jepsen's.
fn event(history: &mut String, process: u32, kind: &str, function: &str, value: &str) {
    let time = history.len();
    let _ = writeln!(
        history,
        "{{:type :{kind}, :f :{function}, :value {value}, :process {process}, :time {time}}}"
    );
}

/// Call that is answered before anything else happens.
fn done(history: &mut String, process: u32, function: &str, argument: &str, answer: &str) {
    event(history, process, "invoke", function, argument);
    event(history, process, "ok", function, answer);
}

/// A history of nothing says nothing, in whatever form it is written.
#[test]
fn a_history_of_nothing_is_incomplete() {
    let header = r#"{"history":"refmap","version":1}"#;
    let ended = format!("{header}\n{}\n", r#"{"history":"end","events":0}"#);
    let long = format!("[{}]", "\n".repeat(100));
    let nothing = [
        "",
        "\n",
        "   \n \n\n\n\n\n\n\n\n\n\n\n\n",
        "[]",
        "[]\n",
        " [ ]",
        "()",
        "; nothing\n[]",
        "#_ 3 []",
        &long,
        header,
        &ended,
        "{:process :nemesis, :type :info, :f :kill}",
    ];
    for text in nothing {
        for against in ["register", "map"] {
            let (status, report) = validated(text, &[against]);
            let status = status.expect("it has a verdict");
            assert_eq!(status, Status::Incomplete, "{text:?}: {report}");
            assert_eq!(report["verdict"], "incomplete", "{text:?}: {report}");
        }
    }
    // What is begun and not ended, or is something else, is no history.
    for (text, told) in [
        ("[", "ends before"),
        ("{}", "no field"),
        ("[[]]", "no header"),
    ] {
        assert_refused(text, &["register"], told);
    }
}

#[test]
fn a_register_of_jepsen_is_linearizable_or_not() {
    let mut history = String::new();
    event(&mut history, 0, "invoke", "write", "1");
    event(&mut history, 1, "invoke", "read", "nil");
    event(&mut history, 1, "ok", "read", "1");
    event(&mut history, 0, "ok", "write", "1");
    done(&mut history, 1, "cas", "[1 2]", "[1 2]");
    event(&mut history, 2, "invoke", "cas", "[1 5]");
    event(&mut history, 2, "fail", "cas", "[1 5]");
    // It may have come about, and did.
    event(&mut history, 0, "invoke", "write", "3");
    event(&mut history, 0, "info", "write", ":timed-out");
    done(&mut history, 1, "read", "nil", "3");
    let report = assert_holds(&history, &["register"]);
    assert_eq!(report["history"]["events"], 5);
    let taken = report["taken_at_word"].to_string();
    has(&taken, "that the history is whole");
    // The value that was overwritten does not come back.
    done(&mut history, 1, "read", "nil", "1");
    let report = assert_violated(&history, &["register"]);
    let refused = &report["history"]["explanation"]["event"];
    // As the file numbers its lines: it is invoked on the last but one.
    assert_eq!(refused["line"], 13);
    assert_eq!(refused["text"], "read → 1");
    let told = report["counterexample"]["explanation"].as_str();
    assert!(
        told.is_some_and(|told| told.contains("read answers 3 here, and not 1")),
        "{told:?}"
    );
}

/// Writes that never returned, of which none is needed, or each.
#[test]
fn many_crashed_writes_are_decided() {
    for is_needed in [false, true] {
        let mut history = String::new();
        for process in 0..30 {
            event(
                &mut history,
                process,
                "invoke",
                "write",
                &format!("{process}"),
            );
        }
        for process in 0..30 {
            event(&mut history, process, "info", "write", ":timed-out");
        }
        for value in 0..30 {
            let value = format!("{value}");
            if !is_needed {
                done(&mut history, 90, "write", &value, &value);
            }
            done(&mut history, 90, "read", "nil", &value);
        }
        let report = assert_holds(&history, &["register"]);
        let configurations = report["states"].as_u64().expect("it is a number");
        assert!(configurations < 20_000, "{configurations}");
        // Each was written once.
        done(&mut history, 90, "read", "nil", "29");
        done(&mut history, 90, "read", "nil", "3");
        if is_needed {
            assert_violated(&history, &["register"]);
        }
    }
}

/// Keys are objects of their own, and the first that is refused is told.
#[test]
fn keys_are_decided_apart() {
    let mut history = String::new();
    for key in 0..70 {
        let value = format!("[{key} {}]", key + 1);
        done(&mut history, key, "write", &value, &value);
    }
    for key in 0..70 {
        let value = format!("[{key} {}]", key + 1);
        done(&mut history, key, "read", &format!("[{key} nil]"), &value);
    }
    let report = assert_holds(&history, &["register", "--keyed"]);
    let note = report["obligations"][0]["note"].as_str();
    assert_eq!(note, Some("decided apart in 70 parts"));
    for key in [66, 7, 30] {
        done(
            &mut history,
            key,
            "read",
            &format!("[{key} nil]"),
            &format!("[{key} 0]"),
        );
    }
    let report = assert_violated(&history, &["register", "--keyed"]);
    let note = report["obligations"][0]["note"].as_str();
    let first = "decided apart in 70 parts, up to the first that is refuted, that of 7";
    assert_eq!(note, Some(first));
    assert_eq!(report["history"]["explanation"]["event"]["line"], 283);
}

#[test]
fn a_store_of_porcupine_s_logs_is_decided_by_key() {
    let mut history = String::new();
    let mut event = |process: u32, kind: &str, function: &str, key: &str, value: &str| {
        let _ = writeln!(
            history,
            "{{:process {process}, :type :{kind}, :f :{function}, :key \"{key}\", :value {value}}}"
        );
    };
    for key in ["a", "b"] {
        event(0, "invoke", "append", key, "\"x\"");
        event(1, "invoke", "append", key, "\"y\"");
        event(0, "ok", "append", key, "\"x\"");
        event(1, "ok", "append", key, "\"y\"");
        event(2, "invoke", "get", key, "nil");
        event(2, "ok", "get", key, "\"yx\"");
    }
    event(2, "invoke", "get", "c", "nil");
    event(2, "ok", "get", "c", "\"\"");
    let good = history.clone();
    let report = assert_holds(&good, &["store"]);
    assert_eq!(report["obligations"][0]["note"], "decided apart in 3 parts");
    let bad = good.replacen("\"yx\"", "\"y\"", 1);
    let report = assert_violated(&bad, &["store"]);
    let note = report["obligations"][0]["note"].as_str();
    assert!(
        note.is_some_and(|note| note.ends_with("that of \"a\"")),
        "{note:?}"
    );
}

#[test]
fn every_object_reads_the_calls_of_jepsen() {
    let mut queue = String::new();
    done(&mut queue, 0, "enqueue", "1", "1");
    done(&mut queue, 1, "enqueue", "2", "2");
    let (mut fifo, mut lifo) = (queue.clone(), queue);
    done(&mut fifo, 0, "dequeue", "nil", "1");
    done(&mut lifo, 0, "dequeue", "nil", "2");
    assert_holds(&fifo, &["fifo"]);
    assert_holds(&fifo, &["priority-queue"]);
    assert_violated(&fifo, &["lifo"]);
    assert_holds(&lifo, &["lifo"]);
    assert_violated(&lifo, &["fifo"]);
    assert_violated(&lifo, &["priority-queue"]);
    let mut set = String::new();
    done(&mut set, 0, "add", "1", "1");
    done(&mut set, 0, "add", "10", "10");
    done(&mut set, 0, "add", "2", "2");
    done(&mut set, 1, "read", "nil", "#{10 2 1}");
    assert_holds(&set, &["set"]);
    done(&mut set, 1, "read", "nil", "#{10 2}");
    assert_violated(&set, &["set"]);
    let mut counter = String::new();
    done(&mut counter, 0, "add", "2", "2");
    done(&mut counter, 0, "add", "3", "3");
    done(&mut counter, 1, "read", "nil", "5");
    assert_holds(&counter, &["counter"]);
    done(&mut counter, 1, "read", "nil", "4");
    assert_violated(&counter, &["counter"]);
    let mut lock = String::new();
    done(&mut lock, 0, "acquire", "nil", "nil");
    done(&mut lock, 0, "release", "nil", "nil");
    done(&mut lock, 1, "acquire", "nil", "nil");
    assert_holds(&lock, &["mutex"]);
    done(&mut lock, 0, "acquire", "nil", "nil");
    assert_violated(&lock, &["mutex"]);
    let mut map = String::new();
    done(&mut map, 0, "write", "[x 1]", "[x 1]");
    done(&mut map, 0, "cas", "[x [1 2]]", "[x [1 2]]");
    done(&mut map, 1, "read", "[x nil]", "[x 2]");
    done(&mut map, 1, "read", "[y nil]", "[y nil]");
    assert_holds(&map, &["map", "--keyed"]);
    done(&mut map, 1, "read", "[x nil]", "[x 1]");
    assert_violated(&map, &["map", "--keyed"]);
}

#[test]
fn what_is_no_history_of_the_object_is_refused() {
    let mut history = String::new();
    done(&mut history, 0, "write", "1", "1");
    let known = history.clone();
    done(&mut history, 0, "txn", "[]", "[]");
    assert_refused(
        &history,
        &["register"],
        "line 3: txn with [] is no call of register",
    );
    assert_refused(
        &known,
        &["bounded"],
        "capacity is not given, and must be a number from 1 to 1073741824 (the file has no parameters: --parameter NAME=VALUE gives one)",
    );
    assert_refused(
        &known,
        &["bounded", "--parameter", "capacity=none"],
        "capacity is \"none\", and must be a number",
    );
    assert_refused(
        &known,
        &["bounded", "--parameter", "size=3"],
        "bounded has no parameter \"size\"",
    );
    assert_refused(&known, &["bounded", "--parameter", "3"], "NAME=VALUE");
    let twice = ["--parameter", "capacity=1", "--parameter", "capacity=2"];
    assert_refused(
        &known,
        &[&["bounded"], &twice[..]].concat(),
        "--parameter capacity is given twice",
    );
    assert_refused(
        &known,
        &["counter"],
        "line 1: write with 1 is no call of counter",
    );
    assert_refused(&known, &["map"], "line 1: write with 1 is no call of map");
    assert_refused(&known, &["register", "--keyed"], "line 1");
    assert_refused("{:type :invoke", &["register"], "line 1");
    let mut counter = String::new();
    done(&mut counter, 0, "add", "\"two\"", "nil");
    assert_refused(&counter, &["counter"], "line 1: ");
    // Nothing was validated: that is not to hold.
    let mut failed = String::new();
    event(&mut failed, 0, "invoke", "write", "1");
    event(&mut failed, 0, "fail", "write", "1");
    let (status, report) = validated(&failed, &["register"]);
    assert_eq!(status.expect("it is read"), Status::Incomplete, "{report}");
}

/// A size is no part of the histories of other tools.
#[test]
fn a_queue_of_jepsen_has_the_size_that_is_given() {
    let mut history = String::new();
    done(&mut history, 0, "enqueue", "1", "true");
    done(&mut history, 1, "enqueue", "2", "true");
    done(&mut history, 1, "dequeue", "nil", "1");
    let report = assert_holds(&history, &["bounded", "--parameter", "capacity=2"]);
    assert_eq!(report["parameters"]["capacity"], 2);
    assert_violated(&history, &["bounded", "--parameter", "capacity=1"]);
}

/// A history that each criterion decides in its own way, with its twin that the criterion refuses.
#[test]
fn criteria_have_their_own_orders() {
    let by = |history: &str, criterion: &str, is_behaviour: bool| {
        let words = ["register", "--criterion", criterion];
        let report = if is_behaviour {
            assert_holds(history, &words)
        } else {
            assert_violated(history, &words)
        };
        assert_eq!(report["history"]["criterion"], criterion);
    };
    // Another client reads what was overwritten.
    let mut stale = String::new();
    done(&mut stale, 0, "write", "1", "1");
    done(&mut stale, 0, "write", "2", "2");
    done(&mut stale, 1, "read", "nil", "1");
    by(&stale, "linearizable", false);
    by(&stale, "sequential", true);
    by(&stale, "quiescent", false);
    // The same client does, and meanwhile another one is busy all the time.
    let mut busy = String::new();
    event(&mut busy, 9, "invoke", "read", "nil");
    done(&mut busy, 0, "write", "1", "1");
    done(&mut busy, 0, "write", "2", "2");
    done(&mut busy, 0, "read", "nil", "1");
    event(&mut busy, 9, "ok", "read", "2");
    by(&busy, "linearizable", false);
    by(&busy, "sequential", false);
    by(&busy, "quiescent", true);
    let never = busy.replace(":ok, :f :read, :value 2", ":ok, :f :read, :value 3");
    by(&never, "quiescent", false);
    let (status, _) = validated(&busy, &["register", "--criterion", "serializable"]);
    let error = status.expect_err("there is none of the name").to_string();
    has(&error, "linearizable, sequential, quiescent");
}

/// Of two objects each has an order of its own, and they have none together.
#[test]
fn several_objects_are_not_decided_apart_by_threads_alone() {
    let mut history = String::new();
    done(&mut history, 0, "write", "[x 1]", "[x 1]");
    done(&mut history, 0, "read", "[y nil]", "[y nil]");
    let one = history.clone();
    done(&mut history, 1, "write", "[y 1]", "[y 1]");
    done(&mut history, 1, "read", "[x nil]", "[x nil]");
    let words = |criterion| ["register", "--keyed", "--criterion", criterion];
    let told = "line 3: the event is of another object than those before it";
    assert_refused(&history, &words("sequential"), told);
    assert_refused(&one, &words("sequential"), told);
    assert_violated(&history, &words("linearizable"));
    let of_one = one.replace("[y nil]", "[x 1]");
    assert_holds(&of_one, &words("sequential"));
    // Each object has its own quiescent times.
    assert_violated(&history, &words("quiescent"));
}

/// The own form of a history names the same calls.
#[test]
fn a_history_of_refmap_is_validated_against_a_ready_specification() {
    let history = r#"{"history":"refmap","version":1,"parameters":{"capacity":1}}
{"thread":0,"place":0,"begin":10,"end":20,"event":{"call":{"push":7},"answer":true}}
{"thread":1,"place":0,"begin":30,"end":40,"event":{"call":{"push":8},"answer":false}}
{"thread":1,"place":1,"begin":50,"end":60,"event":{"call":"pop","answer":7}}
{"history":"end","events":3}
"#;
    assert_holds(history, &["bounded"]);
    assert_violated(&history.replace("false", "true"), &["bounded"]);
    let given = ["bounded", "--parameter", "capacity=1"];
    assert_refused(history, &given, "line 1 has the parameters of the history");
    let map = r#"{"history":"refmap","version":1}
{"thread":0,"place":0,"begin":10,"end":20,"event":{"call":{"put":{"key":"a","value":1}}}}
{"thread":1,"place":0,"begin":15,"end":25,"event":{"call":{"put":{"key":"b","value":2}}}}
{"thread":1,"place":1,"begin":30,"end":40,"event":{"call":{"get":"a"},"answer":1}}
{"history":"end","events":3}
"#;
    let report = assert_holds(map, &["map"]);
    assert_eq!(report["obligations"][0]["note"], "decided apart in 2 parts");
    assert!(report["taken_at_word"].to_string().contains("independent"));
    let report = assert_violated(&map.replace("\"answer\":1", "\"answer\":2"), &["map"]);
    assert_eq!(report["history"]["explanation"]["event"]["line"], 4);
    let unknown = history.replace(r#"{"call":{"push":8},"answer":false}"#, "null");
    assert_refused(&unknown, &["bounded"], "line 3: the event was not recorded");
    assert_refused(
        &history.replace("\"capacity\":1", ""),
        &["bounded"],
        "line 1",
    );
    assert_refused(
        &history.replace("7},", "7},\"answers\":1,"),
        &["bounded"],
        "line 2",
    );
}
