//! The sender that may give up what it has chosen refines the one that sends all of it, with a prophecy variable.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, `SendSetUndo` and `SendSet`, with a variable that predicts for each datum that
//! is chosen whether it is sent or given up.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::Refinement;
use refmap::auxiliary::{Fate, Predicting, Prophecy, Prophesying, WithProphecy};
use refmap_systems::auxiliary::send_set::{Action, SendSet, State, Undo};
use serde::Serialize;

/// The end of a datum that is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub enum End {
    /// It is sent.
    Send,
    /// It is given up.
    Undo,
}

impl End {
    /// Fate of a prediction, where this is the end of its datum.
    pub(super) fn fulfils<K>(self, predicted: Self) -> Fate<K> {
        Fate::Fulfil {
            comes_true: self == predicted,
        }
    }
}

/// The prophecy variable: the end of each datum that is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum SetEnds {
    /// It is sent or given up: as published.
    SendOrUndo,
    /// It is sent. Wrong: it may be given up.
    SendAlone,
}

impl SetEnds {
    /// The ends that are possible.
    pub(super) fn possible(self) -> Vec<End> {
        match self {
            Self::SendOrUndo => vec![End::Send, End::Undo],
            Self::SendAlone => vec![End::Send],
        }
    }
}

impl Prophecy<SendSet> for SetEnds {
    type Key = usize;
    type Prediction = End;

    fn open(&self, _: &SendSet, state: &State) -> Vec<usize> {
        state.y.iter().collect()
    }

    fn possible(&self, _: &SendSet, _: &State, _: &usize) -> Vec<End> {
        SetEnds::possible(*self)
    }

    fn fate(
        &self,
        _: &SendSet,
        (datum, predicted): (&usize, &End),
        _: &State,
        action: &Action,
        _: &State,
    ) -> Fate<usize> {
        match action {
            Action::Send(sent) if sent == datum => End::Send.fulfils(*predicted),
            Action::Undo(given_up) if given_up.contains(*datum) => End::Undo.fulfils(*predicted),
            Action::Choose(_) | Action::Send(_) | Action::Rcv | Action::Undo(_) => {
                Fate::Keep(*datum)
            }
        }
    }
}

/// The refinement for an instance.
pub struct SendSetRefinement {
    implementation: WithProphecy<SendSet, SetEnds>,
    specification: SendSet,
}

impl SendSetRefinement {
    /// The refinement for a number of data.
    pub fn new(data: usize, ends: SetEnds) -> Self {
        let with = |undo| SendSet { data, undo };
        Self {
            implementation: WithProphecy {
                system: with(Undo::AtAnyTime),
                prophecy: ends,
            },
            specification: with(Undo::Never),
        }
    }
}

impl Refinement for SendSetRefinement {
    between!(WithProphecy<SendSet, SetEnds>, SendSet);

    /// The data of which it is predicted that they are sent.
    fn map(&self, of: &Prophesying<State, usize, End>) -> State {
        let is_sent = |datum: &usize| of.prophecy.get(datum) == Some(&End::Send);
        State {
            x: of.state.x,
            y: of.state.y.iter().filter(is_sent).collect(),
        }
    }

    fn abstract_steps(
        &self,
        _: &Prophesying<State, usize, End>,
        action: &Predicting<Action, usize, End>,
        _: &Prophesying<State, usize, End>,
    ) -> AbstractSteps<Action> {
        match action.action {
            Action::Choose(datum) => match action.made.get(&datum) {
                Some(End::Send) => One(Action::Choose(datum)),
                Some(End::Undo) | None => Stutter,
            },
            Action::Send(datum) => One(Action::Send(datum)),
            Action::Rcv => One(Action::Rcv),
            Action::Undo(_) => Stutter,
        }
    }
}
