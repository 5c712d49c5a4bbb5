//! The simplified algorithm of Afek et al. with a history variable refines the snapshot object whose reads end with any memory that
//! there was.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, section 6: `AfekSimplified` with a history variable refines
//! `NewLinearSnapshot`.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::Refinement;
use refmap::auxiliary::{History, Recording, Remembering, WithHistory};
use refmap_systems::auxiliary::afek_simplified::{Action, AfekSimplified, State};
use refmap_systems::auxiliary::new_linear_snapshot::{self, NewLinearSnapshot, Seen};

/// The history variable: the memories that there were since the read of each reader began.
#[derive(Clone, Copy, Debug)]
pub struct SeenSoFar;

impl History<AfekSimplified> for SeenSoFar {
    type Value = Vec<Seen>;

    fn initial(&self, system: &AfekSimplified, _: &State) -> Vec<Seen> {
        vec![Seen(Vec::new()); system.users.readers]
    }

    fn after(
        &self,
        _: &AfekSimplified,
        before: &Vec<Seen>,
        _: &State,
        action: &Action,
        to: &State,
    ) -> Vec<Seen> {
        let mut seen = before.clone();
        match *action {
            Action::BeginRd(reader) => seen[reader].0.push(to.memory()),
            Action::TryEndRd(reader) if !to.interface.is_reading(reader) => {
                seen[reader].0.clear();
            }
            Action::DoWr(_) => {
                let readers = seen.iter_mut().enumerate();
                let reading = readers.filter(|(reader, _)| to.interface.is_reading(*reader));
                reading.for_each(|(_, Seen(seen))| seen.push(to.memory()));
            }
            Action::Rd1(..)
            | Action::Rd2(..)
            | Action::TryEndRd(_)
            | Action::BeginWr(..)
            | Action::EndWr(_) => (),
        }
        seen
    }
}

/// The refinement for an instance.
pub struct AfekRefinement {
    implementation: WithHistory<AfekSimplified, SeenSoFar>,
    specification: NewLinearSnapshot,
}

impl AfekRefinement {
    /// The refinement for an instance. A read of the specification may see as many memories as there are writes.
    pub fn new(implementation: AfekSimplified) -> Self {
        let users = implementation.users;
        let memories = users.writers * implementation.writes + 1;
        Self {
            implementation: WithHistory {
                system: implementation,
                history: SeenSoFar,
            },
            specification: NewLinearSnapshot { users, memories },
        }
    }
}

impl Refinement for AfekRefinement {
    between!(WithHistory<AfekSimplified, SeenSoFar>, NewLinearSnapshot);

    fn map(&self, of: &Remembering<State, Vec<Seen>>) -> new_linear_snapshot::State {
        let state = &of.state;
        let writers = state.interface.writers.iter().enumerate();
        let left =
            |(writer, value): (usize, &Option<usize>)| value.filter(|_| !state.has_written(writer));
        new_linear_snapshot::State {
            interface: state.interface.clone(),
            mem: state.memory(),
            rstate: of.history.clone(),
            wstate: writers.map(left).collect(),
        }
    }

    /// A read ends with the first of the memories that are as it was read.
    fn abstract_steps(
        &self,
        from: &Remembering<State, Vec<Seen>>,
        Recording(action): &Recording<Action>,
        to: &Remembering<State, Vec<Seen>>,
    ) -> AbstractSteps<new_linear_snapshot::Action> {
        use new_linear_snapshot::Action::{BeginRd, BeginWr, DoWr, EndRd, EndWr};
        match *action {
            Action::BeginRd(reader) => One(BeginRd(reader)),
            Action::Rd1(..) | Action::Rd2(..) => Stutter,
            Action::TryEndRd(reader) => {
                let Some(read) = &to.state.interface.readers[reader] else {
                    return Stutter;
                };
                let Seen(seen) = &from.history[reader];
                // Where there was no such memory, none of the specification's steps is the one.
                let place = seen.iter().position(|memory| memory == read);
                One(EndRd(reader, place.unwrap_or(seen.len())))
            }
            Action::BeginWr(writer, value) => One(BeginWr(writer, value)),
            Action::DoWr(writer) => One(DoWr(writer)),
            Action::EndWr(writer) => One(EndWr(writer)),
        }
    }
}
