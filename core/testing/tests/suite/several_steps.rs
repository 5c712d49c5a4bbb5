//! Concrete steps that simulate several abstract steps.

use refmap::AbstractSteps::{self, One, Several, Stutter};
use refmap::internal::{Detail, TextOptions};
use refmap::{Process, Refinement, Report, Settings, Verdict, check, compose};

use refmap_testing::{
    Action, Machine, Via, assert_explained, assert_verdict, itself, row_of, rules, waived,
};

const TICK: Action = ("tick", 0);

/// A counter to 8 that counts by two, as an implementation of one that counts by one. It shows the half of what it counts.
fn leaping() -> Via<u8, u8> {
    let by_two = |n: &u8| vec![(TICK, (n + 2) % 8)];
    let mut refinement = itself(Machine::new(&[("tick", "clock")], [0u8], by_two, |n| n / 2));
    refinement.specification.next = |n| vec![(TICK, (n + 1) % 8)];
    refinement.abstract_steps = Box::new(|_, _, _| Several(vec![TICK; 2]));
    refinement
}

/// The counter by one as an implementation of one that takes three steps for one, and counts to 24.
fn threefold() -> Via<u8, u8> {
    let lower = leaping();
    let mut refinement = itself(lower.specification);
    refinement.specification.next = |n| vec![(TICK, (n + 1) % 24)];
    refinement.specification.observe = |n| n / 6;
    refinement.map = Box::new(|n| 3 * n);
    refinement.abstract_steps = Box::new(|_, _, _| Several(vec![TICK; 3]));
    refinement
}

fn checked(refinement: &impl Refinement) -> Report {
    check(refinement, &Settings::default()).expect("the settings fit")
}

fn explanation(report: &Report) -> &str {
    let row = row_of(report, "simulation");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    &row.counterexamples[0].explanation
}

#[test]
fn one_step_simulates_several() {
    let report = checked(&leaping());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!((report.states, report.transitions), (4, 4));
}

#[test]
fn a_composition_takes_all_the_steps_between() {
    let composed = compose(threefold(), leaping());
    assert_eq!(
        composed.abstract_steps(&2, &TICK, &4),
        Several(vec![TICK; 6])
    );
    let report = checked(&composed);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // An upper half that leaves a step out is found out in the composition.
    let mut upper = threefold();
    upper.abstract_steps =
        Box::new(|from, _, _| Several(vec![TICK; if *from == 1 { 2 } else { 3 }]));
    let report = checked(&compose(upper, leaping()));
    assert_eq!(
        explanation(&report),
        "clock takes `tick` (a test), which is answered by 5 abstract steps, which do not end in the mapped state"
    );
}

#[test]
fn a_step_between_that_is_none_is_told_with_its_number() {
    let mut refinement = leaping();
    refinement.specification.next = |n| {
        if *n == 1 {
            Vec::new()
        } else {
            vec![(TICK, n + 1)]
        }
    };
    refinement.abstract_steps = Box::new(|_, _, _| Several(vec![TICK; 3]));
    let report = checked(&refinement);
    assert_eq!(
        explanation(&report),
        "clock takes `tick` (a test), which is answered by 3 abstract steps, of which number 2, `tick`, is none of the \
         specification"
    );
    let row = row_of(&report, "simulation");
    let [named, stutter] = &row.counterexamples[0].nearest[..] else {
        panic!("{report}");
    };
    assert!(named.answered && !named.enabled && stutter.action.is_none());
    assert_eq!(stutter.differs[0].to_string(), "1 → 2");
    let shown = &row.counterexamples[0].steps[1].abstract_before;
    let states: Vec<_> = shown.iter().map(|step| &step.state).collect();
    assert_eq!(states, [&serde_json::json!(1), &serde_json::Value::Null]);
}

#[test]
fn steps_that_end_elsewhere_are_a_violation() {
    let mut refinement = leaping();
    let stutter = "is answered by a stutter and changes the mapped state";
    let alone = "is not the specification's `tick` as answered";
    type Steps = fn(&u8, &Action, &u8) -> AbstractSteps<Action>;
    let cases: [(Steps, &str); 5] = [
        (|_, _, _| Stutter, stutter),
        (|_, _, _| Several(Vec::new()), stutter),
        (|_, _, _| One(TICK), alone),
        (|_, _, _| Several(vec![TICK]), alone),
        (
            |_, _, _| Several(vec![TICK; 3]),
            "is answered by 3 abstract steps, which do not end in the mapped state",
        ),
    ];
    for (steps, wrong) in cases {
        refinement.abstract_steps = Box::new(steps);
        let report = checked(&refinement);
        assert!(explanation(&report).ends_with(wrong), "{report}");
    }
}

/// Whether they are said to be several or not.
#[test]
fn one_step_and_none_are_what_they_are() {
    let mut refinement = itself(Machine::new(
        &[("tick", "clock")],
        [0u8],
        |n| vec![(TICK, (n + 1) % 4)],
        |n| *n,
    ));
    let plain = checked(&refinement);
    refinement.abstract_steps = Box::new(|_, action, _| Several(vec![*action]));
    assert_eq!(checked(&refinement).verdict, plain.verdict);
    refinement.map = Box::new(|_| 0);
    refinement.implementation.observe = |_| 0;
    refinement.specification.observe = |_| 0;
    refinement.waivers = vec![waived("tick")];
    for is_several in [false, true] {
        refinement.abstract_steps = Box::new(|_, _, _| Stutter);
        if is_several {
            refinement.abstract_steps = Box::new(|_, _, _| Several(Vec::new()));
        }
        assert_eq!(checked(&refinement).verdict, plain.verdict);
    }
}

#[test]
fn what_is_between_shows_nothing_of_its_own() {
    let mut refinement = leaping();
    refinement.implementation.observe = |n| *n;
    refinement.specification.observe = |n| *n;
    let report = checked(&refinement);
    assert_eq!(
        explanation(&report),
        "clock takes `tick` (a test), which is answered by several abstract steps, and the state after number 1, \
         `tick`, shows neither what the step showed before nor what it shows in the end"
    );
}

/// Neither what the step showed at first, once something else is shown.
#[test]
fn what_was_shown_before_is_not_shown_again() {
    let by_three = |n: &u8| vec![(TICK, (n + 3) % 6)];
    let mut refinement = itself(Machine::new(&[("tick", "clock")], [0u8], by_three, |n| {
        n % 2
    }));
    refinement.specification.next = |n| vec![(TICK, (n + 1) % 6)];
    refinement.abstract_steps = Box::new(|_, _, _| Several(vec![TICK; 3]));
    let report = checked(&refinement);
    let explanation = explanation(&report);
    assert!(explanation.contains("the state after number 2"), "{report}");
    // It goes on where each is shown once.
    refinement.implementation.observe = |n| n / 3;
    refinement.specification.observe = |n| n / 3;
    assert_eq!(checked(&refinement).verdict, Some(Verdict::Holds));
}

/// A user presses a button, and a lamp lights up: at once, and two steps of the specification.
fn lamp() -> Via<u8, u8> {
    const PRESS: Action = ("press", 0);
    const LIGHT: Action = ("light", 0);
    const DARKEN: Action = ("darken", 0);
    let next = |n: &u8| match n {
        0 => vec![(PRESS, 2)],
        _ => vec![(DARKEN, 0)],
    };
    let rules = [("press", "user"), ("light", "lamp"), ("darken", "lamp")];
    let mut refinement = itself(Machine::new(&rules, [0u8], next, |n| u8::from(*n == 2)));
    refinement.specification.next = |n| match n {
        0 => vec![(PRESS, 1)],
        1 => vec![(LIGHT, 2)],
        _ => vec![(DARKEN, 0)],
    };
    refinement.abstract_steps = Box::new(|_, action, _| match *action {
        PRESS => Several(vec![PRESS, LIGHT]),
        other => One(other),
    });
    refinement.environment = vec![Process::new("user")];
    refinement
}

#[test]
fn an_action_of_the_environment_may_stand_among_others() {
    let report = checked(&lamp());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_verdict(&report, "environment:press", Verdict::Holds);
}

/// Two presses at once leave the environment no choice.
#[test]
fn two_actions_of_the_environment_at_once_grant_neither() {
    let mut refinement = lamp();
    refinement.specification.next = |n| match n {
        0 => vec![(("press", 0), 1)],
        1 => vec![(("press", 1), 2)],
        _ => vec![(("darken", 0), 0)],
    };
    refinement.abstract_steps = Box::new(|_, action, _| match *action {
        ("press", _) => Several(vec![("press", 0), ("press", 1)]),
        other => One(other),
    });
    let report = checked(&refinement);
    assert_verdict(&report, "environment:press", Verdict::Violated);
}

#[test]
fn all_actions_are_those_of_the_process_that_takes_the_step() {
    let mut refinement = lamp();
    refinement.implementation.rules =
        rules(&[("press", "ghost"), ("light", "lamp"), ("darken", "lamp")]);
    let report = checked(&refinement);
    assert_explained(&report, "agency", "`press` of user");
}

#[test]
fn a_report_shows_all_of_them() {
    let mut refinement = lamp();
    refinement.invariants = vec![refmap::Invariant::new("dark", "a test", |n: &u8| *n == 0)];
    let report = checked(&refinement);
    let shown = report.counterexample.as_ref().unwrap();
    let options = TextOptions {
        detail: Detail::Changes,
        ..TextOptions::default()
    };
    let text = report.text(options).to_string();
    assert!(
        text.contains("answered by [press 0], then [light 0]"),
        "{text}"
    );
    assert!(shown.dot(&report).contains("⇒ [press 0], then [light 0]"));
    assert!(shown.mermaid(&report).contains("then ["));
    let step = serde_json::to_value(&shown.steps[1]).unwrap();
    assert_eq!(
        step["abstract_before"],
        serde_json::json!([{"action": ["press", 0], "state": 1}])
    );
    assert_eq!(step["abstract_action"], serde_json::json!(["light", 0]));
}
