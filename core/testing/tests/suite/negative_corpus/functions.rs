//! Functions of a model that are not functions of what they are given.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use refmap::{AbstractSteps, Invariant, Search, Settings, Verdict};
use serde::Serialize;

use super::{assert_holds, counter, report};
use refmap_testing::{Machine, Via, assert_explained, checked, itself, row_of, walking};

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
    let walks = walking(4, 20, 1);
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
        let report = checked(refinement, &settings);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
        let model = row_of(&report, "model");
        let mut explained = model.counterexamples.iter().map(|found| &found.explanation);
        let expected = format!("{function} is not a function");
        assert!(explained.any(|told| told.contains(&expected)), "{report}");
    }
}

/// Steps of which the last is another one each time.
fn changing<const STEPS: u8>(n: &u8) -> Vec<((&'static str, u8), u8)> {
    let last = STEPS - u8::from(odd());
    let steps = (0..STEPS - 1).chain([last]);
    steps.map(|k| (("tick", k), (n + 1) % 4)).collect()
}

#[test]
fn next_goes_by_a_counter_of_its_calls() {
    let mut refinement = itself(counter());
    assert_holds(&refinement);
    refinement.abstract_steps = Box::new(|_, _, _| AbstractSteps::One(("tick", 0)));
    for next in [changing::<1>, changing::<2>, changing::<3>, changing::<70>] {
        refinement.implementation.next = next;
        assert_no_function(&refinement, "`next` of the implementation");
    }
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
                r.map = Box::new(|n| {
                    odd();
                    (n + u8::from(ASKED.get().is_multiple_of(3))) % 4
                })
            },
            "`map`",
        ),
        (
            |r| r.abstract_steps = Box::new(|_, _, _| odd().then_some(("tick", 0)).into()),
            "`abstract_steps`",
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
    refinement.abstract_steps = Box::new(|_, _, to| (*to != 0).then_some(("tick", 0)).into());
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
    checked(refinement, &settings)
}

/// Right the first time that it is asked of a state, which is when the search asks.
#[test]
fn functions_are_right_the_first_time() {
    let first = |asked: &Mutex<HashSet<u8>>, n: u8| asked.lock().unwrap().insert(n);
    let mut refinement = itself(counter());
    let asked = Mutex::default();
    refinement.invariants = vec![Invariant::new("first", "a test", move |n: &u8| {
        first(&asked, *n)
    })];
    assert_at_fault(&refinement, "invariant `first` is not a function");

    thread_local! {
        static SHOWN: RefCell<HashSet<u8>> = RefCell::default();
    }
    let mut refinement = itself(counter());
    refinement.implementation.observe = |n| {
        if SHOWN.with_borrow_mut(|shown| shown.insert(*n)) {
            *n
        } else {
            n + 8
        }
    };
    assert_at_fault(
        &refinement,
        "`observe` of the implementation is not a function",
    );
}

fn assert_at_fault(refinement: &Via<u8, u8>, expected: &str) {
    let report = report_of_one_thread(refinement);
    assert_explained(&report, "model", expected);
}

/// All states share a cell that one step sets, so that the invariant was true when it was asked and is not any more.
#[test]
fn states_share_what_a_step_changes() {
    #[derive(Clone, Debug, Serialize)]
    struct Shared {
        count: u16,
        #[serde(skip)]
        raised: Arc<AtomicBool>,
    }

    impl<S: ?Sized> refmap::State<S> for Shared {}
    impl PartialEq for Shared {
        fn eq(&self, other: &Self) -> bool {
            self.count == other.count
        }
    }
    impl Eq for Shared {}
    impl Hash for Shared {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.count.hash(state);
        }
    }
    let with = |next| {
        let initial = [Shared {
            count: 0,
            raised: Arc::default(),
        }];
        let mut refinement = itself(Machine::new(&[("tick", "clock")], initial, next, |_| 0));
        refinement.invariants = vec![Invariant::new("down", "a test", |state: &Shared| {
            !state.raised.load(Ordering::Relaxed)
        })];
        refinement
    };
    let sound = with(|from| {
        let count = (from.count + 1) % 5000;
        vec![(
            ("tick", 0),
            Shared {
                count,
                ..from.clone()
            },
        )]
    });
    assert_holds(&sound);
    let shared = with(|from| {
        if from.count == 4999 {
            from.raised.store(true, Ordering::Relaxed);
        }
        let count = (from.count + 1) % 5000;
        vec![(
            ("tick", 0),
            Shared {
                count,
                ..from.clone()
            },
        )]
    });
    let report = report(&shared);
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    let model = row_of(&report, "model");
    let why = &model.counterexamples[0].explanation;
    assert!(
        why.contains("invariant `down` is not a function")
            || why.contains("two equal states of the implementation differ"),
        "{why}"
    );
}
