//! A lock of one flag: a thread that finds it down tests and sets it.
//!
//! Source: Mellor-Crummey & Scott, *Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors*, ACM TOCS 9, 1991, section 2.1,
//! with the wait before it.

use refmap::crowd::{Crowd, Others};
use refmap::guard;
use serde::Serialize;

/// The lock.
#[derive(Clone, Copy, Debug)]
pub struct TestAndSet {
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
pub enum Thread {
    Outside,
    /// It found the flag down.
    FoundDown,
    Inside,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread")]
pub enum Action {
    /// It finds the flag down.
    #[rule(source = "test_and_set, acquire_lock")]
    Test,
    /// It sets the flag, and is inside.
    #[rule(source = "test_and_set, acquire_lock")]
    Set,
    /// It takes the flag down.
    #[rule(source = "test_and_set, release_lock")]
    Release,
}

/// The flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Flag {
    /// True if the lock is taken.
    pub taken: bool,
}

impl Thread {
    fn go(&mut self, from: Self, to: Self) -> Option<()> {
        guard("it is there", *self == from)?;
        *self = to;
        Some(())
    }
}

// ANCHOR: crowd
impl Crowd for TestAndSet {
    type Shared = Flag;
    type Member = Thread;
    type Action = Action;
    type Observation = bool;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut(Flag, &[Thread])) {
        visit(Flag { taken: false }, &[Thread::Outside]);
    }

    fn fire(
        &self,
        action: &Action,
        flag: &mut Flag,
        me: &mut Thread,
        _: &mut Others<'_, Thread>,
    ) -> Option<()> {
        match action {
            Action::Test => {
                me.go(Thread::Outside, Thread::FoundDown)?;
                guard("the flag is down", !flag.taken)?;
            }
            Action::Set => {
                me.go(Thread::FoundDown, Thread::Inside)?;
                let is_down = self.takes == Takes::InTwoSteps || !flag.taken;
                guard("the flag is still down", is_down)?;
                flag.taken = true;
            }
            Action::Release => {
                me.go(Thread::Inside, Thread::Outside)?;
                flag.taken = false;
            }
        }
        Some(())
    }

    fn observe_member(&self, _: &Flag, thread: &Thread) -> Option<bool> {
        Some(*thread == Thread::Inside)
    }
}
// ANCHOR_END: crowd
