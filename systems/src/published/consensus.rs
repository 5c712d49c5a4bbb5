//! Consensus: at most one value is chosen.
//!
//! Source: Lamport, *The Paxos Algorithm, or How to Win a Turing Award* (lecture, 2019), module `Consensus`.
//!
//! Fairness: none here; that something is chosen is a condition of its own there, which the lecture's voting does not
//! meet without more assumptions.

use refmap::{IndexSet, TransitionSystem, guard};
use serde::Serialize;

/// Greatest number of values.
pub const MAX_VALUES: usize = 4;

/// An instance of the specification.
pub struct Consensus {
    /// Number of values.
    pub values: usize,
}

/// The values that are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The set of them: one at most.
    #[state(range = 0..MAX_VALUES)]
    pub chosen: IndexSet,
}

/// A step of all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Consensus)]
pub enum Action {
    /// A value is chosen, if none has been.
    #[rule(source = "Consensus, Next")]
    Choose(#[action(range = 0..system.values)] usize),
}

impl TransitionSystem for Consensus {
    type State = State;
    type Action = Action;
    type Observation = State;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let chosen = IndexSet::EMPTY;
        visit(State { chosen });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        let Action::Choose(value) = *action;
        guard("nothing is chosen", state.chosen.is_empty())?;
        state.chosen.insert(value);
        Some(())
    }

    fn observe(&self, state: &State) -> State {
        *state
    }

    fn may_stop(&self, state: &State) -> bool {
        !state.chosen.is_empty()
    }
}
