//! One small system for each way in which a checker can say "holds" wrongly. Each is caught for the
//! reason stated, and has a twin that differs in that alone and holds.

mod compared;
mod constraints;
mod environment;
mod equality;
mod fairness;
mod functions;
mod later;
mod overridden;
mod vacuous;

use std::hash::{Hash, Hasher};

use refmap::explore::Limits;
use refmap::obligation::{Selection, Settings, Until};
use refmap::{AbstractSteps, Evidence, Invariant, Refinement, Report, TransitionSystem, Verdict};
use refmap_testing::{
    Action, Itself, Machine, Via, checked, counter, itself, row_of, up_to_bytes, up_to_depth,
    up_to_seconds, up_to_states,
};
use serde::Serialize;

use crate::stepper::assert_stepped;

fn report<R: Refinement>(refinement: &R) -> Report {
    checked(refinement, &Settings::default())
}

fn assert_holds<R: Refinement>(refinement: &R) -> Report {
    let report = report(refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.evidence, Evidence::Exhaustive);
    report
}

/// The check is violated by `obligation`, after `length` steps, and says `why`.
fn assert_caught<R: Refinement>(refinement: &R, obligation: &str, length: usize, why: &str) {
    let report = report(refinement);
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    let counterexample = report.counterexample.as_ref().expect("it is violated");
    assert_eq!(counterexample.obligation, obligation, "{report}");
    assert_eq!(counterexample.length, length, "{report}");
    assert!(counterexample.explanation.contains(why), "{report}");
    assert_stepped(refinement, counterexample);
}

#[test]
fn an_unsatisfiable_initial_condition() {
    assert_holds(&itself(counter()));
    let mut refinement = itself(counter());
    refinement.implementation.initial.clear();
    assert_caught(&refinement, "initiality", 0, "no initial state");
}

#[test]
fn a_frozen_system() {
    assert_holds(&itself(counter()));
    let mut frozen = itself(counter());
    frozen.implementation.next = |_| Vec::new();
    assert_caught(&frozen, "deadlock", 0, "no step is enabled");
    // Where it may stop, it still does nothing that could have been checked.
    frozen.implementation.may_stop = |_| true;
    assert_caught(&frozen, "coverage", 0, "never takes a step");
    // And where even the specification does nothing.
    frozen.specification.next = |_| Vec::new();
    assert_caught(&frozen, "coverage", 0, "never takes a step");
}

#[test]
fn a_guard_that_is_never_true() {
    let specification = || {
        let next = |n: &u8| match n {
            3 => vec![(("reset", 0), 0)],
            _ => vec![(("tick", 0), n + 1), (("reset", 0), 0)],
        };
        Machine::new(&[("tick", "clock"), ("reset", "user")], [0], next, |n| *n)
    };
    assert_holds(&itself(specification()));
    let mut never = itself(specification());
    never.implementation.next = |n| match n {
        n if *n > 200 => vec![(("reset", 0), 0)],
        3 => vec![(("tick", 0), 3)],
        _ => vec![(("tick", 0), n + 1)],
    };
    never.abstract_steps = Box::new(|from, action, to| (from != to).then_some(*action).into());
    assert_caught(
        &never,
        "coverage",
        1,
        "`reset` is enabled here, and no step anywhere simulates it",
    );
    assert_eq!(report(&never).unexercised, ["rule:reset"]);
}

#[test]
fn an_implication_whose_premise_never_is() {
    let with = |premise: fn(&u8) -> bool| {
        let mut refinement = itself(counter());
        refinement.invariants =
            vec![Invariant::new("small", "a test", |n: &u8| *n < 3).when(premise)];
        refinement
    };
    let hollow = assert_holds(&with(|n| *n > 3));
    assert_eq!(hollow.unexercised, ["premise:small"]);
    let exercised = assert_holds(&with(|n| *n != 3));
    assert_eq!(exercised.unexercised, Vec::<String>::new());
    assert_caught(&with(|n| *n == 3), "invariant:small", 3, "`small` is false");
}

#[test]
fn a_mapping_into_one_state() {
    assert_holds(&itself(counter()));
    let mut refinement = itself(counter());
    refinement.map = Box::new(|_| 0);
    refinement.abstract_steps = Box::new(|_, _, _| AbstractSteps::Stutter);
    assert_caught(&refinement, "observation", 1, "the implementation shows 1");
    // Where nothing can be seen, the specification's own rule is what is missing.
    refinement.implementation.observe = |_| 0;
    refinement.specification.observe = |_| 0;
    assert_caught(&refinement, "coverage", 0, "`tick` is enabled here");
}

#[test]
fn a_stutter_that_changes_a_hidden_variable_the_mapping_shows() {
    // The second variable cannot be observed, and the specification has it too.
    type Two = (u8, u8);
    let system = || {
        let next = |&(n, hidden): &Two| vec![(("tick", 0), ((n + 1) % 4, hidden))];
        Machine::new(
            &[("tick", "clock"), ("hide", "clock")],
            [(0, 0)],
            next,
            |state: &Two| state.0,
        )
    };
    assert_holds(&itself(system()));
    let mut refinement = itself(system());
    refinement.implementation.next = |&(n, hidden)| {
        vec![
            (("tick", 0), ((n + 1) % 4, hidden)),
            (("hide", 0), (n, 1 - hidden)),
        ]
    };
    refinement.abstract_steps =
        Box::new(|_, action, _| (action.0 == "tick").then_some(*action).into());
    assert_caught(
        &refinement,
        "simulation",
        1,
        "answered by a stutter and changes the mapped state",
    );
}

#[test]
fn an_invariant_violated_only_at_the_last_depth_before_a_limit() {
    let below = |bound: u8| {
        let mut refinement = itself(counter());
        refinement.invariants = vec![Invariant::new("below", "a test", move |n: &u8| *n < bound)];
        refinement
    };
    let limited = |limits| Settings {
        limits,
        ..Settings::default()
    };
    for limits in [up_to_depth(3), up_to_states(4)] {
        let caught = checked(&below(3), &limited(limits));
        assert_eq!(caught.verdict, Some(Verdict::Violated), "{caught}");
        assert_eq!(caught.counterexample.unwrap().length, 3);
    }
    let depth = up_to_depth(2);
    let unseen = checked(&below(3), &limited(depth));
    assert_eq!(unseen.verdict, Some(Verdict::Incomplete), "{unseen}");
    assert_holds(&below(4));
}

/// A state of which a field is left out of the hash: equality still tells them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
struct HalfHashed {
    hashed: u8,
    left_out: u8,
}

impl<S: ?Sized> refmap::State<S> for HalfHashed {}

// The point of the test: a hand-written hash that forgets a field.
#[allow(clippy::derived_hash_with_manual_eq)]
impl Hash for HalfHashed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hashed.hash(state);
    }
}

#[test]
fn a_state_that_differs_only_in_a_field_left_out_of_its_hash() {
    let system = || {
        let next = |from: &HalfHashed| {
            let left_out = (from.left_out + 1) % 5;
            vec![(("tick", 0), HalfHashed { left_out, ..*from })]
        };
        let initial = [HalfHashed {
            hashed: 0,
            left_out: 0,
        }];
        Machine::new(&[("tick", "clock")], initial, next, |state| state.left_out)
    };
    assert_eq!(assert_holds(&itself(system())).states, 5);
    let mut refinement = itself(system());
    refinement.invariants = vec![Invariant::new("below", "a test", |state: &HalfHashed| {
        state.left_out < 4
    })];
    assert_caught(&refinement, "invariant:below", 4, "`below` is false");
}

/// Two steps of one name: neither a trace nor an answer would say which is meant.
#[test]
fn a_rule_that_fires_twice_with_one_name() {
    let mut twice = itself(counter());
    assert_holds(&twice);
    twice.implementation.next = |n| vec![(("tick", 0), (n + 1) % 4), (("tick", 0), (n + 1) % 4)];
    assert_caught(&twice, "model", 1, "offers the action (\"tick\", 0) twice");
}

#[test]
fn an_action_that_does_not_determine_its_target() {
    let system = |next| Machine::new(&[("jump", "clock")], [0u8], next, |n: &u8| *n);
    let vague = |n: &u8| vec![(("jump", 0), (n + 1) % 4), (("jump", 0), (n + 2) % 4)];
    let clear = |n: &u8| vec![(("jump", 1), (n + 1) % 4), (("jump", 2), (n + 2) % 4)];
    assert_holds(&itself(system(clear)));
    let mut refinement = itself(system(clear));
    refinement.implementation.next = vague;
    refinement.abstract_steps =
        Box::new(|from, _, to| AbstractSteps::One(("jump", (to + 4 - from) % 4)));
    assert_caught(&refinement, "model", 1, "does not name one step");
}

#[test]
fn a_run_cut_short() {
    for limits in [
        up_to_states(2),
        up_to_depth(1),
        up_to_seconds(0.0),
        up_to_bytes(1),
    ] {
        let settings = Settings {
            limits,
            ..Settings::default()
        };
        let cut = checked(&itself(counter()), &settings);
        assert_eq!(cut.verdict, Some(Verdict::Incomplete), "{limits:?}");
        assert_eq!(cut.evidence, Evidence::Bounded);
        assert!(cut.limit.is_some());
        for row in &cut.obligations {
            assert_ne!(
                row.verdict,
                Verdict::Holds,
                "{} was not tested everywhere",
                row.name
            );
        }
    }
    // A limit that is not reached changes nothing.
    let limits = Limits {
        states: Some(4),
        depth: Some(9),
        ..Limits::default()
    };
    let whole = checked(
        &itself(counter()),
        &Settings {
            limits,
            ..Settings::default()
        },
    );
    assert_eq!(whole.verdict, Some(Verdict::Holds), "{whole}");
}

#[test]
fn a_cancelled_run() {
    let cancel = std::sync::atomic::AtomicBool::new(true);
    let mut settings = Settings::default();
    settings.watch.cancel = Some(&cancel);
    let cancelled = checked(&itself(counter()), &settings);
    assert_eq!(cancelled.verdict, Some(Verdict::Incomplete));
    assert_eq!(cancelled.states, 1, "what had been seen is reported");
}

/// Two processes with the same rules, of which only the second goes wrong: both are explored.
#[test]
fn a_symmetric_looking_system_that_is_not() {
    type Pair = [u8; 2];
    fn next(state: &Pair) -> Vec<(Action, Pair)> {
        let step = |process: usize| {
            let mut to = *state;
            to[process] = (to[process] + 1) % 3;
            (("step", process as u8), to)
        };
        vec![step(0), step(1)]
    }
    let system = || {
        Machine::new(&[("step", "process")], [[0, 0]], next, |state| {
            state[0] + state[1]
        })
    };
    assert_eq!(assert_holds(&itself(system())).states, 9);
    let mut refinement = itself(system());
    refinement.invariants = vec![Invariant::new("second", "a test", |state: &Pair| {
        !(state[1] == 2 && state[0] == 0)
    })];
    assert_caught(&refinement, "invariant:second", 2, "`second` is false");
}

fn panicking(n: &u8) -> Vec<(Action, u8)> {
    assert!(*n != 2, "the counter is stuck at {n}");
    vec![(("tick", 0), (n + 1) % 4)]
}

#[test]
fn a_panic_in_next() {
    let mut refinement = itself(counter());
    assert_holds(&refinement);
    refinement.implementation.next = panicking;
    assert_caught(
        &refinement,
        "model",
        2,
        "`next` of the implementation panicked",
    );
    let report = report(&refinement);
    let counterexample = report.counterexample.as_ref().unwrap();
    assert!(
        counterexample
            .explanation
            .contains("the counter is stuck at 2")
    );
    assert!(counterexample.explanation.contains("negative_corpus"));
    assert_eq!(counterexample.steps[2].state, 2);
    // The state is looked at once all the same.
    let observation = row_of(&report, "observation");
    assert_eq!(observation.checked, report.states);
}

/// A clock, and a rule that panics beyond 1.
struct Jumping;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
enum Jump {
    Tick,
    Jump,
}

impl TransitionSystem for Jumping {
    type State = u8;
    type Action = Jump;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, jump: &Jump, n: &mut u8) -> Option<()> {
        *n = match jump {
            Jump::Tick => (*n + 1) % 4,
            Jump::Jump => [Some(1), None][usize::from(*n)]?,
        };
        Some(())
    }

    fn observe(&self, n: &u8) -> u8 {
        *n
    }
}

#[test]
fn a_panic_in_a_rule_names_the_rule() {
    assert_caught(&Itself(Jumping), "model", 2, "evaluating Jump");
}

#[test]
fn panics_in_the_other_functions_of_a_model() {
    type Broken = fn(&mut Via<u8, u8>);
    let functions: [(Broken, usize, &str); 7] = [
        (
            |r| r.map = Box::new(|n| if *n == 2 { panic!("here") } else { *n }),
            2,
            "`map` panicked",
        ),
        (
            |r| {
                r.abstract_steps = Box::new(|n, _, _| {
                    if *n == 2 {
                        panic!("here")
                    } else {
                        AbstractSteps::One(("tick", 0))
                    }
                })
            },
            3,
            "`abstract_steps` panicked",
        ),
        (
            |r| r.implementation.observe = |n| if *n == 2 { panic!("here") } else { *n },
            2,
            "`observe` of the implementation panicked",
        ),
        (
            |r| r.specification.next = panicking,
            3,
            "`fire` of the specification panicked",
        ),
        (
            |r| r.implementation.may_stop = |_| panic!("here"),
            0,
            "`may_stop` panicked",
        ),
        (
            |r| {
                r.invariants = vec![Invariant::new("fails", "a test", |n: &u8| {
                    1 / (2 - (*n).min(2)) < 9
                })]
            },
            2,
            "invariant `fails` panicked",
        ),
        (
            |r| {
                r.environment = vec![refmap::Process::new("clock")];
                r.at_rest = Box::new(|n, _| if *n == 2 { panic!("here") } else { true });
            },
            2,
            "`at_rest` panicked",
        ),
    ];
    for (index, (break_it, length, why)) in functions.into_iter().enumerate() {
        let mut refinement = itself(counter());
        break_it(&mut refinement);
        if index == 4 {
            refinement.implementation.next = |_| Vec::new();
        }
        assert_caught(&refinement, "model", length, why);
    }
}

/// A panic is found even where no obligation was chosen.
#[test]
fn a_panic_is_not_excused_by_exploring_plainly() {
    let mut refinement = itself(counter());
    refinement.implementation.next = panicking;
    for until in [Until::FirstViolation, Until::End] {
        let settings = Settings {
            obligations: Selection::Nothing,
            until,
            ..Settings::default()
        };
        let report = checked(&refinement, &settings);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
        assert_eq!(report.evidence, Evidence::Bounded, "steps are unknown");
    }
}
