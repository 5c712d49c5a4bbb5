//! The linearizable snapshot object: a read takes the memory in one step, and a write changes its register in one.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, module `LinearSnapshot`, with the internal variables `mem` and `istate`.
//!
//! Deviations. D1: `istate` is two variables, `rstate` of the readers and `wstate` of the writers, since their values are of
//! different types.

use refmap::{TransitionSystem, guard};
use serde::Serialize;

use super::snapshot::{Interface, MAX, Memory, Users};

/// An instance of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearSnapshot {
    pub users: Users,
}

/// The interface and the memory behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Interface of readers and writers.
    pub interface: Interface,
    /// The registers.
    pub mem: Memory,
    /// `istate` of a reader: the memory that it has taken; none is the source's `NotMemVal`.
    #[state(each = "reader", max_len = MAX)]
    pub rstate: Vec<Option<Memory>>,
    /// `istate` of a writer: the value that is not written yet; none is the source's `NotRegVal`.
    #[state(each = "writer", max_len = MAX, range = 0..MAX)]
    pub wstate: Vec<Option<usize>>,
}

/// A step of a reader or a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = LinearSnapshot)]
#[rule(process = "reader")]
#[process(0..system.users.readers)]
pub enum Action {
    /// A reader begins.
    #[rule(source = "LinearSnapshot, BeginRd(i)")]
    BeginRd(#[process] usize),
    /// It takes the memory.
    #[rule(source = "LinearSnapshot, DoRd(i)")]
    DoRd(#[process] usize),
    /// It has read it.
    #[rule(source = "LinearSnapshot, EndRd(i)")]
    EndRd(#[process] usize),
    /// A writer begins to write a value.
    #[rule(process = "writer", source = "LinearSnapshot, BeginWr(i, cmd)")]
    BeginWr(
        #[process(0..system.users.writers)] usize,
        #[action(range = 0..system.users.values)] usize,
    ),
    /// Its register changes.
    #[rule(process = "writer", source = "LinearSnapshot, DoWr(i)")]
    DoWr(#[process(0..system.users.writers)] usize),
    /// It has written the value.
    #[rule(process = "writer", source = "LinearSnapshot, EndWr(i)")]
    EndWr(#[process(0..system.users.writers)] usize),
}

impl TransitionSystem for LinearSnapshot {
    type State = State;
    type Action = Action;
    type Observation = Interface;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let interface = self.users.interface();
        visit(State {
            mem: self.users.memory(),
            rstate: interface.readers.clone(),
            wstate: interface.writers.clone(),
            interface,
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::BeginRd(reader) => {
                state.interface.begin_rd(reader)?;
                state.rstate[reader] = None;
            }
            Action::DoRd(reader) => {
                guard("it is reading", state.interface.is_reading(reader)).and(guard(
                    "it has taken nothing",
                    state.rstate[reader].is_none(),
                ))?;
                state.rstate[reader] = Some(state.mem.clone());
            }
            Action::EndRd(reader) => {
                let taken = state.rstate[reader].clone();
                guard("it has taken the memory", taken.is_some())?;
                state.interface.end_rd(reader, taken?)?;
            }
            Action::BeginWr(writer, value) => {
                state.interface.begin_wr(writer, value)?;
                state.wstate[writer] = Some(value);
            }
            Action::DoWr(writer) => {
                let value = state.wstate[writer].take();
                guard("it has not written", value.is_some())?;
                state.mem.0[writer] = value?;
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
}

#[cfg(test)]
mod tests {
    use refmap_testing::search;

    use super::*;

    /// By counting, for a reader and a writer of two values: the writer is idle, or has one of two states for each value; the reader
    /// is idle after one of two memories, reading, or has taken one of two; and the register has one of two values. Not reached is
    /// a register that does not have the value just written.
    #[test]
    fn the_parts_are_independent_but_for_what_is_written() {
        let users = Users {
            readers: 1,
            writers: 1,
            values: 2,
        };
        let (states, _) = search(&LinearSnapshot { users });
        let reader = 2 + 1 + 2;
        let writer_and_memory = 2 + 2 * 2 + 2;
        assert_eq!(states.len(), reader * writer_and_memory);
    }
}
