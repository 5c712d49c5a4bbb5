//! Tests of `stress` on concurrent objects.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::thread;

use refmap::report::Verdict;
use refmap_cli::catalogue::{Catalogue, Nothing, StressRun};
use refmap_cli::{CommandError, Status};
use refmap_histories::Object;
use refmap_histories::object::{Effort, Shared, test_until};
use refmap_histories::specifications::{Counter, Operations, counter::Call};
use serde_json::Value;

use super::run_all::carried_out;
use crate::has;

/// Counter of two steps, or of one.
pub fn counter(is_lossy: bool) -> impl Object {
    let calls = [Call::FetchAdd(1), Call::Read];
    let specification = Operations(Counter::default());
    Shared::new(
        specification,
        AtomicI64::default,
        calls,
        move |counter, call| {
            let (Call::Add(by) | Call::FetchAdd(by)) = call else {
                return Some(counter.load(Ordering::SeqCst)).into();
            };
            if is_lossy {
                let before = counter.load(Ordering::SeqCst);
                // So that another thread comes between on a busy machine as well.
                thread::yield_now();
                counter.store(before + by, Ordering::SeqCst);
                Some(before).into()
            } else {
                Some(counter.fetch_add(*by, Ordering::SeqCst)).into()
            }
        },
    )
}

fn run(words: &[&str]) -> (Result<Status, CommandError>, String) {
    let about = "a counter of two steps is one of one step";
    let of = |name, is_lossy| {
        StressRun::object(name, about, "a test", move |_: &Nothing| {
            Ok(counter(is_lossy))
        })
    };
    let made = AtomicUsize::new(0);
    let later = StressRun::object("later", about, "a test", move |_: &Nothing| {
        Ok(counter(made.fetch_add(1, Ordering::Relaxed) >= 2))
    });
    let catalogue = Catalogue {
        stress: vec![of("lossy", true), of("sound", false), later],
        ..Catalogue::default()
    };
    let words = ["stress"].iter().chain(words);
    carried_out(&catalogue, words, &AtomicBool::new(false))
}

#[test]
fn a_faulty_object_is_found_and_its_history_is_refused() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("lossy.jsonl");
    let page = folder.path().join("lossy.html");
    let results = folder.path().join("lossy.xml");
    let [file, page, results] = [&file, &page, &results].map(|path| path.to_str().expect("text"));
    let words = ["lossy", "--seconds", "60", "--record", file, "--html", page];
    let (status, text) = run(&[&words[..], &["--junit", results]].concat());
    assert_eq!(status.expect("it runs"), Status::Violated, "{text}");
    has(
        &text,
        "threads: the specification has no order with fetch_add(1)",
    );
    // Which threads are shown depends on where the run was.
    has(&text, "\n      thread ");
    let html = std::fs::read_to_string(page).expect("it is written");
    assert!(html.contains("no order with fetch_add(1)") && html.contains("<pre>"));
    let junit = std::fs::read_to_string(results).expect("it is written");
    for part in [
        "name=\"mine stress lossy\"",
        "classname=\"mine.stress.lossy\" name=\"alone\"",
        "<failure type=\"violated\" message=\"",
        "no order with fetch_add(1)",
        "\">  thread ",
        "again:\n    stress lossy --seed 0",
    ] {
        assert!(junit.contains(part), "{part}: {junit}");
    }
    let words = ["validate", file, "--against", "counter"];
    let (status, _) = carried_out(&Catalogue::default(), words, &AtomicBool::new(false));
    assert_eq!(status.expect("it has a verdict"), Status::Violated);
}

/// The seed that repeats a failure is that of the test which found it.
#[test]
fn a_failure_of_a_later_test_has_its_seed() {
    let (status, text) = run(&["later", "--seconds", "60"]);
    assert_eq!(status.expect("it runs"), Status::Violated, "{text}");
    let (_, again) = text.split_once("--seed ").expect("it is repeated");
    let digits = again.split(|next: char| !next.is_ascii_digit());
    let seed: u64 = digits
        .into_iter()
        .next()
        .and_then(|seed| seed.parse().ok())
        .expect("a seed");
    assert!(seed >= 2, "{text}");
}

/// A test that is cancelled begins no run more, of any kind, and says so.
#[test]
fn a_test_that_is_cancelled_is_incomplete() {
    let cancel = &AtomicBool::new(true);
    let tested = test_until(counter(true), &Effort::default(), cancel);
    assert_eq!(tested.verdict(), Verdict::Incomplete);
    assert_eq!(tested.parts.len(), 2);
    for part in &tested.parts {
        assert_eq!(
            (part.runs, &*part.notes),
            (0, &["cancelled".to_owned()][..])
        );
    }
}

#[test]
fn a_history_that_cannot_be_written_is_told() {
    let file = "/no/such/folder/lossy.jsonl";
    let (status, text) = run(&["lossy", "--seconds", "60", "--record", file]);
    let told = status.expect_err("there is no folder").to_string();
    has(&told, file);
    has(&text, "again:");
}

#[test]
fn a_sound_object_is_not_refused() {
    let results = tempfile::NamedTempFile::new().expect("there is room");
    let junit = results.path().to_str().expect("text");
    let (status, text) = run(&["sound", "--seconds", "0.1", "--json", "--junit", junit]);
    let junit = std::fs::read_to_string(results.path()).expect("it is written");
    // Nothing found is no failure, as the exit status says.
    has(&junit, "failures=\"0\" errors=\"0\"");
    assert_eq!(status.expect("it runs"), Status::Success, "{text}");
    let report: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(report["verdict"], "incomplete");
    assert_eq!(report["evidence"], "sampled");
    let rows = report["obligations"].as_array().expect("a list");
    let alone = rows.iter().find(|row| row["name"] == "alone");
    assert_eq!(alone.expect("it is tried alone")["verdict"], "holds");
    let left_out = report["unexercised"].as_array().expect("a list");
    let told = left_out.iter().map(|run| run.as_str().unwrap_or_default());
    let is_told = |run: &str| told.clone().any(|told| told.starts_with(run));
    assert!(is_told("run:schedules, since") && is_told("run:memory, since"));
}
