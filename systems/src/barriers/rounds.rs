//! Rounds: a thread leaves a round when all have arrived in it.
//!
//! Source: Mellor-Crummey & Scott, *Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors*, ACM TOCS 9, 1991, section 3: the problem.

use refmap::crowd::{Crowd, Others};
use refmap::{Counter, guard};
use serde::Serialize;

/// The rounds.
#[derive(Clone, Copy, Debug)]
pub struct Rounds;

/// A thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct Thread {
    pub round: Counter,
    /// True if it has arrived in it.
    pub arrived: bool,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread", source = "Mellor-Crummey & Scott, section 3")]
pub enum Action {
    Arrive,
    /// All have arrived: it goes on to the next round.
    Leave,
}

impl Thread {
    /// True if it has not arrived in a round.
    fn is_missing(&self, round: &Counter) -> bool {
        self.round < *round || self.round == *round && !self.arrived
    }
}

impl Crowd for Rounds {
    type Shared = ();
    type Member = Thread;
    type Action = Action;
    type Observation = bool;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut((), &[Thread])) {
        let thread = Thread {
            round: Counter::START,
            arrived: false,
        };
        visit((), &[thread]);
    }

    fn fire(
        &self,
        action: &Action,
        _: &mut (),
        me: &mut Thread,
        others: &mut Others<'_, Thread>,
    ) -> Option<()> {
        match action {
            Action::Arrive => {
                guard("it has not arrived", !me.arrived)?;
                me.arrived = true;
            }
            Action::Leave => {
                guard("it has arrived", me.arrived)?;
                let all = others.none_with(me.round, Thread::is_missing);
                guard("all others have arrived", all)?;
                me.arrived = false;
                me.round = me.round.next();
            }
        }
        Some(())
    }

    fn observe_member(&self, _: &(), thread: &Thread) -> Option<bool> {
        Some(thread.arrived)
    }
}
