//! Stepping through a refinement agrees with its check.

use std::collections::{BTreeMap, BTreeSet};

use refmap::internal::stepper::{Finding, StepError, Stepper};
use refmap::obligation::{Checkable, Checker, Settings};
use refmap::report::Counterexample;
use refmap::{Refinement, StateOf, TransitionSystem, Verdict};
use refmap_testing::{Machine, checked, itself, to_the_end};

use crate::oracle::Oracle;
use crate::table::Correspondence;
use crate::table::random::{Size, draw, draw_with_several_steps};

/// Steps through a refinement.
fn step_through<R: Refinement, T>(refinement: &R, visit: impl Fn(Stepper<'_>) -> T) -> T {
    let mut visited = None;
    Checker::new(refinement)
        .step_through(&Settings::default(), &mut |stepper| {
            visited = Some(visit(stepper));
        })
        .expect("the settings fit");
    visited.expect("the refinement was handed over")
}

/// The steps of a counterexample can be taken one by one, nothing fails before its end, and there its obligation does.
pub fn assert_stepped<R: Refinement>(refinement: &R, found: &Counterexample) {
    let kind = found.obligation.split(':').next().unwrap_or_default();
    let at_a_step = [
        "observation",
        "initiality",
        "simulation",
        "agency",
        "invariant",
        "deadlock",
    ];
    if !at_a_step.contains(&kind) || !found.reachable || found.steps.is_empty() {
        return;
    }
    step_through(refinement, |stepper| {
        let choices = stepper
            .choices(&found.steps)
            .expect("the model does not panic");
        assert_eq!(choices.len(), found.steps.len(), "{found:?}");
        for count in 0..=choices.len() {
            let followed = stepper
                .follow(&choices[..count])
                .expect("the steps are there");
            assert_eq!(followed.steps, found.steps[..count]);
            let fails = |obligation: &str| {
                let mut fails = followed.fails.iter();
                fails.any(|finding| finding.obligation == obligation)
            };
            // A counterexample is a shortest one.
            assert_eq!(
                fails(&found.obligation),
                count == choices.len(),
                "{found:?}"
            );
            // What would fail is known before the step is taken.
            if let Some(next) = choices.get(count) {
                let offered = &followed.offered[*next];
                assert_eq!(offered.step, found.steps[count]);
                let after = stepper
                    .follow(&choices[..=count])
                    .expect("the steps are there");
                assert_eq!(offered.fails, after.fails);
            }
        }
        let last = stepper.follow(&choices).expect("the steps are there");
        let mut fails = last.fails.iter();
        let finding = fails.find(|finding| finding.obligation == found.obligation);
        let finding = finding.expect("it fails");
        assert_eq!(finding.explanation, found.explanation);
        assert_eq!(finding.nearest, found.nearest);
    });
}

fn counter() -> Machine<u8> {
    let next = |n: &u8| match n {
        7 => panic!("seven"),
        n => vec![(("tick", 0), n + 1), (("tick", 1), 0)],
    };
    Machine::new(&[("tick", "clock")], [0, 5], next, |n| *n)
}

#[test]
fn choices_that_are_not_offered_are_refused() {
    step_through(&itself(counter()), |stepper| {
        let start = stepper.follow(&[]).expect("there are initial states");
        assert_eq!((start.steps.len(), start.offered.len()), (0, 2));
        let follow = |choices: &[usize]| stepper.follow(choices).map(|_| ());
        let refused = |at, number| {
            Err(StepError::NotOffered {
                at,
                number,
                offered: 2,
            })
        };
        assert_eq!(follow(&[2]), refused(0, 2));
        assert_eq!(follow(&[0, 0, 0, 9, 0]), refused(3, 9));
    });
}

#[test]
fn a_model_that_panics_is_stepped_through_up_to_there() {
    step_through(&itself(counter()), |stepper| {
        assert!(stepper.follow(&[1, 0]).is_ok());
        let panicked = stepper.follow(&[1, 0, 0]).expect_err("it panics");
        assert_eq!(panicked.followed(), 3);
        assert!(panicked.to_string().contains("seven"), "{panicked}");
    });
}

/// Of many initial states a thousand are offered.
#[test]
fn more_than_can_be_shown_is_told() {
    let next = |n: &u32| vec![(("tick", 0), n + 1)];
    let initial: Vec<u32> = (0..5000).collect();
    let machine = Machine::new(&[("tick", "clock")], initial, next, |_| 0);
    step_through(&itself(machine), |stepper| {
        let start = stepper.follow(&[]).expect("it does not panic");
        assert_eq!((start.offered.len(), start.more), (1000, true));
        assert!(!stepper.follow(&[999]).expect("it is offered").more);
    });
}

/// The path of choices to each state of an oracle, a shortest one.
fn paths<R: Refinement>(oracle: &Oracle<'_, R>) -> Vec<Vec<usize>> {
    let mut paths = vec![None; oracle.states.len()];
    let mut reached = Vec::new();
    let initial = initial_of(oracle.refinement);
    for (choice, state) in initial.iter().enumerate() {
        let number = oracle.states.iter().position(|other| other == state);
        let number = number.expect("the oracle has the initial states");
        if paths[number].is_none() {
            paths[number] = Some(vec![choice]);
            reached.push(number);
        }
    }
    let mut next = 0;
    while let Some(&at) = reached.get(next) {
        next += 1;
        for (choice, (_, to)) in oracle.steps[at].iter().enumerate() {
            if paths[*to].is_none() {
                let before: &Vec<usize> = paths[at].as_ref().expect("it is reached");
                let path = before.iter().copied().chain([choice]).collect();
                paths[*to] = Some(path);
                reached.push(*to);
            }
        }
    }
    let paths = paths.into_iter().map(|path| path.expect("all are reached"));
    paths.collect()
}

fn initial_of<R: Refinement>(refinement: &R) -> Vec<StateOf<R::Implementation>> {
    let mut initial = Vec::new();
    refinement
        .implementation()
        .initial(&mut |state| initial.push(state));
    initial
}

/// Obligations that fail at a state, as the oracle has it.
fn fails_at<R: Refinement>(oracle: &Oracle<'_, R>, state: usize) -> BTreeSet<String> {
    let mut fails = BTreeSet::new();
    if oracle.misshown(state) {
        fails.insert("observation".to_owned());
    }
    if oracle.stuck(state) {
        fails.insert("deadlock".to_owned());
    }
    for invariant in &oracle.invariants {
        if !invariant.holds(&oracle.states[state]) {
            fails.insert(format!("invariant:{}", invariant.name()));
        }
    }
    fails
}

/// Obligations that fail of a step, and at its target.
fn fails_of<R: Refinement>(oracle: &Oracle<'_, R>, from: usize, choice: usize) -> BTreeSet<String> {
    let (action, to) = &oracle.steps[from][choice];
    let mut fails = fails_at(oracle, *to);
    if !oracle.simulated(from, action, *to) {
        fails.insert("simulation".to_owned());
    }
    if oracle.misattributed(from, action, *to) {
        fails.insert("agency".to_owned());
    }
    fails
}

fn names(fails: &[Finding]) -> BTreeSet<String> {
    fails
        .iter()
        .map(|finding| finding.obligation.clone())
        .collect()
}

/// Everywhere and of everything that can be taken the stepper says what the oracle says, and what fails of all that is what the
/// check says is violated.
fn assert_steps_as_checked(refinement: &Correspondence, seen: &mut BTreeMap<String, u32>) {
    let oracle = Oracle::new(refinement);
    if oracle.initial_states == 0 {
        // That there is none is told by the check, and there is nothing to step through.
        return;
    }
    let paths = paths(&oracle);
    let failing = step_through(refinement, |stepper| {
        let follow = |choices: &[usize]| stepper.follow(choices).expect("the steps are there");
        let mut failing = BTreeSet::new();
        let start = follow(&[]);
        assert!(start.fails.is_empty() && start.steps.is_empty());
        let initial = initial_of(refinement);
        assert_eq!(start.offered.len(), initial.len());
        for (offered, state) in start.offered.iter().zip(&initial) {
            let number = oracle.states.iter().position(|other| other == state);
            let number = number.expect("the oracle has the initial states");
            let mut expected = fails_at(&oracle, number);
            if oracle.starts_wrong(number) {
                expected.insert("initiality".to_owned());
            }
            assert_eq!(names(&offered.fails), expected);
            failing.extend(expected);
        }
        for (from, path) in paths.iter().enumerate() {
            let followed = follow(path);
            let last = match path[..] {
                [only] => start.offered[only].fails.clone(),
                [.., last] => {
                    let before = follow(&path[..path.len() - 1]);
                    before.offered[last].fails.clone()
                }
                [] => unreachable!("an initial state is chosen first"),
            };
            assert_eq!(followed.fails, last, "{path:?}");
            assert_eq!(followed.offered.len(), oracle.steps[from].len());
            for (choice, offered) in followed.offered.iter().enumerate() {
                let expected = fails_of(&oracle, from, choice);
                assert_eq!(names(&offered.fails), expected, "{path:?}, then {choice}");
                let (action, to) = &oracle.steps[from][choice];
                let action = serde_json::to_value(action).expect("it has a JSON form");
                let to = serde_json::to_value(oracle.states[*to]).expect("it has a JSON form");
                assert_eq!(offered.step.action, Some(action));
                assert_eq!(offered.step.state, to);
                failing.extend(expected);
            }
        }
        failing
    });
    let settings = to_the_end();
    let report = checked(refinement, &settings);
    let kinds = [
        "observation",
        "initiality",
        "simulation",
        "agency",
        "deadlock",
    ];
    let is_of_steps = |name: &str| kinds.contains(&name) || name.starts_with("invariant:");
    let violated = report
        .obligations
        .iter()
        .filter(|row| row.verdict == Verdict::Violated);
    let violated: BTreeSet<String> = violated
        .map(|row| row.name.clone())
        .filter(|name| is_of_steps(name))
        .collect();
    assert_eq!(failing, violated, "{report}");
    // The first one of a row is a shortest one.
    let firsts = report
        .obligations
        .iter()
        .filter_map(|row| row.counterexamples.first());
    firsts.for_each(|counterexample| assert_stepped(refinement, counterexample));
    for name in failing {
        let kind = name.split(':').next().unwrap_or_default();
        *seen.entry(kind.to_owned()).or_default() += 1;
    }
}

/// The explorer's answers are the check's, at every place of random refinements.
#[test]
fn what_fails_at_a_step_is_what_the_check_finds() {
    let mut seen = BTreeMap::new();
    for seed in 0..300 {
        assert_steps_as_checked(&draw(seed, Size::Small), &mut seen);
    }
    for seed in 0..100 {
        assert_steps_as_checked(&draw_with_several_steps(seed), &mut seen);
    }
    let kinds = [
        "observation",
        "initiality",
        "simulation",
        "agency",
        "invariant",
        "deadlock",
    ];
    for kind in kinds {
        assert!(
            seen.get(kind).is_some_and(|count| *count > 20),
            "{kind}: {seen:?}"
        );
    }
}

/// From a state outside of a constraint nothing is taken, as a check takes nothing from there.
#[test]
fn nothing_is_taken_outside_of_a_constraint() {
    let mut refinement = itself(refmap_testing::counter());
    // 3 could go on; that it is no deadlock is not known, and not asked.
    refinement.implementation.next = |n| match n {
        3 => Vec::new(),
        n => vec![(("tick", 0), n + 1)],
    };
    refinement.constraint = Some(refmap::Constraint::new("small", |n| *n < 3));
    step_through(&refinement, |stepper| {
        let followed = |choices: &[usize]| stepper.follow(choices).expect("it can be followed");
        let within = followed(&[0, 0, 0]);
        assert_eq!((within.cut, within.offered.len()), (None, 1));
        let outside = followed(&[0, 0, 0, 0]);
        assert_eq!(outside.cut.as_deref(), Some("small"));
        assert!(outside.offered.is_empty() && outside.fails.is_empty());
    });
    let report = checked(&refinement, &Settings::default());
    assert_eq!(
        report.obligation("deadlock").map(|row| row.verdict),
        Some(Verdict::Holds)
    );
}
