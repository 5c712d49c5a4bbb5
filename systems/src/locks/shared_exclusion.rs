//! Shared exclusion: one thread writes, or any number read.
//!
//! Source: Courtois, Heymans & Parnas, *Concurrent Control with "Readers" and "Writers"*, CACM 14, 1971: the problem.

use refmap::crowd::{Crowd, Others};
use refmap::guard;
use serde::Serialize;

/// Shared exclusion.
#[derive(Clone, Copy, Debug)]
pub struct SharedExclusion;

/// Place of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    Outside,
    Reads,
    Writes,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread", source = "Courtois, Heymans & Parnas 1971")]
pub enum Action {
    /// It reads where nobody writes.
    Read,
    /// It writes where nobody reads or writes.
    Write,
    Leave,
}

impl Crowd for SharedExclusion {
    type Shared = ();
    type Member = Thread;
    type Action = Action;
    type Observation = Thread;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut((), &[Thread])) {
        visit((), &[Thread::Outside]);
    }

    fn fire(
        &self,
        action: &Action,
        _: &mut (),
        me: &mut Thread,
        others: &mut Others<'_, Thread>,
    ) -> Option<()> {
        match action {
            Action::Read => {
                guard("it is outside", *me == Thread::Outside)?;
                let nobody = others.none(|it| *it == Thread::Writes);
                guard("nobody writes", nobody)?;
                *me = Thread::Reads;
            }
            Action::Write => {
                guard("it is outside", *me == Thread::Outside)?;
                let nobody = others.none(|it| *it != Thread::Outside);
                guard("nobody reads or writes", nobody)?;
                *me = Thread::Writes;
            }
            Action::Leave => {
                guard("it reads or writes", *me != Thread::Outside)?;
                *me = Thread::Outside;
            }
        }
        Some(())
    }

    fn observe_member(&self, _: &(), thread: &Thread) -> Option<Thread> {
        Some(*thread)
    }
}
