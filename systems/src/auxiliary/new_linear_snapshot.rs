//! A snapshot object of which a read ends with any of the memories that there were since it began.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, module `NewLinearSnapshot`, with the internal variables `mem`, `rstate` and
//! `wstate`.
//!
//! Deviations. D1: *DoWr* waits while some reader has seen as many memories as the instance allows, since otherwise there is no
//! end of the states. A read during which more is written is not seen; the instance says so (`caveats`).

use refmap::{Caveats, TransitionSystem, guard};
use serde::Serialize;

use super::snapshot::{Interface, MAX, Memory, Users};

/// Greatest number of memories of a read.
pub const MAX_MEMORIES: usize = 20;

/// Names of the writers, by which a bound speaks of them.
pub(super) const WRITERS: [&str; MAX] = ["writer 0", "writer 1", "writer 2", "writer 3"];

/// An instance of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewLinearSnapshot {
    pub users: Users,
    /// Greatest number of memories of a read.
    pub memories: usize,
}

/// The memories that there were since a read began, the oldest first; none if it is over.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Seen(#[state(max_len = MAX_MEMORIES)] pub Vec<Memory>);

/// The interface and the memory behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Interface of readers and writers.
    pub interface: Interface,
    /// The registers.
    pub mem: Memory,
    /// The memories that a reader may have read.
    #[state(each = "reader", max_len = MAX)]
    pub rstate: Vec<Seen>,
    /// The value that a writer has not written yet; none is the source's `NotRegVal`.
    #[state(each = "writer", max_len = MAX, range = 0..MAX)]
    pub wstate: Vec<Option<usize>>,
}

/// A step of a reader or a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = NewLinearSnapshot)]
#[rule(process = "reader")]
#[process(0..system.users.readers)]
pub enum Action {
    /// A reader begins.
    #[rule(source = "NewLinearSnapshot, BeginRd(i)")]
    BeginRd(#[process] usize),
    /// It has read one of the memories that there were, by its place.
    #[rule(source = "NewLinearSnapshot, EndRd(i)")]
    EndRd(
        #[process] usize,
        #[action(range = 0..system.memories)] usize,
    ),
    /// A writer begins to write a value.
    #[rule(process = "writer", source = "NewLinearSnapshot, BeginWr(i, cmd)")]
    BeginWr(
        #[process(0..system.users.writers)] usize,
        #[action(range = 0..system.users.values)] usize,
    ),
    /// Its register changes.
    #[rule(process = "writer", source = "NewLinearSnapshot, DoWr(i)")]
    DoWr(#[process(0..system.users.writers)] usize),
    /// It has written the value.
    #[rule(process = "writer", source = "NewLinearSnapshot, EndWr(i)")]
    EndWr(#[process(0..system.users.writers)] usize),
}

impl State {
    /// Whether every reader may see a memory more; see D1.
    fn have_room(&self, memories: usize) -> bool {
        self.rstate.iter().all(|Seen(seen)| seen.len() < memories)
    }
}

impl TransitionSystem for NewLinearSnapshot {
    type State = State;
    type Action = Action;
    type Observation = Interface;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let interface = self.users.interface();
        visit(State {
            mem: self.users.memory(),
            rstate: vec![Seen(Vec::new()); self.users.readers],
            wstate: interface.writers.clone(),
            interface,
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::BeginRd(reader) => {
                state.interface.begin_rd(reader)?;
                state.rstate[reader] = Seen(vec![state.mem.clone()]);
            }
            Action::EndRd(reader, place) => {
                let Seen(seen) = &mut state.rstate[reader];
                let memory = seen.get(place)?.clone();
                seen.clear();
                state.interface.end_rd(reader, memory)?;
            }
            Action::BeginWr(writer, value) => {
                state.interface.begin_wr(writer, value)?;
                state.wstate[writer] = Some(value);
            }
            // Every reader that is reading sees the new memory; see D1 for how many.
            Action::DoWr(writer) => {
                let value = state.wstate[writer];
                let have_room = state.have_room(self.memories);
                guard("it has not written", value.is_some())
                    .and(guard("readers may see one more memory", have_room))?;
                state.mem.0[writer] = value?;
                state.wstate[writer] = None;
                for (reader, Seen(seen)) in state.rstate.iter_mut().enumerate() {
                    if state.interface.is_reading(reader) {
                        seen.push(state.mem.clone());
                    }
                }
            }
            Action::EndWr(writer) => {
                state.interface.end_wr(writer)?;
                guard("it has written", state.wstate[writer].is_none())?;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> Interface {
        state.interface.clone()
    }

    /// A bound cuts off the writers that wait for the end of a read.
    fn caveats(&self) -> Caveats<'_, State> {
        let bound = format!("{} memories a read", self.memories);
        Caveats::default().bounded(bound, |state: &State| {
            if state.have_room(self.memories) {
                return Vec::new();
            }
            let waiting = state.wstate.iter().zip(WRITERS);
            let waiting = waiting.filter(|(value, _)| value.is_some());
            waiting.map(|(_, name)| name).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use refmap_testing::search;

    use super::*;

    fn snapshot(memories: usize) -> NewLinearSnapshot {
        let users = Users {
            readers: 1,
            writers: 1,
            values: 2,
        };
        NewLinearSnapshot { users, memories }
    }

    /// The last memory that a reader has seen is the memory, and no reader has seen more than the bound.
    #[test]
    fn a_read_sees_the_memory_last() {
        let (states, _) = search(&snapshot(3));
        assert!(states.iter().any(|state| state.rstate[0].0.len() == 3));
        for state in states {
            let Seen(seen) = &state.rstate[0];
            assert_eq!(seen.is_empty(), !state.interface.is_reading(0));
            assert!(seen.len() <= 3 && seen.last().is_none_or(|last| *last == state.mem));
        }
    }

    /// The bound names a writer where one has a value to write and a reader has seen as much as it may.
    #[test]
    fn the_bound_is_told() {
        let system = snapshot(2);
        let (states, _) = search(&system);
        let is_stopped = |state: &&State| !system.caveats().cut_off(state).is_empty();
        assert!(states.iter().any(|state| is_stopped(&state)));
        for state in states.iter().filter(is_stopped) {
            assert_eq!(system.caveats().cut_off(state), ["writer 0"]);
            assert_eq!(state.rstate[0].0.len(), 2);
            assert_eq!(refmap::successor(&system, state, &Action::DoWr(0)), None);
        }
    }
}
