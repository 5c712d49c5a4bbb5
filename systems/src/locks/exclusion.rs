//! Mutual exclusion: at most one thread is inside.
//!
//! Source: Dijkstra, *Solution of a Problem in Concurrent Programming Control*, CACM 8, 1965: the problem.

use refmap::{IndexSet, TransitionSystem, guard};
use serde::Serialize;

use super::MAX_THREADS;

/// Mutual exclusion of so many threads.
#[derive(Clone, Copy, Debug)]
pub struct Exclusion {
    /// Number of threads.
    pub threads: usize,
}

/// The threads inside: one, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The threads inside.
    #[state(member, range = 0..MAX_THREADS)]
    pub inside: IndexSet,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Exclusion)]
#[rule(process = "thread")]
#[process(0..system.threads)]
pub enum Action {
    /// It enters where nobody is inside.
    #[rule(source = "Dijkstra 1965")]
    Enter(#[process] usize),
    /// It leaves.
    #[rule(source = "Dijkstra 1965")]
    Leave(#[process] usize),
}

impl TransitionSystem for Exclusion {
    type State = State;
    type Action = Action;
    type Observation = IndexSet;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            inside: IndexSet::default(),
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let inside = &mut state.inside;
        match *action {
            Action::Enter(thread) => {
                guard("nobody is inside", inside.is_empty())?;
                inside.insert(thread);
            }
            Action::Leave(thread) => guard("it is inside", inside.remove(thread))?,
        }
        Some(())
    }

    fn observe(&self, state: &State) -> IndexSet {
        state.inside
    }
}
