//! What is refused before anything is searched, and what is decided of nothing.

use refmap::explore::{Limit, Limits};
use refmap::obligation::{CheckError, Selection};
use refmap::{Process, Settings, Verdict, Waiver, check};

use super::counter;
use refmap_testing::{Machine, Via, itself};

fn refusal(refinement: &Via<u8, u8>, settings: &Settings<'_>) -> CheckError {
    check(refinement, settings).expect_err("it is refused")
}

/// A counter that two processes may reset, by rules of these names.
fn resettable(names: [&'static str; 2]) -> Machine<u8> {
    let mut resettable = counter();
    resettable.next = |n| vec![(("tick", 0), (n + 1) % 4)];
    let [user, admin] = names;
    Machine::new(
        &[("tick", "clock"), (user, "user"), (admin, "admin")],
        [0],
        resettable.next,
        |n| *n,
    )
}

/// A waiver would excuse both, and a row would be about either.
#[test]
fn two_rules_of_one_name() {
    let settings = Settings::default();
    let waiver = || Waiver {
        rule: "reset",
        reason: "it is never done",
    };
    let with = |names, waived: bool, declared: bool| {
        let mut refinement = itself(resettable(names));
        refinement.waivers = Vec::from_iter(waived.then(waiver));
        refinement.environment = Vec::from_iter(declared.then_some(Process::new("user")));
        refinement
    };
    for (waived, declared) in [(true, false), (false, true)] {
        check(&with(["reset", "clear"], waived, declared), &settings).expect("they are two");
        let name = "reset".to_owned();
        assert_eq!(
            refusal(&with(["reset", "reset"], waived, declared), &settings),
            CheckError::DuplicateRule { name }
        );
    }
    // Two equal statements of a program are two rules of one name, and nothing has to tell them apart.
    check(&with(["reset", "reset"], false, false), &settings).expect("nothing names them");
}

#[test]
fn a_rule_that_is_waived_twice() {
    let mut refinement = itself(resettable(["reset", "clear"]));
    let waiver = |rule| Waiver {
        rule,
        reason: "it is never done",
    };
    let settings = Settings::default();
    refinement.waivers = vec![waiver("reset"), waiver("clear")];
    check(&refinement, &settings).expect("each is waived once");
    refinement.waivers.push(waiver("reset"));
    let name = "reset".to_owned();
    assert_eq!(
        refusal(&refinement, &settings),
        CheckError::DuplicateWaiver { name }
    );
}

#[test]
fn a_limit_that_is_no_time() {
    let limited = |seconds| Settings {
        limits: Limits {
            seconds: Some(seconds),
            ..Limits::default()
        },
        ..Settings::default()
    };
    for seconds in [f64::NAN, -1.0, f64::NEG_INFINITY] {
        let refused = refusal(&itself(counter()), &limited(seconds));
        let expected = seconds.to_string();
        assert_eq!(refused, CheckError::NoTime { seconds: expected });
    }
    for seconds in [1000.0, f64::INFINITY] {
        let checked = check(&itself(counter()), &limited(seconds)).expect("it is a time");
        assert_eq!(checked.verdict, Some(Verdict::Holds), "{checked}");
    }
}

/// Where not even one state may be kept it is not known whether there is one.
#[test]
fn a_limit_of_no_states() {
    let limited = |states| Settings {
        limits: Limits {
            states: Some(states),
            ..Limits::default()
        },
        ..Settings::default()
    };
    for states in [0, 1] {
        let report = check(&itself(counter()), &limited(states)).expect("the settings fit");
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        assert_eq!(report.limit, Some(Limit::States(states)), "{report}");
    }
    let mut empty = itself(counter());
    empty.implementation.initial.clear();
    let report = check(&empty, &limited(0)).expect("the settings fit");
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
}

#[test]
fn invariants_where_there_are_none() {
    let only = |name| Settings {
        obligations: Selection::only([name]),
        ..Settings::default()
    };
    let refused = refusal(&itself(counter()), &only("invariant"));
    assert!(
        refused.to_string().contains("has no invariants"),
        "{refused}"
    );
    let CheckError::UnknownObligation { nearest, known, .. } =
        refusal(&itself(counter()), &only("invariants"))
    else {
        panic!("there is no such obligation");
    };
    assert!(
        !known.contains(&"invariant".to_owned()),
        "{nearest:?} of {known:?}"
    );
    let refused = refusal(&itself(counter()), &only("coverages"));
    assert!(
        refused.to_string().contains("did you mean \"coverage\"?"),
        "{refused}"
    );
}
