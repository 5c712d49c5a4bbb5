//! Refusals: checks that are not run, each with its reason.

use refmap::obligation::{CheckError, Induction, ObligationKind, Selection, Symmetry};
use refmap::{Fairness, Invariant, Process, Refinement, Settings, Verdict, Waiver, check};
use refmap_testing::{
    Machine, Via, assert_verdict, counter, counter_with_reset, itself, only, row_of, up_to_seconds,
    waived, with_liveness,
};

use crate::liveness::{fair, served, server};

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
        limits: up_to_seconds(seconds),
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

/// The name most like it is told where there is one, and no name that stands for nothing here.
#[test]
fn an_obligation_that_there_is_not() {
    let only = |name| only([name]);
    let refused = refusal(&itself(counter()), &only("invariant"));
    assert!(
        refused.to_string().contains("has no invariants"),
        "{refused}"
    );
    let refused = refusal(&itself(counter()), &only("invariants"));
    let CheckError::UnknownObligation { known, .. } = refused else {
        panic!("there is no such obligation");
    };
    assert!(!known.contains(&"invariant".to_owned()), "{known:?}");
    let refused = refusal(&itself(counter()), &only("deadlok")).to_string();
    let expected = "there is no obligation \"deadlok\" (did you mean \"deadlock\"?)";
    assert!(refused.starts_with(expected), "{refused}");
}

/// Each of several names is looked up, those by which rows are chosen and those by which they are left out.
#[test]
fn each_of_several_obligations_is_looked_up() {
    let good = ["observation", "initiality", "deadlock"];
    for place in 0..=good.len() {
        for (name, is_of_kind) in [("observatoin", false), ("invariant", true)] {
            let mut names = good.to_vec();
            names.insert(place, name);
            let only = Settings {
                obligations: Selection::only(names.iter().copied()),
                ..Settings::default()
            };
            let without = Settings {
                without: names.iter().copied().map(str::to_owned).collect(),
                ..Settings::default()
            };
            for settings in [only, without] {
                let refused = check(&itself(counter()), &settings).expect_err("it is refused");
                let told = match &refused {
                    CheckError::UnknownObligation { name, .. } => Some((name.as_str(), false)),
                    CheckError::NoneOfKind { name, .. } => Some((name.as_str(), true)),
                    _ => None,
                };
                assert_eq!(told, Some((name, is_of_kind)), "{refused}");
            }
        }
    }
}

#[test]
fn two_invariants_of_one_name() {
    let mut refinement = itself(counter());
    let small = || Invariant::new("small", "a test", |n: &u8| *n < 9);
    refinement.invariants = vec![small(), small()];
    let name = "small".to_owned();
    assert_eq!(
        refusal(&refinement, &Settings::default()),
        CheckError::DuplicateInvariant { name }
    );
}

#[test]
fn a_waiver_for_a_rule_that_there_is_not() {
    let mut refinement = counter_with_reset();
    refinement.waivers = vec![waived("resett")];
    assert_eq!(
        refusal(&refinement, &Settings::default()),
        CheckError::UnknownWaiver {
            name: "resett".to_owned(),
            nearest: Some("reset".to_owned()),
        }
    );
}

#[test]
fn a_process_that_there_is_not() {
    for (name, nearest) in [("usr", Some("user")), ("zzzz", None)] {
        let mut refinement = itself(resettable(["reset", "clear"]));
        let process = Process::new(name);
        refinement.environment = vec![process];
        assert_eq!(
            refusal(&refinement, &Settings::default()),
            CheckError::UnknownProcess {
                process,
                nearest: nearest.map(str::to_owned),
                known: ["clock", "user", "admin"].map(str::to_owned).into(),
            }
        );
    }
}

/// The steps of a process declared twice would count for one of the two only.
#[test]
fn a_process_that_is_declared_twice() {
    let mut refinement = itself(counter());
    let process = Process::new("clock");
    refinement.environment = vec![process];
    let once = check(&refinement, &Settings::default()).expect("it is declared once");
    assert_eq!(once.verdict, Some(Verdict::Holds), "{once}");
    refinement.environment.push(process);
    assert_eq!(
        refusal(&refinement, &Settings::default()),
        CheckError::DuplicateProcess { process }
    );
}

/// A process that acts for another would lose its own steps, so the environment has none.
#[test]
fn a_deputy_in_the_environment() {
    let mut refinement = itself(resettable(["reset", "clear"]));
    let [user, admin] = ["user", "admin"].map(Process::new);
    refinement.environment = vec![user, admin];
    refinement.acts_for = |process| match process.name {
        "admin" => Process::new("user"),
        _ => process,
    };
    assert_eq!(
        refusal(&refinement, &Settings::default()),
        CheckError::EnvironmentActsForOther {
            process: admin,
            other: user,
        }
    );
}

#[test]
fn conditions_on_rules_that_there_are_not() {
    let refused = |conditions: &[Fairness]| {
        let mut refinement = server();
        fair(&mut refinement, conditions);
        check(&refinement, &Settings::default()).unwrap_err()
    };
    let unknown = refused(&[Fairness::weak("goes on", ["server"])]);
    assert_eq!(
        unknown.to_string(),
        "the fairness condition \"goes on\" names \"server\", which is no rule of its system (did you mean \"serve\"?)"
    );
    let none: [&str; 0] = [];
    assert!(matches!(
        refused(&[Fairness::weak("goes on", none)]),
        CheckError::FairnessOfNothing { .. }
    ));
    let twice = ["serve", "tick"].map(|rule| Fairness::weak("goes on", [rule]));
    assert!(matches!(
        refused(&twice),
        CheckError::DuplicateProperty { .. }
    ));
    let mut refinement = server();
    refinement.liveness.push(served());
    let twice = check(&refinement, &Settings::default()).unwrap_err();
    assert_eq!(twice.to_string(), "two are named \"leads-to:served\"");
}

#[test]
fn induction_where_type_correct_states_are_not_enumerated() {
    let settings = Settings {
        induction: Induction::Included,
        ..Settings::default()
    };
    let refused = refusal(&itself(counter()), &settings);
    assert_eq!(refused, CheckError::NotEnumerated);
}

#[test]
fn a_symmetry_that_is_not_declared() {
    let settings = Settings {
        symmetry: Symmetry::Full,
        ..Settings::default()
    };
    let refused = refusal(&itself(counter()), &settings);
    assert_eq!(refused, CheckError::NotSymmetric);
}

/// An obligation that cannot be decided is in the report with its reason, beside what can, and nothing holds as a whole; asked for by
/// name it is refused.
#[test]
fn an_obligation_that_cannot_be_decided_is_reported_and_refused_by_name() {
    let of_clock = || {
        let mut refinement = itself(counter());
        refinement.environment = vec![Process::new("clock")];
        refinement.invariants = vec![Invariant::new("small", "a test", |n: &u8| *n < 4)];
        refinement
    };
    let all = [
        "observation",
        "initiality",
        "simulation",
        "agency",
        "invariant:small",
        "environment:tick",
        "environment:at_rest",
        "deadlock",
        "coverage",
    ];
    let kind = |name: &str| ObligationKind::of(name).expect("it is one");
    for undecided in [
        ObligationKind::Agency,
        ObligationKind::Invariant,
        ObligationKind::Environment,
        ObligationKind::Deadlock,
        ObligationKind::Coverage,
    ] {
        let mut refinement = of_clock();
        refinement.implementation.undecided = vec![undecided];
        let report = check(&refinement, &Settings::default()).expect("the settings fit");
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        let names = report.obligations.iter().map(|row| row.name.as_str());
        assert!(names.eq(all), "{report}");
        for row in &report.obligations {
            let is_open = kind(&row.name) == undecided;
            let expected = if is_open {
                Verdict::Incomplete
            } else {
                Verdict::Holds
            };
            assert_eq!(row.verdict, expected, "{undecided}: {report}");
            let note = row.note.as_deref().unwrap_or_default();
            assert_eq!(
                note.contains("steps are joined"),
                is_open,
                "{undecided}: {note}"
            );
        }
        let named = only([undecided.name()]);
        let refused = check(&refinement, &named);
        assert!(
            matches!(refused, Err(CheckError::Unsupported { .. })),
            "{undecided}"
        );
        // Where it is not asked for nothing is open.
        let others = all.iter().filter(|name| kind(name) != undecided);
        let others = Settings {
            obligations: Selection::only(others.copied()),
            ..Settings::default()
        };
        let report = check(&refinement, &others).expect("the settings fit");
        assert_eq!(
            report.verdict,
            Some(Verdict::Holds),
            "{undecided}: {report}"
        );
    }
}

/// Of several that cannot be decided the headline names each.
#[test]
fn all_kinds_that_cannot_be_decided_are_named() {
    let mut refinement = itself(counter());
    refinement.environment = vec![Process::new("clock")];
    refinement.implementation.undecided = vec![
        ObligationKind::Environment,
        ObligationKind::Deadlock,
        ObligationKind::Coverage,
    ];
    let report = check(&refinement, &Settings::default()).expect("the settings fit");
    let text = report.to_string().replace("\n  ", " ");
    let named =
        "environment, deadlock, coverage not decided, since steps are joined; of the others";
    assert!(text.contains(named), "{text}");
}

fn assert_undecided(refinement: &impl Refinement, settings: &Settings<'_>) {
    let named = Settings {
        obligations: Selection::only(["leads-to"]),
        ..settings.clone()
    };
    let refused = check(refinement, &named).expect_err("it cannot be decided");
    assert!(
        matches!(refused, CheckError::Unsupported { .. }),
        "{refused}"
    );
    let report = check(refinement, settings).expect("the settings fit");
    let row = row_of(&report, "leads-to:served");
    assert_eq!(row.verdict, Verdict::Incomplete, "{report}");
    assert!(
        row.note
            .as_deref()
            .expect("it says why")
            .starts_with("not evaluated: "),
        "{report}"
    );
}

#[test]
fn liveness_where_the_graph_is_not_kept() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let on_disk = Settings {
        spill: crate::spilling::spilling(folder.path(), 0),
        ..with_liveness()
    };
    assert_undecided(&server(), &on_disk);
    let mut bounded = server();
    bounded.implementation.bound = Some("each loop once");
    let report = check(&bounded, &with_liveness()).unwrap();
    assert_verdict(&report, "leads-to:served", Verdict::Incomplete);
}
