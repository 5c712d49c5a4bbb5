//! A sender of data in the order in which it has chosen them; with undo, what was chosen may be given up.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, modules `SendSeq` and `SendSeqUndo`, with the internal variable `y`.
//!
//! Deviations. D1: the sequence has a greatest length, since otherwise there is no end of the states; *Choose* waits while it is
//! full. What takes a longer one is not seen.

use refmap::drawing::Row;
use refmap::{Drawing, Rule, TransitionSystem, guard, offer};
use serde::Serialize;

use super::queue::or_dash;
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
#[rule(process = "sender")]
pub enum Action {
    /// A datum is chosen.
    #[rule(source = "SendSeq, Choose")]
    Choose(usize),
    /// The first one is sent.
    #[rule(source = "SendSeq, Send")]
    Send,
    /// It is received.
    #[rule(process = "receiver", source = "SendSeq, Rcv")]
    Rcv,
    /// The one at a place of the sequence is given up.
    #[rule(source = "SendSeqUndo, Undo(i)")]
    Undo(usize),
}

impl State {
    /// Rule *Choose*; see D1 for the length.
    fn choose(&self, datum: usize, length: usize) -> Option<Self> {
        guard("the sequence has room", self.y.len() < length).then(|| {
            let mut to = self.clone();
            to.y.push(datum);
            to
        })
    }

    /// Rule *Send*.
    fn send(&self) -> Option<Self> {
        let enabled = guard("nothing is sent", self.x.is_none())
            & guard("something is chosen", !self.y.is_empty());
        enabled.then(|| {
            let mut to = self.clone();
            to.x = Some(to.y.remove(0));
            to
        })
    }

    /// Rule *Rcv*.
    fn rcv(&self) -> Option<Self> {
        guard("something is sent", self.x.is_some()).then(|| Self {
            x: None,
            ..self.clone()
        })
    }

    /// Rule *Undo*.
    fn undo(&self, place: usize) -> Option<Self> {
        guard("there is one at the place", place < self.y.len()).then(|| {
            let mut to = self.clone();
            to.y.remove(place);
            to
        })
    }
}

impl TransitionSystem for SendSeq {
    type State = State;
    type Action = Action;
    type Observation = Option<usize>;

    /// Those of the module: *Undo*, which comes last, is none of `SendSeq`.
    fn rules(&self) -> &[Rule] {
        let rules = <Action as refmap::Action>::rules();
        match self.undo {
            Undo::Never => &rules[..rules.len() - 1],
            Undo::AtAnyTime => rules,
        }
    }

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            x: None,
            y: Vec::new(),
        });
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for datum in 0..self.data {
            offer(visit, Action::Choose(datum), || {
                from.choose(datum, self.length)
            });
        }
        offer(visit, Action::Send, || from.send());
        offer(visit, Action::Rcv, || from.rcv());
        match self.undo {
            Undo::Never => (),
            Undo::AtAnyTime => {
                for place in 0..from.y.len() {
                    offer(visit, Action::Undo(place), || from.undo(place));
                }
            }
        }
    }

    fn observe(&self, state: &State) -> Option<usize> {
        state.x
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        let row = Row::new().value("x", or_dash(state.x)).queue("y", &state.y);
        Some(Drawing::default().row(row))
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::counts;
    use super::*;

    /// By counting: nothing or a datum is sent, and any sequence of two data up to length 2 is chosen.
    #[test]
    fn every_sequence_is_chosen() {
        let with = |undo| {
            counts(&SendSeq {
                data: 2,
                length: 2,
                undo,
            })
        };
        let (states, never, _) = with(Undo::Never);
        assert_eq!((states, never), (3 * 7, 1 + 3 * 3 * 2 + 6 + 2 * 7));
        let (states, at_any_time, _) = with(Undo::AtAnyTime);
        assert_eq!((states, at_any_time), (3 * 7, never + 3 * (2 + 2 * 4)));
    }
}
