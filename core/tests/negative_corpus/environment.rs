//! Environments of which nothing is said.

use refmap::obligation::{CheckError, Selection};
use refmap::{Process, Settings, Verdict, check};

use super::machine::{Machine, Via, itself};
use super::{assert_caught, assert_holds, report};

/// Two users in turn, told apart by an argument where the rules are those of one kind.
fn users() -> Machine<u8> {
    let next = |n: &u8| match n % 2 {
        0 => vec![(("ask", 0), (n + 1) % 4)],
        _ => vec![(("reply", 0), (n + 1) % 4)],
    };
    Machine::new(&[("ask", "user"), ("reply", "server")], [0], next, |n| *n)
}

fn with(environment: &[Process]) -> Via<u8, u8> {
    let mut refinement = itself(users());
    refinement.environment = environment.to_vec();
    refinement
}

#[test]
fn a_process_that_there_is_not() {
    assert_holds(&with(&[Process::new("user")]));
    let misspelt = check(&with(&[Process::new("usr")]), &Settings::default());
    assert_eq!(
        misspelt.expect_err("there is no such process"),
        CheckError::UnknownProcess {
            process: Process::new("usr"),
            nearest: Some("user".to_owned()),
            known: vec!["user".to_owned(), "server".to_owned()],
        }
    );
    // Of the same kind, and with a number that no action has.
    let numbered = with(&[Process::numbered("user", 0)]);
    assert_caught(
        &numbered,
        "model",
        0,
        "the environment has the process `user 0`, which takes no action of the specification",
    );
}

#[test]
fn nothing_is_declared_and_asked_for() {
    for row in ["environment", "agency"] {
        let settings = Settings {
            obligations: Selection::only([row]),
            ..Settings::default()
        };
        let undeclared = check(&with(&[]), &settings).expect("it can be asked for");
        assert_eq!(
            undeclared.verdict,
            Some(Verdict::Incomplete),
            "{undeclared}"
        );
        let declared = check(&with(&[Process::new("user")]), &settings);
        let declared = declared.expect("it can be asked for");
        assert_eq!(declared.verdict, Some(Verdict::Holds), "{declared}");
    }
    assert_eq!(report(&with(&[])).verdict, Some(Verdict::Holds));
}

/// A process that never rests where it could act is left free of nothing.
#[test]
fn nothing_is_tested() {
    let mut busy = with(&[Process::new("user")]);
    busy.at_rest = |n, _| n % 2 == 1;
    let report = report(&busy);
    let row = report.obligation("environment:ask").expect("it has a row");
    assert_eq!(
        (row.verdict, row.checked),
        (Verdict::Untested, 0),
        "{report}"
    );
    assert_ne!(report.verdict, Some(Verdict::Holds));
}
