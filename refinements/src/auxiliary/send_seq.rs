//! The sender that may give up what it has chosen refines the one that sends all of it in the order of its choice, with a prophecy
//! variable.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, `SendSeqUndo` and `SendSeq`, with a variable that predicts for each place of
//! the sequence whether its datum is sent or given up.

use std::cmp::Ordering;

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::Refinement;
use refmap::auxiliary::{Fate, Predicting, Prophecy, Prophesying, WithProphecy};
use refmap_systems::auxiliary::send_seq::{Action, SendSeq, State};
use refmap_systems::auxiliary::send_set::Undo;

use super::send_set::{End, SetEnds};

/// The prophecy variable: the end of the datum at each place of the sequence.
#[derive(Clone, Copy, Debug)]
pub struct SequenceEnds(pub SetEnds);

/// Fate of the prediction at a place, where the datum at `ended` leaves the sequence, in the given way.
fn fate(place: usize, predicted: End, ended: usize, end: End) -> Fate<usize> {
    match place.cmp(&ended) {
        Ordering::Less => Fate::Keep(place),
        Ordering::Equal => end.fulfils(predicted),
        Ordering::Greater => Fate::Keep(place - 1),
    }
}

impl Prophecy<SendSeq> for SequenceEnds {
    type Key = usize;
    type Prediction = End;

    fn open(&self, _: &SendSeq, state: &State) -> Vec<usize> {
        (0..state.y.len()).collect()
    }

    fn possible(&self, _: &SendSeq, _: &State, _: &usize) -> Vec<End> {
        self.0.possible()
    }

    fn fate(
        &self,
        _: &SendSeq,
        (place, predicted): (&usize, &End),
        _: &State,
        action: &Action,
        _: &State,
    ) -> Fate<usize> {
        match *action {
            Action::Choose(_) | Action::Rcv => Fate::Keep(*place),
            Action::Send => fate(*place, *predicted, 0, End::Send),
            Action::Undo(ended) => fate(*place, *predicted, ended, End::Undo),
        }
    }
}

/// The refinement for an instance.
pub struct SendSeqRefinement {
    implementation: WithProphecy<SendSeq, SequenceEnds>,
    specification: SendSeq,
}

impl SendSeqRefinement {
    /// The refinement for a number of data and a greatest length of the sequence.
    pub fn new(data: usize, length: usize, ends: SetEnds) -> Self {
        let with = |undo| SendSeq { data, length, undo };
        Self {
            implementation: WithProphecy {
                system: with(Undo::AtAnyTime),
                prophecy: SequenceEnds(ends),
            },
            specification: with(Undo::Never),
        }
    }
}

impl Refinement for SendSeqRefinement {
    between!(WithProphecy<SendSeq, SequenceEnds>, SendSeq);

    /// The data of which it is predicted that they are sent, in their order.
    fn map(&self, of: &Prophesying<State, usize, End>) -> State {
        let places = of.state.y.iter().enumerate();
        let is_sent = |place: usize| of.prophecy.get(&place) == Some(&End::Send);
        let sent = places.filter(|(place, _)| is_sent(*place));
        State {
            x: of.state.x,
            y: sent.map(|(_, datum)| *datum).collect(),
        }
    }

    fn abstract_steps(
        &self,
        from: &Prophesying<State, usize, End>,
        action: &Predicting<Action, usize, End>,
        _: &Prophesying<State, usize, End>,
    ) -> AbstractSteps<Action> {
        match action.action {
            Action::Choose(datum) => match action.made.get(&from.state.y.len()) {
                Some(End::Send) => One(Action::Choose(datum)),
                Some(End::Undo) | None => Stutter,
            },
            Action::Send => One(Action::Send),
            Action::Rcv => One(Action::Rcv),
            Action::Undo(_) => Stutter,
        }
    }
}
