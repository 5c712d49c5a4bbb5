//! Constraints and bounds: what they leave out is told, and decides nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use refmap::obligation::{Selection, Settings, Until};
use refmap::report::About;
use refmap::{
    Constraint, Evidence, Fairness, Invariant, Process, Property, Report, Verdict, compose,
};
use refmap_testing::{Machine, Via, checked, itself, only, row_of, walking, with_liveness};

use super::{assert_caught, assert_holds, counter, report};

/// A counter that goes on to 200, of which the specification lets it be reset as well.
fn long() -> Machine<u8> {
    let next = |n: &u8| match n {
        200 => vec![(("reset", 0), 0)],
        n => vec![(("tick", 0), n + 1), (("reset", 0), 0)],
    };
    Machine::new(&[("tick", "clock"), ("reset", "user")], [0], next, |n| *n)
}

fn up_to(most: u8) -> Constraint<Machine<u8>> {
    Constraint::new(format!("counters up to {most}"), move |n| *n <= most)
}

fn constrained(most: u8) -> Via<u8, u8> {
    let mut refinement = itself(long());
    refinement.constraint = Some(up_to(most));
    refinement
}

#[test]
fn the_states_that_are_not_expanded_are_part_of_the_headline() {
    let whole = assert_holds(&constrained(200));
    assert!(
        whole
            .to_string()
            .contains("holds, counters up to 200: no state was left out, exhaustive"),
        "{whole}"
    );
    let part = report(&constrained(2));
    assert_eq!(
        (part.verdict, part.evidence),
        (Some(Verdict::Holds), Evidence::Bounded),
        "{part}"
    );
    assert_eq!(
        (part.states, part.transitions, part.depth),
        (3, 5, 2),
        "{part}"
    );
    let told = part.constraint.as_ref().expect("there is a constraint");
    assert_eq!((told.states_outside, told.steps_outside), (1, 1));
    let headline = "holds, counters up to 2: 1 state was not expanded, bounded: every reachable state within that";
    assert!(part.to_string().contains(headline), "{part}");
}

/// A state outside is looked at, and so is the step to it, as TLC does it.
#[test]
fn what_is_wrong_just_outside_is_found() {
    let with = |most: u8| {
        let mut refinement = constrained(2);
        let below = move |n: &u8| *n <= most;
        refinement.invariants = vec![Invariant::new("small", "a test", below)];
        refinement
    };
    assert_caught(&with(2), "invariant:small", 3, "small");
    assert_eq!(report(&with(3)).verdict, Some(Verdict::Holds));
    let mut wrong = constrained(2);
    wrong.abstract_steps = Box::new(|_, action, to| (*to != 3).then_some(*action).into());
    assert_caught(&wrong, "simulation", 3, "");
}

#[test]
fn no_initial_state_is_within() {
    let mut refinement = itself(long());
    refinement.constraint = Some(Constraint::new("nothing", |_| false));
    refinement.invariants = vec![Invariant::new("true", "a test", |_| true)];
    let settings = only(["invariant:true"]);
    for settings in [Settings::default(), settings] {
        let report = checked(&refinement, &settings);
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        assert_eq!(report.states, 0);
        let mut warnings = report.warnings.iter();
        assert!(
            warnings.any(|one| one.about == About::Constraint),
            "{report}"
        );
    }
}

/// The steps that simulate a rule may lie beyond.
#[test]
fn a_rule_that_is_simulated_only_beyond_is_not_missing() {
    let rarely = |most| {
        let mut refinement = constrained(most);
        refinement.implementation.next = |n| match n {
            10 => vec![(("reset", 0), 0)],
            n => vec![(("tick", 0), n + 1)],
        };
        report(&refinement)
    };
    let coverage = |report: &Report| {
        let row = row_of(report, "coverage").clone();
        (row.verdict, row.note.unwrap_or_default())
    };
    assert_eq!(coverage(&rarely(10)).0, Verdict::Holds);
    let (verdict, note) = coverage(&rarely(9));
    assert_eq!(verdict, Verdict::Incomplete);
    let reason = "1 state outside of the constraint `counters up to 9` was not expanded, and beyond that there may be \
                  steps of `reset`";
    assert!(note.contains(reason), "{note}");
    assert_eq!(rarely(9).verdict, Some(Verdict::Incomplete));
    // What contradicts a waiver within is a contradiction all the same.
    let mut waived = constrained(9);
    waived.waivers = vec![refmap_testing::waived("reset")];
    assert_caught(&waived, "coverage", 0, "not needed: it is simulated");
}

#[test]
fn a_constraint_that_panics_or_is_no_function() {
    let with = |contains: fn(&u8) -> bool| {
        let mut refinement = itself(counter());
        refinement.constraint = Some(Constraint::new("a test", contains));
        refinement
    };
    assert_holds(&with(|n| *n < 4));
    let panicking = with(|n| {
        if *n == 2 {
            panic!("out of order")
        } else {
            true
        }
    });
    assert_caught(&panicking, "model", 2, "the constraint panicked");
    let by_turns = with(|_| {
        static ASKED: AtomicU64 = AtomicU64::new(0);
        ASKED.fetch_add(1, Ordering::Relaxed) % 3 != 1
    });
    assert_caught(&by_turns, "model", 0, "the constraint is not a function");
}

/// Walks end outside, and so do those that are shortened: what is found by going through is no behaviour of the instance.
#[test]
fn walks_do_not_go_on_from_outside() {
    let with = |constraint: Option<Constraint<Machine<u8>>>| {
        let mut refinement = itself(long());
        // An even counter takes two at a time, so that a walk may leave by 5 or pass by it.
        refinement.implementation.next = |n| match n {
            0..100 => vec![(("tick", 0), n + 1), (("tick", 1), n + 2)],
            _ => vec![(("reset", 0), 0)],
        };
        refinement.specification.next = refinement.implementation.next;
        refinement.constraint = constraint;
        refinement.invariants = vec![Invariant::new("small", "a test", |n| *n < 7)];
        let settings = Settings {
            search: walking(200, 30, 1),
            until: Until::End,
            ..Settings::default()
        };
        checked(&refinement, &settings)
    };
    assert_eq!(with(None).verdict, Some(Verdict::Violated));
    let passing = with(Some(Constraint::new("not 5", |n| *n != 5)));
    let shown = passing.counterexample.expect("7 can be reached past 5");
    assert!(shown.steps.iter().rev().skip(1).all(|step| step.state != 5));
    let within = with(Some(up_to(4)));
    assert_eq!(within.verdict, Some(Verdict::Incomplete), "{within}");
}

/// Both halves of a composition have one; the upper one speaks of images.
#[test]
fn a_composition_has_the_constraints_of_both() {
    let lower = || constrained(150);
    let upper = |most| {
        let mut refinement = constrained(most);
        refinement.environment = Vec::new();
        refinement
    };
    for (most, states) in [(3, 4), (170, 151)] {
        let report = report(&compose(upper(most), lower()));
        assert_eq!(report.states, states, "{report}");
        let told = report.constraint.expect("there is a constraint");
        assert_eq!(
            told.name,
            format!("counters up to 150, counters up to {most}")
        );
    }
}

/// A user that waits where a bound has stopped the thread that would serve it: the refusal is the cut.
#[test]
fn an_environment_that_is_refused_by_a_bound() {
    let user = Process::new("user");
    let next = |n: &u8| match n {
        0..4 => vec![(("serve", 0), n + 1)],
        4 => vec![(("ask", 0), 0)],
        _ => vec![],
    };
    let rules = [("serve", "server"), ("ask", "user")];
    let with = |bound: Option<&'static str>| {
        let mut refinement = itself(Machine::new(&rules, [0], next, |n| *n));
        refinement.environment = vec![user];
        // The thread that serves is stopped at 3: there the specification offers `ask` as well.
        refinement.specification.next = |n| match n {
            3 => vec![(("serve", 0), 4), (("ask", 0), 0)],
            4 => vec![(("ask", 0), 0)],
            n => vec![(("serve", 0), n + 1)],
        };
        refinement.implementation.next = |n| match n {
            3 => vec![],
            n => vec![(("serve", 0), n + 1)],
        };
        refinement.implementation.may_stop = |n| *n == 3;
        refinement.implementation.bound = bound;
        refinement.implementation.cut_off = |n| if *n == 3 { vec!["server"] } else { vec![] };
        let settings = Settings {
            obligations: Selection::only(["environment:ask", "environment:at_rest"]),
            until: Until::End,
            ..Settings::default()
        };
        checked(&refinement, &settings)
    };
    let row = |report: &Report| {
        let row = row_of(report, "environment:ask");
        (row.verdict, row.note.clone().unwrap_or_default())
    };
    // Without a bound nothing excuses it.
    let unbounded = with(None);
    assert_eq!(row(&unbounded).0, Verdict::Violated, "{unbounded}");
    let bounded = with(Some("each loop once"));
    let (verdict, note) = row(&bounded);
    assert_eq!(verdict, Verdict::Incomplete, "{bounded}");
    assert!(
        note.contains("each loop once: server was cut off"),
        "{note}"
    );
    assert_eq!(bounded.verdict, Some(Verdict::Incomplete), "{bounded}");
}

/// Actions of an environment within the constraint, and beyond it alone.
#[test]
fn an_environment_that_is_met_beyond_a_constraint_is_not_decided() {
    let with = |most: Option<u8>| {
        // The user is offered `ask` from 2 on, and is served at 6.
        let rules = [("tick", "clock"), ("ask", "user")];
        let abstract_next = |n: &u8| match n {
            0..2 => vec![(("tick", 0), n + 1)],
            2..6 => vec![(("tick", 0), n + 1), (("ask", 0), 0)],
            _ => vec![(("ask", 0), 0)],
        };
        let mut refinement = itself(Machine::new(&rules, [0], abstract_next, |n| *n));
        refinement.implementation.next = |n| match n {
            0..6 => vec![(("tick", 0), n + 1)],
            _ => vec![(("ask", 0), 0)],
        };
        refinement.environment = vec![Process::new("user")];
        refinement.constraint = most.map(up_to);
        report(&refinement)
    };
    let row = |report: &Report| {
        let row = row_of(report, "environment:ask");
        (row.verdict, row.note.clone().unwrap_or_default())
    };
    assert_eq!(row(&with(None)).0, Verdict::Holds);
    assert_eq!(row(&with(Some(6))).0, Verdict::Holds);
    let (verdict, note) = row(&with(Some(4)));
    assert_eq!(verdict, Verdict::Incomplete);
    assert!(
        note.contains("counters up to 4") && note.contains("only beyond"),
        "{note}"
    );
    // Where nothing that is offered lies within, nothing was tested.
    let (verdict, note) = row(&with(Some(1)));
    assert_eq!(verdict, Verdict::Incomplete);
    assert!(note.contains("counters up to 1"), "{note}");
}

/// A counter that goes on for ever comes to no end within any bound, and a loop within one is a loop.
#[test]
fn liveness_of_what_leaves_a_constraint_is_not_decided() {
    let with = |most: u8, loops: bool| {
        let mut refinement = constrained(most);
        refinement.implementation.next = if loops {
            |n| vec![(("tick", 0), (n + 1) % 3)]
        } else {
            |n| vec![(("tick", 0), (n + 1).min(200))]
        };
        refinement.specification.next = refinement.implementation.next;
        refinement.implementation.fairness = vec![Fairness::weak("goes on", ["tick"])];
        let hundred = |n: &u8| *n >= 100;
        refinement.liveness = vec![Property::eventually("hundred", "a test", hundred)];
        let settings = with_liveness();
        let report = checked(&refinement, &settings);
        let row = row_of(&report, "eventually:hundred");
        (row.verdict, row.note.clone().unwrap_or_default())
    };
    assert_eq!(with(200, false).0, Verdict::Holds);
    let (verdict, note) = with(50, false);
    assert_eq!(verdict, Verdict::Incomplete);
    assert!(
        note.contains("no behaviour that stays within the constraint"),
        "{note}"
    );
    assert_eq!(with(50, true).0, Verdict::Violated);
}
