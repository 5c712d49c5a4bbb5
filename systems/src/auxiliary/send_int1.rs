//! A sender that chooses a number when it sends it.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, module `SendInt1`.
//!
//! Deviations. D1: the integers are those from 0 to a greatest one, since otherwise there is no end of the states. No rule
//! calculates with them.

use refmap::{TransitionSystem, guard};
use serde::Serialize;

/// Greatest number of integers.
pub const MAX_INTEGERS: usize = 8;

/// An instance of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendInt1 {
    /// Number of integers.
    pub integers: usize,
}

/// The integer that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Integer sent and not received; none is the source's `NotInt`.
    #[state(range = 0..MAX_INTEGERS)]
    pub x: Option<usize>,
}

/// A step of the sender or the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = SendInt1)]
pub enum Action {
    /// An integer is chosen and sent.
    #[rule(process = "sender", source = "SendInt1, Send")]
    Send(#[action(range = 0..system.integers)] usize),
    /// It is received.
    #[rule(process = "receiver", source = "SendInt1, Rcv")]
    Rcv,
}

impl TransitionSystem for SendInt1 {
    type State = State;
    type Action = Action;
    type Observation = Option<usize>;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State { x: None });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Send(integer) => {
                guard("nothing is sent", state.x.is_none())?;
                state.x = Some(integer);
            }
            Action::Rcv => {
                guard("something is sent", state.x.is_some())?;
                state.x = None;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> Option<usize> {
        state.x
    }
}

#[cfg(test)]
mod tests {
    use refmap_testing::search;

    use super::*;

    /// By counting: nothing, or one of three integers.
    #[test]
    fn there_is_a_state_for_each_integer() {
        assert_eq!(search(&SendInt1 { integers: 3 }).1, (4, 1 + 3 + 3, 2));
    }
}
