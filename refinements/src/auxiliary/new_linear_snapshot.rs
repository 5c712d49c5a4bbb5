//! The snapshot object whose reads end with any memory that there was refines the linearizable one, with a prophecy variable.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, section 6: `NewLinearSnapshot` refines `LinearSnapshot`, with a variable that
//! predicts for each read with which memory it ends.
//!
//! Deviations. D1: a write and the reads that take its memory are several abstract steps, and in the source a stuttering variable adds
//! steps for these.

use refmap::AbstractSteps::{self, One};
use refmap::Refinement;
use refmap::auxiliary::{Fate, Predicting, Prophecy, Prophesying, WithProphecy};
use refmap_systems::auxiliary::linear_snapshot::{self, LinearSnapshot};
use refmap_systems::auxiliary::new_linear_snapshot::{Action, NewLinearSnapshot, Seen, State};

use super::predicted::Predicts;
use super::several::steps;

/// The prophecy variable: the place of the memory with which the read of a reader ends, among those that there are since it began.
#[derive(Clone, Copy, Debug)]
pub struct ReadPlace(pub Predicts);

impl Prophecy<NewLinearSnapshot> for ReadPlace {
    type Key = usize;
    type Prediction = usize;

    fn open(&self, system: &NewLinearSnapshot, state: &State) -> Vec<usize> {
        let readers = 0..system.users.readers;
        readers
            .filter(|reader| state.interface.is_reading(*reader))
            .collect()
    }

    fn possible(&self, system: &NewLinearSnapshot, state: &State, reader: &usize) -> Vec<usize> {
        match self.0 {
            Predicts::Everything => (0..system.memories).collect(),
            Predicts::ThePresent => (0..state.rstate[*reader].0.len()).collect(),
        }
    }

    fn fate(
        &self,
        _: &NewLinearSnapshot,
        (reader, predicted): (&usize, &usize),
        _: &State,
        action: &Action,
        _: &State,
    ) -> Fate<usize> {
        match action {
            Action::EndRd(ended, place) if ended == reader => Fate::Fulfil {
                comes_true: place == predicted,
            },
            Action::BeginRd(_)
            | Action::EndRd(..)
            | Action::BeginWr(..)
            | Action::DoWr(_)
            | Action::EndWr(_) => Fate::Keep(*reader),
        }
    }
}

/// A state with its predictions.
type Predicted = Prophesying<State, usize, usize>;

/// The refinement for an instance.
pub struct NewLinearSnapshotRefinement {
    implementation: WithProphecy<NewLinearSnapshot, ReadPlace>,
    specification: LinearSnapshot,
}

impl NewLinearSnapshotRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: NewLinearSnapshot, predicts: Predicts) -> Self {
        let users = implementation.users;
        Self {
            implementation: WithProphecy {
                system: implementation,
                prophecy: ReadPlace(predicts),
            },
            specification: LinearSnapshot { users },
        }
    }
}

impl Refinement for NewLinearSnapshotRefinement {
    between!(WithProphecy<NewLinearSnapshot, ReadPlace>, LinearSnapshot);

    /// A reader has taken the memory that is predicted as soon as that is there.
    fn map(&self, of: &Predicted) -> linear_snapshot::State {
        let state = &of.state;
        let readers = state.interface.readers.iter().enumerate();
        let taken = readers.map(|(reader, read)| match of.prophecy.get(&reader) {
            Some(place) => state.rstate[reader].0.get(*place).cloned(),
            None => read.clone(),
        });
        linear_snapshot::State {
            rstate: taken.collect(),
            interface: state.interface.clone(),
            mem: state.mem.clone(),
            wstate: state.wstate.clone(),
        }
    }

    fn abstract_steps(
        &self,
        from: &Predicted,
        action: &Predicting<Action, usize, usize>,
        _: &Predicted,
    ) -> AbstractSteps<linear_snapshot::Action> {
        use linear_snapshot::Action::{BeginRd, BeginWr, DoRd, DoWr, EndRd, EndWr};
        match action.action {
            Action::BeginRd(reader) => {
                let is_first = action.made.get(&reader) == Some(&0);
                let taken = is_first.then_some(DoRd(reader));
                steps([BeginRd(reader)].into_iter().chain(taken).collect())
            }
            Action::EndRd(reader, _) => One(EndRd(reader)),
            Action::BeginWr(writer, value) => One(BeginWr(writer, value)),
            Action::DoWr(writer) => {
                let places = from.prophecy.iter();
                let taken = places.filter(|(reader, place)| {
                    let Seen(seen) = &from.state.rstate[**reader];
                    **place == seen.len()
                });
                let taken = taken.map(|(reader, _)| DoRd(*reader));
                steps([DoWr(writer)].into_iter().chain(taken).collect())
            }
            Action::EndWr(writer) => One(EndWr(writer)),
        }
    }
}
