//! Two of what there is one of in most models: the second is looked at as the first is, and told beside it.

use std::sync::atomic::{AtomicU8, Ordering};

use refmap::AbstractSteps::{One, Several};
use refmap::{
    Constraint, Invariant, Process, Property, Refinement, Report, Settings, Verdict, Waiver,
    compose,
};
use refmap_testing::{Action, Machine, Via, assert_verdict, checked, counter, itself, row_of};

use crate::auxiliary::report_of;

const TICK: Action = ("tick", 0);

/// Rules that nothing simulates are missing each where it is offered first.
#[test]
fn two_rules_are_missing() {
    let mut refinement = itself(counter());
    let rules = [("tick", "clock"), ("reset", "clock"), ("stop", "clock")];
    refinement.specification = Machine::new(&rules, [0], counter().next, |n| *n);
    refinement.specification.next = |n| {
        let mut steps = vec![(TICK, (n + 1) % 4)];
        steps.extend((*n == 3).then_some((("reset", 0), 1)));
        steps.extend((*n == 1).then_some((("stop", 0), 3)));
        steps
    };
    let report = report_of(&refinement);
    let coverage = row_of(&report, "coverage");
    let shown = coverage.counterexamples.iter();
    let shown: Vec<_> = shown
        .map(|one| (one.length, one.explanation.split(' ').next()))
        .collect();
    assert_eq!(shown, [(1, Some("`stop`")), (3, Some("`reset`"))]);
    assert_eq!(coverage.checked, 3, "{report}");
    // Waived without a reason each of them is doubted.
    refinement.waivers = ["reset", "stop"]
        .map(|rule| Waiver { rule, reason: " " })
        .to_vec();
    let report = report_of(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    for rule in ["reset", "stop"] {
        let doubt = format!("the waiver for `{rule}` gives no reason");
        assert!(
            report.warnings.iter().any(|one| one.text == doubt),
            "{report}"
        );
    }
}

/// A step that is answered by one of its own process and one of another, in either order, is another one's.
#[test]
fn either_of_two_answers_is_of_another_process() {
    const OWN: Action = ("put", 0);
    const OTHER: Action = ("put", 1);
    let users = [0, 1].map(|number| Process::numbered("user", number));
    fn put(n: &u8) -> Vec<(Action, u8)> {
        vec![(OWN, (n + 1) % 8), (OTHER, (n + 1) % 8)]
    }
    type Answer = fn() -> Vec<Action>;
    let answers: [(Answer, bool); 4] = [
        (|| vec![OWN, OWN], false),
        (|| vec![OTHER, OWN], true),
        (|| vec![OWN, OTHER], true),
        (|| vec![OWN, OWN, OWN, OTHER], true),
    ];
    for (answer, is_wrong) in answers {
        let mut specification = Machine::new(&[("put", "user")], [0u8], put, |_| 0);
        specification.number_of = |action| Some(action.1.into());
        let mut refinement = itself(specification);
        refinement.environment = users.to_vec();
        refinement.implementation.next = match answer().len() {
            2 => |n| vec![(OWN, (n + 2) % 8)],
            _ => |n| vec![(OWN, (n + 4) % 8)],
        };
        refinement.abstract_steps = Box::new(match (answer().len(), answer()[0], answer()[1]) {
            (2, OWN, OWN) => |_, _, _| Several(vec![OWN, OWN]),
            (2, OWN, _) => |_, _, _| Several(vec![OWN, OTHER]),
            (2, ..) => |_, _, _| Several(vec![OTHER, OWN]),
            _ => |_, _, _| Several(vec![OWN, OWN, OWN, OTHER]),
        });
        let report = report_of(&refinement);
        assert_verdict(&report, "simulation", Verdict::Holds);
        let agency = row_of(&report, "agency");
        assert_eq!(agency.verdict == Verdict::Violated, is_wrong, "{report}");
        let told = "and is answered by `put` of user 1, for which user 0 does not act";
        for shown in &agency.counterexamples {
            assert!(shown.explanation.ends_with(told), "{report}");
        }
    }
}

/// A counter by three as an implementation of one by one, which is one of a counter by a third.
fn two_layers() -> (Via<u8, u8>, Via<u8, u8>) {
    let mut lower = itself(Machine::new(
        &[("tick", "clock")],
        [0u8],
        |n| vec![(TICK, (n + 3) % 9)],
        |n| n / 3,
    ));
    lower.specification.next = |n| vec![(TICK, (n + 1) % 9)];
    lower.abstract_steps = Box::new(|_, _, _| Several(vec![TICK; 3]));
    let mut upper = itself(lower.specification.clone());
    upper.specification.next = |n| vec![(TICK, (n + 1) % 18)];
    upper.specification.observe = |n| n / 6;
    upper.map = Box::new(|n| 2 * n);
    upper.abstract_steps = Box::new(|_, _, _| Several(vec![TICK; 2]));
    (upper, lower)
}

/// All steps between, all invariants and properties, under names of their own, and both constraints.
#[test]
fn a_composition_has_what_both_of_its_halves_have() {
    let (mut upper, mut lower) = two_layers();
    assert_eq!(
        compose(two_layers().0, two_layers().1).abstract_steps(&0, &TICK, &3),
        Several(vec![TICK; 6])
    );
    let report = report_of(&compose(two_layers().0, two_layers().1));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");

    let always = |name: &'static str| Invariant::new(name, "a test", |_: &u8| true);
    let eventually = |name: &'static str| Property::eventually(name, "a test", |_: &u8| true);
    lower.invariants = vec![always("one"), always("above.one"), always("other")];
    upper.invariants = vec![always("one"), always("more"), always("other")];
    lower.liveness = vec![eventually("one"), eventually("above.one")];
    upper.liveness = vec![eventually("one"), eventually("other")];
    lower.constraint = Some(Constraint::new("not six", |n: &u8| *n != 6));
    let composed = |upper: Via<u8, u8>, lower| {
        let composed = compose(upper, lower);
        let invariants = composed.invariants();
        let liveness = composed.liveness();
        let names: Vec<_> = invariants.iter().map(|one| one.name().to_owned()).collect();
        let properties: Vec<_> = liveness.iter().map(|one| one.name().to_owned()).collect();
        (names, properties, report_of(&composed))
    };
    let (names, properties, report) = composed(upper, lower);
    let expected = [
        "one",
        "above.one",
        "other",
        "above.above.one",
        "more",
        "above.other",
    ];
    assert_eq!(names, expected);
    assert_eq!(properties, ["one", "above.one", "above.above.one", "other"]);
    let constrained = report.constraint.expect("there is one");
    assert_eq!((report.states, constrained.states_outside), (2, 1));
    // Of two constraints each keeps a state out by itself.
    let within = |left_out: u8| Constraint::new("within", move |n: &u8| *n != left_out);
    for (own, above) in [(6, 6), (3, 6), (6, 3), (7, 3), (3, 7)] {
        let (mut upper, mut lower) = two_layers();
        lower.constraint = Some(within(own));
        upper.constraint = Some(within(above));
        let (.., report) = composed(upper, lower);
        let states = if own == 3 || above == 3 { 1 } else { 2 };
        assert_eq!(report.states, states, "{own} {above} {report}");
    }
}

/// Two functions of the model that answer otherwise each time, of which a second process, step or invariant is asked.
#[test]
fn the_second_that_is_asked_again_is_compared_too() {
    static ASKED: AtomicU8 = AtomicU8::new(0);
    fn other() -> bool {
        ASKED.fetch_add(1, Ordering::Relaxed).is_multiple_of(2)
    }
    const USERS: [Process; 2] = [Process::numbered("user", 0), Process::numbered("user", 1)];
    fn steps(n: &u8) -> Vec<(Action, u8)> {
        vec![(("use", 0), (n + 1) % 4), (("use", 1), *n)]
    }
    let mut system = Machine::new(&[("use", "user")], [0u8], steps, |n| *n);
    system.number_of = |action| Some(action.1.into());
    let mut sound = itself(system);
    sound.environment = USERS.to_vec();
    let faults = |refinement: &Via<u8, u8>| {
        // How often is asked between two answers is that of one worker.
        let settings = Settings {
            threads: 1,
            ..Settings::default()
        };
        let report = checked(refinement, &settings);
        let model = report.obligation("model");
        let shown = model.into_iter().flat_map(|row| &row.counterexamples);
        shown.map(|one| one.explanation.clone()).collect::<Vec<_>>()
    };
    assert_eq!(faults(&sound), [""; 0]);
    let told = |refinement: &Via<u8, u8>, function: &str| {
        let faults = faults(refinement);
        assert!(
            faults.iter().any(|one| one.contains(function)),
            "{faults:?}"
        );
    };
    let mut resting = itself(sound.implementation.clone());
    resting.environment = USERS.to_vec();
    resting.at_rest = Box::new(|_, process| process == USERS[0] || other());
    told(&resting, "`at_rest`");
    // One step or several that are one are the same step, and another answer.
    let mut answering = itself(sound.implementation.clone());
    answering.abstract_steps = Box::new(|_, action, _| match action.1 {
        1 if other() => Several(vec![*action]),
        _ => One(*action),
    });
    told(&answering, "`abstract_steps`");
    let mut doubtful = itself(sound.implementation);
    doubtful.invariants = vec![
        Invariant::new("first", "a test", |_: &u8| true),
        Invariant::new("second", "a test", |_: &u8| other()),
    ];
    told(&doubtful, "`second`");
}

/// Lists of a report have all that they have.
#[test]
fn a_report_names_both() {
    let report = checked(&itself(counter()), &Settings::default());
    let two = |name: &str| vec![format!("{name} one"), format!("{name} two")];
    let report = Report {
        taken_at_word: two("word"),
        not_asked: two("live"),
        unexercised: two("rule"),
        ..report
    };
    let text = report
        .to_string()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for name in ["word", "live", "rule"] {
        assert!(text.contains(&two(name).join(", ")), "{name}: {text}");
    }
}

/// Each of three abstract steps is shown.
#[test]
fn a_story_tells_all_steps_of_an_answer() {
    let mut refinement = itself(Machine::new(
        &[("tick", "clock")],
        [0u8],
        |n| vec![(TICK, (n + 3) % 9)],
        |n| n / 3,
    ));
    refinement.specification.next = |n| vec![(("tick", n + 1), n + 1)];
    refinement.abstract_steps =
        Box::new(|n, _, _| Several(vec![("tick", n + 1), ("tick", n + 2), ("tick", n + 3)]));
    refinement.invariants = vec![Invariant::new("few", "a test", |n: &u8| *n < 3)];
    let report = report_of(&refinement);
    let row = row_of(&report, "invariant:few");
    let drawn = row.counterexamples[0].mermaid(&report);
    let steps = drawn.lines().map(|line| line.matches(", then ").count());
    assert_eq!(steps.max(), Some(2), "{drawn}");
}
