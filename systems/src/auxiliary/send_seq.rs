//! A sender of data in the order in which it has chosen them; with undo, what was chosen may be given up.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, modules `SendSeq` and `SendSeqUndo`, with the internal variable `y`.
//!
//! Deviations. D1: the sequence has a greatest length, since otherwise there is no end of the states; *Choose* waits while it is
//! full. What takes a longer one is not seen.

use refmap::{Action as _, TransitionSystem, guard};
use serde::Serialize;

use super::send_set::{MAX_DATA, Undo};

/// Greatest length of the sequence.
pub const MAX_LENGTH: usize = 6;

/// An instance of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendSeq {
    /// Number of data.
    pub data: usize,
    /// Greatest length of the sequence.
    pub length: usize,
    /// Whether what was chosen may be given up.
    pub undo: Undo,
}

/// The datum that is sent, and those that are chosen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Datum sent and not received; none is the source's `NonData`.
    #[state(range = 0..MAX_DATA)]
    pub x: Option<usize>,
    /// Data chosen and not sent, the oldest first.
    #[state(max_len = MAX_LENGTH, range = 0..MAX_DATA)]
    pub y: Vec<usize>,
}

/// A step of the sender or the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = SendSeq)]
#[rule(process = "sender")]
pub enum Action {
    /// A datum is chosen.
    #[rule(source = "SendSeq, Choose")]
    Choose(#[action(range = 0..system.data)] usize),
    /// The first one is sent.
    #[rule(source = "SendSeq, Send")]
    Send,
    /// It is received.
    #[rule(process = "receiver", source = "SendSeq, Rcv")]
    Rcv,
    /// The one at a place of the sequence is given up.
    #[rule(source = "SendSeqUndo, Undo(i)", when = system.undo == Undo::AtAnyTime)]
    Undo(usize),
}

impl TransitionSystem for SendSeq {
    type State = State;
    type Action = Action;
    type Observation = Option<usize>;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            x: None,
            y: Vec::new(),
        });
    }

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Action)) {
        Action::candidates(self, visit);
        if self.undo == Undo::AtAnyTime {
            (0..from.y.len()).for_each(|place| visit(Action::Undo(place)));
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            // See D1 for the length.
            Action::Choose(datum) => {
                guard("the sequence has room", state.y.len() < self.length)?;
                state.y.push(datum);
            }
            Action::Send => {
                guard("nothing is sent", state.x.is_none())
                    .and(guard("something is chosen", !state.y.is_empty()))?;
                state.x = Some(state.y.remove(0));
            }
            Action::Rcv => {
                guard("something is sent", state.x.is_some())?;
                state.x = None;
            }
            Action::Undo(place) => {
                self.undo.may_be()?;
                guard("there is one at the place", place < state.y.len())?;
                state.y.remove(place);
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

    /// By counting: nothing or a datum is sent, and any sequence of two data up to length 2 is chosen.
    #[test]
    fn every_sequence_is_chosen() {
        let with = |undo| {
            let system = SendSeq {
                data: 2,
                length: 2,
                undo,
            };
            search(&system).1
        };
        let (states, never, _) = with(Undo::Never);
        assert_eq!((states, never), (3 * 7, 1 + 3 * 3 * 2 + 6 + 2 * 7));
        let (states, at_any_time, _) = with(Undo::AtAnyTime);
        assert_eq!((states, at_any_time), (3 * 7, never + 3 * (2 + 2 * 4)));
    }
}
