//! Functions of a model that are not functions of what they are given.

use std::cell::Cell;
use std::collections::HashSet;

use refmap::random::Walks;
use refmap::{Invariant, Search, Settings, Verdict, check};

use super::machine::{Via, itself};
use super::{assert_holds, counter, report};

thread_local! {
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

/// Whether this thread was asked an odd number of times.
fn odd() -> bool {
    ASKED.set(ASKED.get() + 1);
    ASKED.get() % 2 == 1
}

/// The check is violated since the model is no function, and says which.
fn assert_no_function(refinement: &Via<u8, u8>, function: &str) {
    let walks = Search::Walks(Walks {
        walks: 4,
        steps: 20,
        seed: 1,
    });
    // A walk maps the target of a step when it takes it, after all else.
    let searches = match function {
        "`map`" => vec![Search::Exhaustive],
        _ => vec![Search::Exhaustive, walks],
    };
    for search in searches {
        ASKED.set(0);
        let settings = Settings {
            search,
            threads: 1,
            ..Settings::default()
        };
        let report = check(refinement, &settings).expect("the settings fit");
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
        let model = report.obligation("model").expect("the model is at fault");
        let mut explained = model.counterexamples.iter().map(|found| &found.explanation);
        let expected = format!("{function} is not a function");
        assert!(explained.any(|told| told.contains(&expected)), "{report}");
    }
}

#[test]
fn next_goes_by_a_counter_of_its_calls() {
    let mut refinement = itself(counter());
    assert_holds(&refinement);
    refinement.implementation.next = |n| match odd() {
        true => vec![(("tick", 0), (n + 1) % 4)],
        false => vec![(("tick", 1), (n + 1) % 4)],
    };
    refinement.answer = |_, _, _| Some(("tick", 0));
    assert_no_function(&refinement, "`next` of the implementation");
}

/// The order is part of the answer: steps are known by their places.
#[test]
fn next_goes_through_a_hash_set() {
    let with = |next| {
        let mut refinement = itself(counter());
        refinement.implementation.next = next;
        refinement.specification.next = |n| {
            let to = |k| ((n / 16 * 16 + k) % 64, k);
            (0..16).map(|k| (("tick", to(k).1), to(k).0)).collect()
        };
        refinement
    };
    assert_holds(&with(|n| {
        (0..16)
            .map(|k| (("tick", k), (n / 16 * 16 + k) % 64))
            .collect()
    }));
    let hashed = with(|n| {
        let order: HashSet<u8> = (0..16).collect();
        let steps = order
            .into_iter()
            .map(|k| (("tick", k), (n / 16 * 16 + k) % 64));
        steps.collect()
    });
    assert_no_function(&hashed, "`next` of the implementation");
}

#[test]
fn other_functions_go_by_a_counter_of_their_calls() {
    type Broken = fn(&mut Via<u8, u8>);
    let functions: [(Broken, &str); 4] = [
        (
            |r| {
                r.map = |n| {
                    odd();
                    (n + u8::from(ASKED.get().is_multiple_of(3))) % 4
                }
            },
            "`map`",
        ),
        (
            |r| r.answer = |_, _, _| odd().then_some(("tick", 0)),
            "`answer`",
        ),
        (
            |r| {
                r.implementation.observe = |n| {
                    odd();
                    // Right when the search asks, whose first question it is.
                    *n + u8::from(ASKED.get().is_multiple_of(3)) * 8
                }
            },
            "`observe` of the implementation",
        ),
        (
            |r| {
                r.invariants = vec![Invariant::new("odd", "a test", |_: &u8| {
                    odd();
                    !ASKED.get().is_multiple_of(3)
                })];
            },
            "invariant `odd`",
        ),
    ];
    for (break_it, function) in functions {
        let mut refinement = itself(counter());
        break_it(&mut refinement);
        assert_no_function(&refinement, function);
    }
}

/// The step by which the search reached a violation is not offered again: that is told, and is no panic of the checker.
#[test]
fn a_step_is_offered_once_only() {
    let mut refinement = itself(counter());
    refinement.invariants = vec![Invariant::new("below", "a test", |n: &u8| *n < 3)];
    refinement.implementation.next = |n| {
        ASKED.set(ASKED.get() + 1);
        match (n, ASKED.get()) {
            (2, 4..) => vec![(("tick", 0), 0)],
            _ => vec![(("tick", 0), (n + 1) % 4)],
        }
    };
    refinement.answer = |_, _, to| (*to != 0).then_some(("tick", 0));
    for calls in 0..4 {
        ASKED.set(calls);
        let report = report_of_one_thread(&refinement);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    }
    let sound = {
        let mut refinement = itself(counter());
        refinement.invariants = vec![Invariant::new("below", "a test", |n: &u8| *n < 4)];
        refinement
    };
    assert_eq!(report(&sound).verdict, Some(Verdict::Holds));
}

fn report_of_one_thread(refinement: &Via<u8, u8>) -> refmap::Report {
    let settings = Settings {
        threads: 1,
        ..Settings::default()
    };
    check(refinement, &settings).expect("the settings fit")
}
