//! Tests of the default run: its rows, and its results as JUnit.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use refmap::internal::TextOptions;
use refmap::obligation::Checker;
use refmap_cli::catalogue::{Catalogue, Check};
use refmap_cli::clap;
use refmap_cli::{CommandError, Status};
use refmap_testing::{counter, itself};
use roxmltree::{Document, Node};

use crate::has;

#[derive(Clone, clap::Args)]
pub struct Answers {
    #[arg(long, default_value = "right", value_parser = ["right", "wrong"])]
    pub answers: String,
}

/// A page of claims, each a command, what is expected, and a source.
pub fn page(rows: &[[&str; 3]]) -> String {
    let rows = rows.iter();
    let rows = rows
        .map(|[command, expected, source]| format!("| `{command}` | {expected} | {source} |\n"));
    let rows: String = rows.collect();
    format!("# Claims\n\n| claim | expected | source |\n|---|---|---|\n{rows}")
}

/// A catalogue with claims about a counter whose steps are answered as it is said.
pub fn catalogue(claims: &[[&str; 3]]) -> Catalogue {
    let count = Check::new("count", "", "", |arguments: &Answers| {
        let mut refinement = itself(counter());
        if arguments.answers == "wrong" {
            refinement.abstract_steps =
                Box::new(|n, action, _| (*n != 2).then_some(*action).into());
        }
        Ok(Box::new(Checker::owning(refinement)))
    });
    Catalogue {
        checks: vec![count],
        claims: page(claims),
        ..Catalogue::default()
    }
}

/// A claim that comes true.
pub const HOLDS: [&str; 3] = ["check count", "holds", "a paper: it counts"];
const WRONG: &str = "check count --answers wrong";
// Limits that are not reached: no claim repeats another.
const LIMITED: &str = "check count --max-states 99";
const WRONG_LIMITED: &str = "check count --answers wrong --max-states 99";

const CLAIMS: [[&str; 3]; 4] = [
    HOLDS,
    [WRONG, "holds", "another <paper>: it counts & counts"],
    [
        WRONG_LIMITED,
        "violated by simulation",
        "a paper: it counts",
    ],
    [LIMITED, "holds, 5 states", "a paper: it counts"],
];

/// Status or error of a program `mine` over a catalogue, by words until it is cancelled, and its output.
pub fn carried_out(
    catalogue: &Catalogue,
    words: impl IntoIterator<Item = impl Into<OsString>>,
    cancel: &AtomicBool,
) -> (Result<Status, CommandError>, String) {
    let words = words.into_iter().map(Into::into);
    let words = [OsString::from("mine")].into_iter().chain(words);
    let (options, mut output) = (TextOptions::default(), Vec::new());
    let status = refmap_cli::run("mine", "", catalogue, words, cancel, options, &mut output);
    (status, String::from_utf8(output).expect("it is text"))
}

/// The same of words with spaces between, and the error as a text.
pub fn run(
    catalogue: &Catalogue,
    words: &str,
    cancelled: bool,
) -> (Result<Status, String>, String) {
    let words = words.split_whitespace();
    let (status, text) = carried_out(catalogue, words, &AtomicBool::new(cancelled));
    (status.map_err(|error| error.to_string()), text)
}

/// A page may have lost its tables.
#[test]
fn a_page_without_a_claim_is_no_success() {
    for claims in [
        String::new(),
        "# Claims\n\nNone as yet.\n".to_owned(),
        page(&[]),
    ] {
        let nothing = Catalogue {
            claims,
            ..catalogue(&[])
        };
        let (status, text) = run(&nothing, "", false);
        assert_eq!(status, Ok(Status::Incomplete), "{text}");
        has(&text, "nothing was decided");
        let (status, text) = run(&nothing, "--json", false);
        assert_eq!(status, Ok(Status::Incomplete), "{text}");
    }
    let (status, _) = run(&catalogue(&[HOLDS]), "", false);
    assert_eq!(status, Ok(Status::Success));
}

/// A row each, details of those that are otherwise, and these again at the end.
#[test]
fn the_default_run_shows_what_is_not_as_claimed() {
    let (status, text) = run(&catalogue(&CLAIMS), "", false);
    assert_eq!(status, Ok(Status::Violated));
    let lines: Vec<_> = text.lines().collect();
    let rows = |mark: char| lines.iter().filter(|line| line.starts_with(mark)).count();
    // Each of those that are otherwise twice.
    assert_eq!((rows('✓'), rows('✗')), (2, 4), "{text}");
    let details = "\
    verdict: expected holds, found violated
    claimed: holds
    found: simulation fails after 3 steps: ";
    has(&text, details);
    let rest = "\
    [another <paper>] it counts & counts
    mine check count --answers wrong
✓ violated   count --answers wrong ";
    has(&text, rest);
    let (_, end) = text
        .split_once("\nnot as claimed:\n")
        .expect("they are listed");
    let end: Vec<_> = end.lines().collect();
    assert_eq!(end.len(), 5, "{text}");
    assert_eq!(end[1], "    verdict: expected holds, found violated");
    assert_eq!(end[3], "    states: expected 5, found 4");
    assert!(end[4].starts_with("4 claims: 2 as claimed, 2 otherwise; "));
    // What it says is not on a row, but for `--verbose`.
    assert!(!lines[0].contains("it counts") && lines[0].contains("[a paper]"));
    let (_, verbose) = run(&catalogue(&CLAIMS), "--verbose", false);
    let verbose: Vec<_> = verbose.split_whitespace().collect();
    assert!(verbose.join(" ").contains("[a paper] it counts ✗"));
}

#[test]
fn a_default_run_that_is_as_claimed_is_rows_and_a_summary() {
    let (status, text) = run(&catalogue(&CLAIMS[..1]), "", false);
    assert_eq!(status, Ok(Status::Success));
    assert_eq!(text.lines().count(), 2, "{text}");
}

/// Test case of JUnit.
#[derive(Debug)]
struct Case {
    name: String,
    /// Element of the outcome and its type, or `passed`.
    outcome: String,
    message: String,
}

/// Status of a command, and the results that it writes as JUnit.
fn results(
    catalogue: &Catalogue,
    words: &str,
    cancelled: bool,
) -> (Result<Status, String>, Vec<Case>) {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("junit.xml");
    let words = format!("{words} --junit {}", file.display());
    let (status, _) = run(catalogue, &words, cancelled);
    let text = std::fs::read_to_string(file).expect("it is written");
    let document = Document::parse(&text).expect("it is XML");
    let cases = document.descendants();
    let cases = cases.filter(|node| node.tag_name().name() == "testcase");
    let result = |case: Node<'_, '_>| {
        let outcome = case.children().find(Node::is_element);
        let name = outcome.map_or("passed", |outcome| outcome.tag_name().name());
        let kind = outcome.and_then(|outcome| outcome.attribute("type"));
        let message = outcome.and_then(|outcome| outcome.attribute("message"));
        Case {
            name: case.attribute("name").expect("it has one").to_owned(),
            outcome: format!("{name} {}", kind.unwrap_or_default())
                .trim()
                .to_owned(),
            message: message.unwrap_or_default().to_owned(),
        }
    };
    (status, cases.map(result).collect())
}

fn outcomes(results: &[Case]) -> Vec<&str> {
    results.iter().map(|case| &*case.outcome).collect()
}

#[test]
fn a_claim_is_a_test_case() {
    let (status, results) = results(&catalogue(&CLAIMS), "--quiet", false);
    assert_eq!(status, Ok(Status::Violated));
    let names = results.iter().map(|case| case.name.as_str());
    assert!(names.eq(["check count", WRONG, WRONG_LIMITED, LIMITED]));
    let expected = ["passed", "failure otherwise", "passed", "failure otherwise"];
    assert_eq!(outcomes(&results), expected);
    assert_eq!(
        results[1].message,
        "verdict: expected holds, found violated"
    );
    assert_eq!(results[3].message, "states: expected 5, found 4");
}

/// All that differs is told.
#[test]
fn a_test_case_has_all_differences() {
    let claims = [[WRONG, "holds, 5 states, 7 transitions", HOLDS[2]]];
    let (_, results) = results(&catalogue(&claims), "--quiet", false);
    assert_eq!(
        results[0].message,
        "verdict: expected holds, found violated; states: expected 5, found 4; transitions: expected 7, found 3"
    );
}

/// A claim that was not decided is no pass: not where the run was interrupted, nor where a check refuses its arguments.
#[test]
fn a_claim_that_is_not_decided_does_not_pass() {
    let (status, cut) = results(&catalogue(&CLAIMS), "--json", true);
    assert_eq!(status, Ok(Status::Incomplete));
    assert_eq!(outcomes(&cut), ["skipped"; 4]);
    let wrong = ["check count --size 3", "holds", "a paper: it counts"];
    let (status, refused) = results(&catalogue(&[HOLDS, wrong]), "--threads 1", false);
    let message = "count has no parameter \"size\"; there are: answers";
    let command = "check count --size 3";
    assert_eq!(
        status,
        Err(format!(
            "error: line 6: the claim `{command}` cannot be decided: {message}"
        ))
    );
    assert_eq!(outcomes(&refused), ["skipped", "error unusable"]);
    assert_eq!(refused[1].message, message);
}

/// An obligation is a test case. With `--expect` the verdict is one.
#[test]
fn an_obligation_is_a_test_case() {
    let catalogue = catalogue(&[]);
    let of = |words: &str| results(&catalogue, &format!("check count --quiet {words}"), false);
    let chosen = "--obligations initiality,simulation,environment";
    let (status, holds) = of(chosen);
    assert_eq!(status, Ok(Status::Success));
    assert_eq!(outcomes(&holds), ["passed", "passed", "skipped"]);
    assert_eq!(holds[1].name, "simulation");
    let (status, fails) = of(&format!("{chosen} --answers wrong"));
    assert_eq!(status, Ok(Status::Violated));
    // The search ended there, so that nothing else is decided.
    assert_eq!(outcomes(&fails), ["skipped", "failure violated", "skipped"]);
    let message = &fails[1].message;
    assert!(
        message.starts_with("simulation fails after 3 steps: "),
        "{message}"
    );
    let (status, limited) = of(&format!("{chosen} --max-states 2"));
    assert_eq!(status, Ok(Status::Incomplete));
    assert_eq!(outcomes(&limited)[1..], ["error incomplete", "skipped"]);
    assert_eq!(
        limited[1].message,
        "incomplete: ended by the limit of 2 states"
    );
    // Nothing was tested, so nothing passes.
    let (status, vacuous) = of("--obligations environment");
    assert_eq!(status, Ok(Status::Incomplete));
    assert_eq!(outcomes(&vacuous), ["skipped", "error incomplete"]);
    for (expected, outcome) in [("violated", "passed"), ("holds", "failure otherwise")] {
        let (_, results) = of(&format!("--answers wrong --expect {expected}"));
        assert_eq!(outcomes(&results), [outcome]);
        assert_eq!(results[0].name, format!("verdict: {expected}"));
    }
    let (status, refused) = of("--obligations simulatoin");
    assert!(status.is_err());
    assert_eq!(outcomes(&refused), ["error unusable"]);
}

/// The file is known to be writable before anything is decided.
#[test]
fn a_file_that_cannot_be_written_is_refused_first() {
    for words in ["", "check count"] {
        let words = format!("{words} --junit /no/such/folder/junit.xml");
        let (status, text) = run(&catalogue(&CLAIMS), &words, false);
        let error = status.expect_err("there is no folder");
        has(&error, "cannot write the results to /no/such/");
        assert!(text.is_empty());
    }
}
