//! Mutual exclusion: at most one thread is inside.
//!
//! Source: Dijkstra, *Solution of a Problem in Concurrent Programming Control*, CACM 8, 1965: the problem.

use refmap::drawing::Row;
use refmap::{Drawing, IndexSet, TransitionSystem, guard, offer};
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
#[rule(process = "thread")]
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for thread in 0..self.threads {
            offer(visit, Action::Enter(thread), || {
                guard("nobody is inside", from.inside.is_empty()).then(|| State {
                    inside: [thread].into_iter().collect(),
                })
            });
            offer(visit, Action::Leave(thread), || {
                guard("it is inside", from.inside.contains(thread)).then(|| {
                    let mut inside = from.inside;
                    inside.remove(thread);
                    State { inside }
                })
            });
        }
    }

    fn observe(&self, state: &State) -> IndexSet {
        state.inside
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        let inside = |thread: usize| state.inside.contains(thread).then_some(thread);
        let inside: Vec<_> = (0..self.threads).filter_map(inside).collect();
        Some(Drawing::default().row(Row::new().value("inside", format!("{inside:?}"))))
    }
}
