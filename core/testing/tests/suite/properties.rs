//! The generators of behaviours: what they draw replays, and so does all that it shrinks to.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{TestError, TestRunner};
use quickcheck::{Arbitrary, Gen};
use refmap::random::arbitrary::Any;
use refmap::random::strategy::{states, traces};
use refmap::{Action, Process, Trace, TransitionSystem, replay};
use refmap_testing::Machine;

/// Locks that open in any order, each needing the one before it; a cuckoo that calls at any time.
fn locks() -> Machine<(u8, u8)> {
    let next = |&(open, calls): &(u8, u8)| {
        vec![
            (("open", open), ((open + 1) % 9, calls)),
            (("call", 0), (open, (calls + 1) % 50)),
        ]
    };
    let rules = [("open", "thief"), ("call", "cuckoo")];
    Machine::new(&rules, [(0, 0), (1, 1)], next, |state| state.0)
}

fn assert_replays<S: TransitionSystem>(system: &S, trace: &Trace<S>) {
    let actions = trace.steps.iter().map(|(action, _)| action.clone());
    let replayed = replay(system, trace.initial.clone(), actions).expect("it replays");
    assert_eq!(replayed, *trace);
}

/// Whatever the answers to what is tried are, what is tried next replays and is no longer.
#[test]
fn all_that_a_trace_shrinks_to_replays() {
    let mut runner = TestRunner::deterministic();
    for fails in [
        (|_| true) as fn(usize) -> bool,
        |_| false,
        |tries| tries % 2 == 0,
        |tries| tries % 3 == 0,
    ] {
        let mut tree = traces(locks(), 60).new_tree(&mut runner).unwrap();
        let longest = tree.current().length();
        let mut tries = 0;
        let mut changed = tree.simplify();
        while changed {
            let current = tree.current();
            assert_replays(&locks(), &current);
            assert!(current.length() <= longest);
            tries += 1;
            assert!(tries < 10_000, "shrinking ends");
            changed = if fails(tries) {
                tree.simplify()
            } else {
                tree.complicate()
            };
        }
    }
}

/// Shrunk traces fail, and are minimal.
#[test]
fn shrinking_ends_with_a_minimal_failing_trace() {
    let mut runner = TestRunner::deterministic();
    let found = runner.run(&traces(locks(), 100), |trace| {
        proptest::prop_assert!(trace.states().all(|(open, _)| *open < 6));
        Ok(())
    });
    let Err(TestError::Fail(_, trace)) = found else {
        panic!("six locks can be opened");
    };
    assert_replays(&locks(), &trace);
    assert_eq!(trace.last().0, 6);
    assert_eq!(trace.length(), usize::from(6 - trace.initial.0));
}

#[test]
fn states_are_reached_ones() {
    let mut runner = TestRunner::deterministic();
    runner
        .run(&states(locks(), 30), |(open, calls)| {
            proptest::prop_assert!(open < 9 && calls < 50);
            Ok(())
        })
        .expect("no other states are reached");
}

/// A system without an initial state has no behaviours to draw.
#[test]
fn nothing_is_drawn_from_nothing() {
    let mut empty = locks();
    empty.initial.clear();
    let mut runner = TestRunner::deterministic();
    assert!(traces(empty, 30).new_tree(&mut runner).is_err());
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Action)]
enum Turn {
    On,
    Back,
}

/// A clock that has an instance of its own.
#[derive(Clone, Default)]
struct Clock;

impl TransitionSystem for Clock {
    type State = u8;
    type Action = Turn;
    type Observation = u8;

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn fire(&self, turn: &Turn, hour: &mut u8) -> Option<()> {
        *hour = match turn {
            Turn::On => (*hour + 1) % 12,
            Turn::Back => (*hour == 5).then_some(0)?,
        };
        Some(())
    }

    fn observe(&self, state: &u8) -> u8 {
        *state
    }
}

#[test]
fn arbitrary_traces_replay_and_so_do_those_they_shrink_to() {
    let mut source = Gen::new(80);
    let mut shrunk = 0;
    for _ in 0..100 {
        let Any(trace) = Any::<Trace<Clock>>::arbitrary(&mut source);
        assert!(trace.length() <= 80);
        assert_replays(&Clock, &trace);
        for Any(shorter) in Any(trace.clone()).shrink() {
            assert_replays(&Clock, &shorter);
            assert!(shorter.length() < trace.length());
            shrunk += 1;
        }
    }
    assert!(shrunk > 1000);
}

quickcheck::quickcheck! {
    /// A process shows its kind, and its number if it has one.
    fn processes_are_named(process: Any<Process>) -> bool {
        let Any(process) = process;
        let text = process.to_string();
        text.starts_with(process.name)
            && process.number.is_none_or(|number| text.ends_with(&number.to_string()))
    }
}
