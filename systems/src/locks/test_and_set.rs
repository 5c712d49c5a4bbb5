//! A lock of one flag: a thread that finds it down tests and sets it.
//!
//! Source: Mellor-Crummey & Scott, *Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors*, ACM TOCS 9, 1991, section 2.1,
//! with the wait before it.

use refmap::{IndexSet, TransitionSystem, guard};
use serde::Serialize;

use super::MAX_THREADS;

/// The lock.
#[derive(Clone, Copy, Debug)]
pub struct TestAndSet {
    /// Number of threads.
    pub threads: usize,
    /// Way in which a thread that has found the flag down sets it.
    pub takes: Takes,
}

/// Way in which a thread that has found the flag down sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Takes {
    /// If it is still down, in one step with that test.
    AtOnce,
    /// Whatever it is by then. Wrong: two threads may find the flag down.
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
    #[state(each = "thread", symmetric, max_len = MAX_THREADS)]
    pub threads: Vec<At>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = TestAndSet)]
#[rule(process = "thread")]
#[process(0..system.threads)]
pub enum Action {
    /// It finds the flag down.
    #[rule(source = "test_and_set, acquire_lock")]
    Test(#[process] usize),
    /// It sets the flag, and is inside.
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

    fn go(&mut self, thread: usize, from: At, to: At) -> Option<()> {
        guard("it is there", self.threads[thread] == from)?;
        self.threads[thread] = to;
        Some(())
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

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Test(thread) => {
                state.go(thread, At::Outside, At::FoundDown)?;
                guard("the flag is down", !state.taken)?;
            }
            Action::Set(thread) => {
                state.go(thread, At::FoundDown, At::Inside)?;
                let is_down = self.takes == Takes::InTwoSteps || !state.taken;
                guard("the flag is still down", is_down)?;
                state.taken = true;
            }
            Action::Release(thread) => {
                state.go(thread, At::Inside, At::Outside)?;
                state.taken = false;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> IndexSet {
        state.inside()
    }
}
