//! Each side condition, where it holds and where it fails for the reason that is stated; and where it is not decided.

use std::collections::BTreeMap;

use refmap::auxiliary::{
    Fate, Pausing, Stutter, Stuttering, Stutters, When, WithStuttering, enabled,
};
use refmap::obligation::{CheckError, Selection};
use refmap::{AbstractSteps, Action, Constraint, Report, Settings, Verdict, check, steps};
use refmap_testing::explicit::{Edge, Explicit};
use refmap_testing::{
    Mapped, assert_explained, assert_verdict, checked, mapped, row_of, to_the_end, up_to_depth,
    walking,
};

use super::{Predicts, plainly, predicting, report_of};

/// A sequence of steps to 3, and then for ever there.
fn line() -> Explicit {
    let steps = [(0, "go", 1), (1, "go", 2), (2, "go", 3), (3, "rest", 3)];
    Explicit::new(&[("go", "it"), ("rest", "it")], &steps)
}

fn prophetic(prophecy: Predicts) -> Report {
    report_of(&plainly(predicting(line(), prophecy), line()))
}

/// Foretold is the number of the last state, 3, of a few.
fn of_the_end() -> Predicts {
    Predicts::new(
        |state| if state < 3 { vec![7] } else { Vec::new() },
        |_, _| vec![3, 4],
        |(key, prediction), _, step| match step.to {
            3 => Fate::Fulfil {
                comes_true: prediction == 3,
            },
            _ => Fate::Keep(key),
        },
    )
}

#[test]
fn every_prediction_is_offered_at_first() {
    let report = prophetic(of_the_end());
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(row_of(&report, "auxiliary:initial").checked, 2);

    let sure_of_4 = Predicts {
        offered: |_, predictions| predictions[&7] == 4,
        ..of_the_end()
    };
    let report = prophetic(sure_of_4.clone());
    let row = row_of(&report, "auxiliary:initial");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    assert_eq!(row.counterexamples[0].length, 0);
    assert!(
        row.counterexamples[0].explanation.contains("{7=3}"),
        "{report}"
    );
    assert_verdict(&report, "auxiliary:backward-total", Verdict::Holds);
    // All behaviours but stutters at the beginning are lost, and nothing else fails.
    let without = ["auxiliary:*".to_owned(), "coverage".to_owned()];
    let settings = Settings {
        without: without.into(),
        ..to_the_end()
    };
    let lost = plainly(predicting(line(), sure_of_4), line());
    assert_eq!(checked(&lost, &settings).verdict, Some(Verdict::Holds));
}

#[test]
fn each_state_has_a_prediction() {
    let none_at_2 = Predicts {
        possible: |state, _| if state == 2 { Vec::new() } else { vec![3, 4] },
        ..of_the_end()
    };
    let report = prophetic(none_at_2);
    let row = row_of(&report, "auxiliary:non-empty");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    assert_eq!(row.counterexamples[0].length, 2);
    assert!(
        row.counterexamples[0].explanation.contains("key 7"),
        "{report}"
    );
    // Nothing is possible after the step to 2: of that it is said that all is well. At 2 nothing is from which 3 is reached.
    let total = row_of(&report, "auxiliary:backward-total");
    assert_eq!(total.counterexamples[0].length, 3, "{report}");
    assert_verdict(
        &prophetic(of_the_end()),
        "auxiliary:non-empty",
        Verdict::Holds,
    );
}

/// Sequence of things that are sent: what is under a key moves to the one before it when the first is received.
#[test]
fn predictions_move_from_key_to_key() {
    // States: the number of things that wait, 0 to 2. Foretold of each place is whether it is received or undone.
    let queue = Explicit::new(
        &[("send", "it"), ("receive", "it"), ("undo", "it")],
        &[
            (0, "send", 1),
            (1, "send", 2),
            (1, "receive", 0),
            (2, "receive", 1),
            (1, "undo", 0),
            (2, "undo", 1),
        ],
    );
    let fate = |(key, prediction): (u8, u8), from: u8, step: Edge| match (step.rule, key) {
        (0, _) => Fate::Keep(key),
        (1, 0) => Fate::Fulfil {
            comes_true: prediction == 1,
        },
        (1, _) => Fate::Keep(key - 1),
        // The last is undone.
        (_, last) if last + 1 == from => Fate::Fulfil {
            comes_true: prediction == 2,
        },
        _ => Fate::Keep(key),
    };
    let moving = Predicts::new(|waiting| (0..waiting).collect(), |_, _| vec![1, 2], fate);
    let report = report_of(&plainly(
        predicting(queue.clone(), moving.clone()),
        queue.clone(),
    ));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");

    // One that does not move: after the first is received both stand under one key, and only if they are the same.
    let staying = Predicts {
        fate: |(key, prediction), from, step| match (step.rule, key) {
            (1, 0) if from == 2 => Fate::Keep(0),
            (1, 0) => Fate::Fulfil {
                comes_true: prediction == 1,
            },
            (1, _) => Fate::Keep(0),
            (0, _) => Fate::Keep(key),
            (_, last) if last + 1 == from => Fate::Fulfil {
                comes_true: prediction == 2,
            },
            _ => Fate::Keep(key),
        },
        ..moving.clone()
    };
    // That is a relation, and it loses nothing: two that are the same lead to either.
    let report = report_of(&plainly(predicting(queue.clone(), staying), queue.clone()));
    assert_verdict(&report, "auxiliary:backward-total", Verdict::Holds);

    // One that has to be received, wherever it stands, cannot be followed by one that is undone.
    let first_only = Predicts {
        possible: |waiting, key| match (waiting, key) {
            (2, 0) => vec![1],
            _ => vec![1, 2],
        },
        ..moving
    };
    let report = report_of(&plainly(predicting(queue.clone(), first_only), queue));
    let row = row_of(&report, "auxiliary:backward-total");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    // Undoing the last of two leads to one of which undoing is foretold, too.
    assert_eq!(row.counterexamples[0].length, 3, "{report}");
    assert!(
        row.counterexamples[0]
            .explanation
            .contains("under the key 0"),
        "{report}"
    );
}

/// Stutters before and after `go`.
#[derive(Clone)]
struct Pauses {
    before: fn(&Explicit, u8) -> Vec<(Edge, i8)>,
    after: fn(Edge) -> Option<i8>,
    least: i8,
    decrease: fn(i8) -> i8,
}

impl Stutters<Explicit> for Pauses {
    type Value = i8;

    fn rules(&self) -> Vec<&'static str> {
        vec!["go"]
    }
    fn before(&self, system: &Explicit, state: &u8) -> Vec<(Edge, i8)> {
        (self.before)(system, *state)
    }
    fn after(&self, _: &Explicit, _: &u8, action: &Edge, _: &u8) -> Option<i8> {
        (self.after)(*action)
    }
    fn least(&self) -> i8 {
        self.least
    }
    fn decrease(&self, value: &i8) -> i8 {
        (self.decrease)(*value)
    }
}

/// Three stutters before each `go` that is enabled, and two after it.
fn pausing() -> Pauses {
    Pauses {
        before: |system, state| enabled(system, &state, |by| (by.rule == 0).then_some(3)),
        after: |by| (by.rule == 0).then_some(2),
        least: 1,
        decrease: |value| value - 1,
    }
}

type Paused = Pausing<u8, Edge, i8>;

fn stuttering(pauses: Pauses) -> Mapped<WithStuttering<Explicit, Pauses>, Explicit> {
    mapped(
        WithStuttering::new(line(), pauses),
        line(),
        |s: &Paused| s.state,
        |_: &Paused, action: &Stuttering<Edge, i8>, _: &Paused| match action {
            Stuttering::Step(action) => AbstractSteps::One(*action),
            Stuttering::Stutter(_) => AbstractSteps::Stutter,
        },
    )
}

#[test]
fn stutters_are_as_many_as_values() {
    let view = WithStuttering::new(line(), pausing());
    let mut state = Paused {
        state: 0,
        stutter: None,
    };
    let mut path = Vec::new();
    for _ in 0..6 {
        let [(action, to)] = &steps(&view, &state)[..] else {
            panic!("one step is enabled, at {state:?}");
        };
        path.push(match action {
            Stuttering::Step(action) => (None, action.to),
            Stuttering::Stutter(Stutter { when, value, .. }) => (Some((*when, *value)), to.state),
        });
        state = to.clone();
    }
    let (before, after) = (When::Before, When::After);
    let expected = [
        (Some((before, 3)), 0),
        (Some((before, 2)), 0),
        (Some((before, 1)), 0),
        (None, 1),
        (Some((after, 2)), 1),
        (Some((after, 1)), 1),
    ];
    assert_eq!(path, expected);
    assert_eq!(state.stutter, None);
    let stutter = Stuttering::Stutter(Stutter {
        when: before,
        action: line().edge("go", 1),
        value: 1,
    });
    assert_eq!(
        Stuttering::rules(&view)[stutter.rule(&view).0].name,
        "stutter at go"
    );
    assert_eq!(stutter.process(&view).name, "it");

    let report = report_of(&stuttering(pausing()));
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // Three steps of 3 + 1 + 2, and `rest`.
    assert_eq!((report.states, report.transitions), (3 * 6 + 1, 3 * 6 + 1));
    // Three values before each `go`, and two after it.
    assert_eq!(row_of(&report, "auxiliary:terminates").checked, 3 * (3 + 2));
    assert_eq!(row_of(&report, "auxiliary:enabled").checked, 3);
    assert!(report.obligation("auxiliary:initial").is_none());
}

#[test]
fn a_stutter_comes_to_an_end() {
    let for_ever = Pauses {
        decrease: |value| if value == 2 { 2 } else { value - 1 },
        ..pausing()
    };
    let report = report_of(&stuttering(for_ever));
    assert_explained(&report, "auxiliary:terminates", "from 2 to 2");
    // A search of the view sees nothing wrong in that: it stutters for ever, and has lost all that comes after it.
    assert_verdict(&report, "deadlock", Verdict::Holds);
    assert_verdict(&report, "simulation", Verdict::Holds);

    let past_the_least = Pauses {
        decrease: |value| value - 2,
        least: 2,
        ..pausing()
    };
    let report = report_of(&stuttering(past_the_least));
    assert_explained(&report, "auxiliary:terminates", "smaller than the least");
}

#[test]
fn a_stutter_begins_before_what_is_enabled() {
    let before_rest = Pauses {
        before: |system, state| match state {
            1 => vec![(system.edge("go", 3), 1)],
            _ => Vec::new(),
        },
        ..pausing()
    };
    let report = report_of(&stuttering(before_rest));
    let row = row_of(&report, "auxiliary:enabled");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    assert_eq!(row.counterexamples[0].length, 1);
    assert_verdict(&report, "auxiliary:terminates", Verdict::Holds);
    // It gets stuck there, where the system goes on.
    assert_verdict(&report, "deadlock", Verdict::Holds);
}

#[test]
fn what_never_stutters_is_untested() {
    let never = Pauses {
        before: |_, _| Vec::new(),
        after: |_| None,
        ..pausing()
    };
    let report = report_of(&stuttering(never));
    assert_verdict(&report, "auxiliary:terminates", Verdict::Untested);
    assert_verdict(&report, "auxiliary:enabled", Verdict::Untested);
}

/// A rule at which it stutters, and that is not among those of the variable, is a fault of the model.
#[test]
fn stutters_belong_to_a_rule() {
    let at_rest_too = Pauses {
        after: |_| Some(1),
        ..pausing()
    };
    let report = report_of(&stuttering(at_rest_too));
    assert_verdict(&report, "model", Verdict::Violated);
    assert!(
        report.to_string().contains("stutters at `rest`"),
        "{report}"
    );
}

/// A limit that ends the search of the system without the variable leaves its conditions open; so do random walks.
#[test]
fn a_limit_leaves_side_conditions_open() {
    let refinement = plainly(predicting(line(), of_the_end()), line());
    let settings = Settings {
        limits: up_to_depth(1),
        ..to_the_end()
    };
    let report = checked(&refinement, &settings);
    let total = row_of(&report, "auxiliary:backward-total");
    assert_eq!(total.verdict, Verdict::Incomplete, "{report}");
    assert!(
        total
            .note
            .as_ref()
            .unwrap()
            .contains("the limit of depth 1"),
        "{report}"
    );
    // What is violated within the limit is violated.
    let sure_of_4 = Predicts {
        offered: |_, predictions: &BTreeMap<u8, u8>| predictions[&7] == 4,
        ..of_the_end()
    };
    let report = checked(&plainly(predicting(line(), sure_of_4), line()), &settings);
    assert_verdict(&report, "auxiliary:initial", Verdict::Violated);

    let walks = Settings {
        search: walking(3, 10, 1),
        ..to_the_end()
    };
    let report = checked(&refinement, &walks);
    assert_verdict(&report, "auxiliary:backward-total", Verdict::Incomplete);
}

/// A constraint bounds the search of the system without the variable as well: by the states that some prediction makes of its own.
#[test]
fn a_constraint_bounds_the_system_without_the_variable() {
    // From 2 on nothing is possible, which is beyond the constraint.
    let none_at_3 = Predicts {
        open: |_| vec![7],
        possible: |state, _| if state == 3 { Vec::new() } else { vec![3, 4] },
        fate: |(key, _), _, _| Fate::Keep(key),
        ..of_the_end()
    };
    for (bound, expected) in [(1, Verdict::Holds), (2, Verdict::Violated)] {
        let mut refinement = plainly(predicting(line(), none_at_3.clone()), line());
        // Only one of the predictions satisfies it.
        refinement.constraint = Some(Constraint::new(
            "up to a bound",
            move |s: &super::Prophesying8| s.state <= bound && s.prophecy.get(&7) == Some(&4),
        ));
        let report = report_of(&refinement);
        let row = row_of(&report, "auxiliary:non-empty");
        assert_eq!(row.verdict, expected, "{bound}: {report}");
        if expected == Verdict::Violated {
            assert_eq!(row.counterexamples[0].length, 3);
            assert_eq!(row.counterexamples[0].steps[3].state, serde_json::json!(3));
        }
    }
}

/// They are chosen and left out by their names, and a system that is no view has none.
#[test]
fn side_conditions_have_names() {
    let refinement = plainly(predicting(line(), of_the_end()), line());
    let settings = Settings {
        obligations: Selection::Only(vec!["auxiliary:non-empty".to_owned()]),
        ..to_the_end()
    };
    let report = checked(&refinement, &settings);
    let names = report.obligations.iter().map(|row| row.name.as_str());
    assert!(
        names.eq(["auxiliary:non-empty", "model"]) || report.obligations.len() == 1,
        "{report}"
    );
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let plain = mapped(
        line(),
        line(),
        |state: &u8| *state,
        |_: &u8, action: &Edge, _: &u8| AbstractSteps::One(*action),
    );
    assert!(matches!(
        check(&plain, &settings),
        Err(CheckError::NoneOfKind { .. } | CheckError::UnknownObligation { .. })
    ));
    let report = report_of(&plain);
    let mut names = report.obligations.iter().map(|row| row.name.as_str());
    assert!(names.all(|name| !name.starts_with("auxiliary")));
}

/// A function of the variable that panics on a state which the view does not reach is a fault of the model.
#[test]
fn a_panic_of_a_variable_is_a_fault_of_the_model() {
    let panicking = Predicts {
        possible: |state, _| match state {
            0 => vec![4],
            _ => panic!("no prediction is thought of in {state}"),
        },
        fate: |_, _, _| Fate::Fulfil { comes_true: false },
        ..of_the_end()
    };
    let report = prophetic(panicking);
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    assert!(
        report.to_string().contains("no prediction is thought of"),
        "{report}"
    );
}

/// The variable stands beside the state, by its name, in all that is told.
#[test]
fn reports_show_the_variable() {
    let mut wrong = plainly(predicting(line(), of_the_end()), line());
    wrong.specification.steps[2].clear();
    let report = report_of(&wrong);
    let simulation = row_of(&report, "simulation");
    let last = simulation.counterexamples[0].steps.last().unwrap();
    assert_eq!(last.state, serde_json::json!({"state": 3, "prophecy": {}}));
    let first = &simulation.counterexamples[0].steps[0].state;
    assert_eq!(
        *first,
        serde_json::json!({"state": 0, "prophecy": {"7": 3}})
    );
    assert!(report.to_string().contains("prophecy"), "{report}");
    let mut pausing = stuttering(pausing());
    pausing.specification.steps[0].clear();
    let report = report_of(&pausing);
    let simulation = row_of(&report, "simulation");
    let state = &simulation.counterexamples[0].steps[3].state;
    assert_eq!(state["stuttering"]["when"], "Before", "{report}");
    assert_eq!(state["stuttering"]["value"], 1);
}

/// A violation of another obligation ends the search of the base, too, where that has come as far: it may have no end of its own.
#[test]
fn a_violation_ends_the_search_of_the_base() {
    let steps: Vec<_> = (0..200).map(|state| (state, "go", state + 1)).collect();
    let long = Explicit::new(&[("go", "it")], &steps);
    let mut short = long.clone();
    short.steps[3].clear();
    // At each state the next one is foretold.
    let next = Predicts::new(
        |_| vec![0],
        |_, _| vec![0, 1],
        |(_, prediction), _, _| Fate::Fulfil {
            comes_true: prediction == 1,
        },
    );
    let refinement = plainly(predicting(long, next), short);
    let report = checked(&refinement, &Settings::default());
    assert_verdict(&report, "simulation", Verdict::Violated);
    let row = row_of(&report, "auxiliary:backward-total");
    assert_eq!(row.verdict, Verdict::Incomplete);
    assert_eq!(
        row.note.as_deref(),
        Some("not evaluated: another violation ended the search")
    );
    assert!((4..12).contains(&row.checked), "{}", row.checked);
    // A search that goes on to the end is one of the base, too.
    let report = checked(&refinement, &to_the_end());
    assert_verdict(&report, "simulation", Verdict::Violated);
    let row = row_of(&report, "auxiliary:backward-total");
    assert_eq!((row.verdict, row.checked), (Verdict::Holds, 400));
}
