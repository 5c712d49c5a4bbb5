//! A sender that chooses the next number when the last one is received.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, module `SendInt2`, with the internal variable `z`.
//!
//! Deviations. D1: the integers are bounded as those of [`send_int1`](super::send_int1).

use refmap::{TransitionSystem, guard};
use serde::Serialize;

use super::send_int1::MAX_INTEGERS;

/// An instance of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendInt2 {
    /// Number of integers.
    pub integers: usize,
}

/// The integer that is sent, and the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Integer sent and not received; none is the source's `NotInt`.
    #[state(range = 0..MAX_INTEGERS)]
    pub x: Option<usize>,
    /// Next integer to send; none is the source's `NotInt`.
    #[state(range = 0..MAX_INTEGERS)]
    pub z: Option<usize>,
}

/// A step of the sender or the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = SendInt2)]
pub enum Action {
    /// The integer that was chosen is sent.
    #[rule(process = "sender", source = "SendInt2, Send")]
    Send,
    /// It is received, and the next one is chosen.
    #[rule(process = "receiver", source = "SendInt2, Rcv")]
    Rcv(#[action(range = 0..system.integers)] usize),
}

impl TransitionSystem for SendInt2 {
    type State = State;
    type Action = Action;
    type Observation = Option<usize>;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for first in 0..self.integers {
            visit(State {
                x: None,
                z: Some(first),
            });
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Send => {
                guard("nothing is sent", state.x.is_none())
                    .and(guard("one is chosen", state.z.is_some()))?;
                state.x = state.z.take();
            }
            Action::Rcv(next) => {
                guard("something is sent", state.x.is_some())?;
                state.x = None;
                state.z = Some(next);
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

    /// By counting: one of three integers is sent, or chosen.
    #[test]
    fn an_integer_is_sent_or_chosen() {
        assert_eq!(search(&SendInt2 { integers: 3 }).1, (6, 3 + 3 + 9, 2));
    }
}
