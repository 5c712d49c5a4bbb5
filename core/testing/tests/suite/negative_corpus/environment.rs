//! Environments of which nothing is said.

use refmap::report::About;
use refmap::{Process, Report, Verdict};

use super::{assert_caught, assert_holds, report};
use refmap_testing::{Machine, Via, checked, itself, only, row_of};

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
        let settings = only([row]);
        let undeclared = checked(&with(&[]), &settings);
        assert_eq!(
            undeclared.verdict,
            Some(Verdict::Incomplete),
            "{undeclared}"
        );
        let declared = checked(&with(&[Process::new("user")]), &settings);
        assert_eq!(declared.verdict, Some(Verdict::Holds), "{declared}");
    }
    assert_eq!(report(&with(&[])).verdict, Some(Verdict::Holds));
}

/// A process that never rests where it could act is left free of nothing.
#[test]
fn nothing_is_tested() {
    let mut busy = with(&[Process::new("user")]);
    busy.at_rest = Box::new(|n, _| n % 2 == 1);
    let report = report(&busy);
    let row = row_of(&report, "environment:ask");
    assert_eq!(
        (row.verdict, row.checked),
        (Verdict::Untested, 0),
        "{report}"
    );
    assert_ne!(report.verdict, Some(Verdict::Holds));
}

/// Two users with numbers, each of which the specification lets ask.
fn numbered_users() -> Machine<u8> {
    let next = |n: &u8| match n {
        0 => vec![(("ask", 0), 1), (("ask", 1), 2)],
        _ => vec![(("reply", 0), 0)],
    };
    let mut users = Machine::new(&[("ask", "user"), ("reply", "server")], [0], next, |n| *n);
    users.number_of = |action| (action.0 == "ask").then_some(action.1.into());
    users
}

fn of_environment(report: &Report) -> Vec<&str> {
    let warnings = report.warnings.iter();
    let warnings = warnings.filter(|warning| warning.about == About::Environment);
    warnings.map(|warning| warning.text.as_str()).collect()
}

/// A user that never rests where it could act is left free of nothing, whatever the other one is.
#[test]
fn nothing_is_tested_of_one_of_two() {
    let with = |at_rest: fn(&u8, Process) -> bool| {
        let mut both = itself(numbered_users());
        both.environment = vec![Process::numbered("user", 0), Process::numbered("user", 1)];
        both.at_rest = Box::new(at_rest);
        report(&both)
    };
    let note = |report: &Report| {
        let row = report.obligation("environment:ask");
        row.expect("it has a row").note.clone()
    };
    let free = with(|_, _| true);
    assert_eq!(
        (of_environment(&free), note(&free)),
        (vec![], None),
        "{free}"
    );
    let busy = with(|n, process| process.number == Some(0) || *n == 2);
    let note = note(&busy).expect("it is noted");
    assert!(note.contains("not tested of user 1"), "{busy}");
    let [warning] = of_environment(&busy)[..] else {
        panic!("it is told: {busy}");
    };
    assert!(warning.contains("was never tested of user 1"), "{busy}");
}

/// A user that acts in one state only, far beyond the first that are asked of again, and is not declared.
#[test]
fn a_process_that_seldom_acts_is_left_out() {
    type Far = u16;
    let next = |n: &Far| vec![(("ask", 0), (n + 1) % 20_000)];
    let with = |specification: fn(&Far) -> Vec<(super::Action, Far)>| {
        let mut users = Machine::new(&[("ask", "user")], [0], next, |n: &Far| (n % 251) as u8);
        users.number_of = |action| Some(action.1.into());
        let mut refinement = itself(users);
        refinement.specification.next = specification;
        refinement.environment = vec![Process::numbered("user", 0)];
        report(&refinement)
    };
    let alone = with(next);
    assert_eq!(of_environment(&alone), Vec::<&str>::new(), "{alone}");
    let two = with(|n| {
        let mut steps = vec![(("ask", 0), (n + 1) % 20_000)];
        steps.extend((*n == 15_001).then_some((("ask", 1), 7)));
        steps
    });
    let [warning] = of_environment(&two)[..] else {
        panic!("it is told: {two}");
    };
    assert!(warning.contains("leaves user 1 out"), "{two}");
}
