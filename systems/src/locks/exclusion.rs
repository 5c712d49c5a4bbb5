//! Mutual exclusion: at most one thread is inside.
//!
//! Source: Dijkstra, *Solution of a Problem in Concurrent Programming Control*, CACM 8, 1965: the problem.

use refmap::crowd::{Crowd, Others};
use refmap::guard;
use serde::Serialize;

/// Mutual exclusion.
#[derive(Clone, Copy, Debug)]
pub struct Exclusion;

/// Place of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    Outside,
    Inside,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread", source = "Dijkstra 1965")]
pub enum Action {
    /// It enters where nobody is inside.
    Enter,
    Leave,
}

impl Crowd for Exclusion {
    type Shared = ();
    type Member = Thread;
    type Action = Action;
    type Observation = bool;

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
            Action::Enter => {
                guard("it is outside", *me == Thread::Outside)?;
                let nobody = others.none(|thread| *thread == Thread::Inside);
                guard("nobody is inside", nobody)?;
                *me = Thread::Inside;
            }
            Action::Leave => {
                guard("it is inside", *me == Thread::Inside)?;
                *me = Thread::Outside;
            }
        }
        Some(())
    }

    fn observe_member(&self, _: &(), thread: &Thread) -> Option<bool> {
        Some(*thread == Thread::Inside)
    }
}
