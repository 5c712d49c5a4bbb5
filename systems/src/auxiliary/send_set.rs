//! A sender of data that it has chosen, in any order; with undo, what was chosen may be given up.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, modules `SendSet` and `SendSetUndo`, with the internal variable `y`.

use refmap::{Action as _, IndexSet, TransitionSystem, guard};
use serde::Serialize;

use crate::subsets::subsets;

/// Greatest number of data.
pub const MAX_DATA: usize = 6;

/// An instance of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendSet {
    /// Number of data.
    pub data: usize,
    /// Whether what was chosen may be given up.
    pub undo: Undo,
}

/// Whether what was chosen may be given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Undo {
    /// Never: module `SendSet` or `SendSeq`.
    Never,
    /// At any time: module `SendSetUndo` or `SendSeqUndo`.
    AtAnyTime,
}

/// The datum that is sent, and those that are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Datum sent and not received; none is the source's `NonData`.
    #[state(range = 0..MAX_DATA)]
    pub x: Option<usize>,
    /// Data chosen and not sent.
    #[state(range = 0..MAX_DATA)]
    pub y: IndexSet,
}

/// A step of the sender or the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = SendSet)]
#[rule(process = "sender")]
pub enum Action {
    /// A datum is chosen.
    #[rule(source = "SendSet, Choose")]
    Choose(#[action(range = 0..system.data)] usize),
    /// One that was chosen is sent.
    #[rule(source = "SendSet, Send")]
    Send(#[action(range = 0..system.data)] usize),
    /// It is received.
    #[rule(process = "receiver", source = "SendSet, Rcv")]
    Rcv,
    /// Some that were chosen are given up.
    #[rule(source = "SendSetUndo, Undo(S)", when = system.undo == Undo::AtAnyTime)]
    Undo(IndexSet),
}

impl Undo {
    /// Something is given up, if it may be.
    pub(super) fn may_be(self) -> Option<()> {
        (self == Self::AtAnyTime).then_some(())
    }
}

impl TransitionSystem for SendSet {
    type State = State;
    type Action = Action;
    type Observation = Option<usize>;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            x: None,
            y: IndexSet::below(0),
        });
    }

    fn candidates(&self, from: &State, visit: &mut impl FnMut(Action)) {
        Action::candidates(self, visit);
        if self.undo == Undo::AtAnyTime {
            let given_up = subsets(from.y).skip(1);
            given_up.for_each(|given_up| visit(Action::Undo(given_up)));
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Choose(datum) => guard("it is not chosen", state.y.insert(datum))?,
            Action::Send(datum) => {
                guard("nothing is sent", state.x.is_none())
                    .and(guard("it is chosen", state.y.remove(datum)))?;
                state.x = Some(datum);
            }
            Action::Rcv => {
                guard("something is sent", state.x.is_some())?;
                state.x = None;
            }
            Action::Undo(given_up) => {
                self.undo.may_be()?;
                guard("something is given up", !given_up.is_empty())
                    .and(guard("all are chosen", given_up.is_subset(state.y)))?;
                state.y = state.y.difference(given_up);
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

    /// By counting: nothing or a datum is sent, and any set is chosen; a step for each datum that is chosen or not, and with undo
    /// one for each set that is not empty of those that are chosen.
    #[test]
    fn every_set_is_chosen() {
        let states = 4 * 8;
        let choose = 4 * 3 * 4;
        let send = 3 * 4;
        let rcv = 3 * 8;
        let undo = 4 * (27 - 8);
        let with = |undo| search(&SendSet { data: 3, undo }).1;
        let never = with(Undo::Never);
        assert_eq!((never.0, never.1), (states, 1 + choose + send + rcv));
        let at_any_time = with(Undo::AtAnyTime);
        let steps = choose + send + rcv + undo;
        assert_eq!((at_any_time.0, at_any_time.1), (states, 1 + steps));
    }
}
