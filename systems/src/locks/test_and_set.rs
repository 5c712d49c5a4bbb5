//! A lock of one flag, which a thread tests and sets.
//!
//! Source: Mellor-Crummey & Scott, *Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors*, ACM TOCS 9, 1991, section 2.1.

use refmap::{IndexSet, TransitionSystem, guard, offer};
use serde::Serialize;

use super::MAX_THREADS;

/// The lock.
#[derive(Clone, Copy, Debug)]
pub struct TestAndSet {
    /// Number of threads.
    pub threads: usize,
    /// Way in which a thread tests the flag and sets it.
    pub takes: Takes,
}

/// Way in which a thread tests the flag and sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Takes {
    /// In one step.
    AtOnce,
    /// In one step each. Wrong: two threads may find the flag down.
    InTwoSteps,
}

/// Place of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// Outside.
    Outside,
    /// It found the flag down.
    FoundDown,
    /// Inside.
    Inside,
}

/// The flag and the threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// True if the lock is taken.
    pub taken: bool,
    /// The place of each thread.
    #[state(symmetric, max_len = MAX_THREADS)]
    pub threads: Vec<At>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread")]
pub enum Action {
    /// It finds the flag down; of a step that sets it as well, it is inside.
    #[rule(source = "test_and_set, acquire_lock")]
    Test(#[process] usize),
    /// It sets the flag that it has found down.
    #[rule(source = "test_and_set, acquire_lock")]
    Set(#[process] usize),
    /// It takes the flag down.
    #[rule(source = "test_and_set, release_lock")]
    Release(#[process] usize),
}

impl State {
    /// The threads inside.
    pub fn inside(&self) -> IndexSet {
        let inside = |thread: &usize| self.threads[*thread] == At::Inside;
        (0..self.threads.len()).filter(inside).collect()
    }

    fn go(&self, thread: usize, from: At, to: At, taken: bool) -> Option<Self> {
        guard("it is there", self.threads[thread] == from).then(|| {
            let mut threads = self.threads.clone();
            threads[thread] = to;
            Self { taken, threads }
        })
    }

    fn test(&self, thread: usize, takes: Takes) -> Option<Self> {
        let (to, taken) = match takes {
            Takes::AtOnce => (At::Inside, true),
            Takes::InTwoSteps => (At::FoundDown, false),
        };
        let to = self.go(thread, At::Outside, to, taken)?;
        guard("the flag is down", !self.taken).then_some(to)
    }
}

impl TransitionSystem for TestAndSet {
    type State = State;
    type Action = Action;
    type Observation = IndexSet;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            taken: false,
            threads: vec![At::Outside; self.threads],
        });
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for thread in 0..self.threads {
            offer(visit, Action::Test(thread), || {
                from.test(thread, self.takes)
            });
            offer(visit, Action::Set(thread), || {
                from.go(thread, At::FoundDown, At::Inside, true)
            });
            offer(visit, Action::Release(thread), || {
                from.go(thread, At::Inside, At::Outside, false)
            });
        }
    }

    fn observe(&self, state: &State) -> IndexSet {
        state.inside()
    }
}
