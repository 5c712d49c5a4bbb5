//! Reports as data: obligations chosen, notes, waivers, composition, and traces for other tools.

mod machine;

use machine::{Action, Machine, Via, itself};
use refmap::obligation::{CheckError, Selection, Settings};
use refmap::report::itf;
use refmap::{Invariant, Refinement, Report, Verdict, Waiver, check, compose};

fn counter() -> Machine<u8> {
    let next = |n: &u8| vec![(("tick", 0), (n + 1) % 4)];
    Machine::new(&[("tick", "clock")], [0], next, |n| *n)
}

/// The counter, and a rule that the implementation leaves out.
fn counter_with_reset() -> Via<u8, u8> {
    let mut specification = counter();
    specification.rules = Machine::new(
        &[("tick", "clock"), ("reset", "user")],
        [0u8],
        |_| Vec::new(),
        |n| *n,
    )
    .rules;
    let mut refinement = itself(specification);
    refinement.specification.next = |n| vec![(("tick", 0), (n + 1) % 4), (("reset", 0), 0)];
    refinement
}

fn waived(rule: &'static str) -> Waiver {
    Waiver {
        rule,
        reason: "a test",
    }
}

#[test]
fn a_waiver_excuses_a_rule_that_is_never_simulated() {
    let mut refinement = counter_with_reset();
    let report = check(&refinement, &Settings::default()).unwrap();
    assert_eq!(report.violated().collect::<Vec<_>>(), ["coverage"]);
    refinement.waivers = vec![waived("reset")];
    let report = check(&refinement, &Settings::default()).unwrap();
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
}

#[test]
fn a_waiver_that_is_not_needed_fails() {
    let mut refinement = counter_with_reset();
    refinement.waivers = vec![waived("reset"), waived("tick")];
    let report = check(&refinement, &Settings::default()).unwrap();
    let explanation = report.counterexample.unwrap().explanation;
    assert_eq!(
        explanation,
        "the waiver for `tick` is not needed: it is simulated"
    );
    refinement.waivers = vec![waived("resett")];
    assert!(matches!(
        check(&refinement, &Settings::default()),
        Err(CheckError::UnknownWaiver { nearest: Some(nearest), .. }) if nearest == "reset"
    ));
}

#[test]
fn unknown_obligations_and_double_names_are_refused() {
    let choose = |name| Settings {
        obligations: Selection::only([name]),
        ..Settings::default()
    };
    let error = check(&itself(counter()), &choose("deadlok")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("there is no obligation \"deadlok\" (did you mean \"deadlock\"?)")
    );
    let mut refinement = itself(counter());
    let small = || Invariant::new("small", "a test", |n: &u8| *n < 9);
    refinement.invariants = vec![small(), small()];
    let error = check(&refinement, &Settings::default()).unwrap_err();
    assert_eq!(error.to_string(), "two invariants are named \"small\"");
}

/// The whole state space is described by the report of a check that chooses one obligation.
#[test]
fn a_chosen_obligation_is_reported_alone() {
    let settings = Settings {
        obligations: Selection::only(["deadlock"]),
        ..Settings::default()
    };
    let report = check(&itself(counter()), &settings).unwrap();
    assert_eq!(report.obligations.len(), 1);
    assert_eq!((report.states, report.transitions, report.depth), (4, 4, 3));
    assert_eq!(report.verdict, Some(Verdict::Holds));
}

/// A counter to 16 refines one to 8, which refines one to 4, each by forgetting a bit.
fn halved<const N: u8>() -> Via<u8, u8> {
    fn count<const N: u8>(n: &u8) -> Vec<(Action, u8)> {
        vec![(("tick", 0), (n + 1) % N)]
    }
    let system = |next| Machine::new(&[("tick", "clock")], [0u8], next, |n: &u8| n & 1);
    let mut refinement = itself(system(count::<N>));
    refinement.specification.next = match N {
        16 => count::<8>,
        _ => count::<4>,
    };
    refinement.map = |n| n % (N / 2);
    refinement.invariants = vec![Invariant::new("bounded", "a test", |n: &u8| *n < N)];
    refinement
}

/// [Appendix A.1, `transitive`]
#[test]
fn a_composition_is_checked_as_composed() {
    let composed = compose(halved::<8>(), halved::<16>());
    assert_eq!(composed.map(&13), 1);
    assert_eq!(composed.answer(&7, &("tick", 0), &8), Some(("tick", 0)));
    let report = check(&composed, &Settings::default()).unwrap();
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.states, 16);
    for name in ["invariant:bounded", "invariant:above.bounded"] {
        assert_eq!(report.obligation(name).unwrap().verdict, Verdict::Holds);
    }
}

#[test]
fn a_composition_with_a_wrong_half_fails() {
    let mut upper = halved::<8>();
    upper.map = |n| (n + 2) % 4;
    let report = check(&compose(upper, halved::<16>()), &Settings::default()).unwrap();
    assert_eq!(report.counterexample.unwrap().obligation, "initiality");
}

/// A report survives its JSON form.
#[test]
fn reports_can_be_read_back() {
    let mut refinement = itself(counter());
    refinement.answer = |n, action, _| (*n != 2).then_some(*action);
    let report = check(&refinement, &Settings::default()).unwrap();
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    assert_eq!(report.counterexample.unwrap().length, 3);
}

/// ITF as its Rust reader reads it: numbers as big integers, options as variants.
#[test]
fn traces_are_read_by_another_program() {
    #[derive(Debug, serde::Deserialize)]
    struct State {
        state: i64,
        abstract_state: i64,
    }
    let mut refinement = itself(counter());
    refinement.answer = |n, action, _| (*n != 2).then_some(*action);
    let report = check(&refinement, &Settings::default()).unwrap();
    let trace = itf::trace(&report, report.counterexample.as_ref().unwrap());
    assert_eq!(
        trace["vars"],
        serde_json::json!([
            "action",
            "process",
            "abstract_action",
            "abstract_state",
            "state"
        ])
    );
    let read: ::itf::Trace<State> = ::itf::trace_from_str(&trace.to_string()).unwrap();
    let states: Vec<_> = read
        .states
        .iter()
        .map(|s| (s.value.state, s.value.abstract_state))
        .collect();
    assert_eq!(states, [(0, 0), (1, 1), (2, 2), (3, 3)]);
    let actions: Vec<_> = (0..4)
        .map(|index| trace["states"][index]["action"].clone())
        .collect();
    assert_eq!(
        actions[0],
        serde_json::json!({"tag": "None", "value": {"#tup": []}})
    );
    assert_eq!(actions[3], serde_json::json!(["tick", {"#bigint": "0"}]));
}
