//! The linearizable snapshot object: a read takes the memory in one step, and a write changes its register in one.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, module `LinearSnapshot`, with the internal variables `mem` and `istate`.
//!
//! Deviations. D1: `istate` is two variables, `rstate` of the readers and `wstate` of the writers, since their values are of
//! different types.

use refmap::drawing::Row;
use refmap::{Drawing, TransitionSystem, guard, offer};
use serde::Serialize;

use super::queue::or_dash;
use super::snapshot::{Interface, MAX, Memory, Users, memory_or_dash};

/// An instance of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearSnapshot {
    /// The users.
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
    #[state(max_len = MAX)]
    pub rstate: Vec<Option<Memory>>,
    /// `istate` of a writer: the value that is not written yet; none is the source's `NotRegVal`.
    #[state(max_len = MAX, range = 0..MAX)]
    pub wstate: Vec<Option<usize>>,
}

/// A step of a reader or a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "reader")]
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
    BeginWr(#[process] usize, usize),
    /// Its register changes.
    #[rule(process = "writer", source = "LinearSnapshot, DoWr(i)")]
    DoWr(#[process] usize),
    /// It has written the value.
    #[rule(process = "writer", source = "LinearSnapshot, EndWr(i)")]
    EndWr(#[process] usize),
}

impl State {
    /// The same with another interface.
    fn with(&self, interface: Interface) -> Self {
        let to = self.clone();
        Self { interface, ..to }
    }

    /// Rule *BeginRd*.
    fn begin_rd(&self, reader: usize) -> Option<Self> {
        let mut to = self.with(self.interface.begin_rd(reader)?);
        to.rstate[reader] = None;
        Some(to)
    }

    /// Rule *DoRd*.
    fn do_rd(&self, reader: usize) -> Option<Self> {
        let enabled = guard("it is reading", self.interface.is_reading(reader))
            & guard("it has taken nothing", self.rstate[reader].is_none());
        enabled.then(|| {
            let mut to = self.clone();
            to.rstate[reader] = Some(self.mem.clone());
            to
        })
    }

    /// Rule *EndRd*.
    fn end_rd(&self, reader: usize) -> Option<Self> {
        let taken = self.rstate[reader].as_ref();
        guard("it has taken the memory", taken.is_some());
        Some(self.with(self.interface.end_rd(reader, taken?.clone())?))
    }

    /// Rule *BeginWr*.
    fn begin_wr(&self, writer: usize, value: usize) -> Option<Self> {
        let mut to = self.with(self.interface.begin_wr(writer, value)?);
        to.wstate[writer] = Some(value);
        Some(to)
    }

    /// Rule *DoWr*.
    fn do_wr(&self, writer: usize) -> Option<Self> {
        let value = self.wstate[writer];
        guard("it has not written", value.is_some());
        let mut to = self.clone();
        to.mem.0[writer] = value?;
        to.wstate[writer] = None;
        Some(to)
    }

    /// Rule *EndWr*.
    fn end_wr(&self, writer: usize) -> Option<Self> {
        let is_written = self.wstate[writer].is_none();
        let interface = self.interface.end_wr(writer);
        interface
            .filter(|_| guard("it has written", is_written))
            .map(|interface| self.with(interface))
    }
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for reader in 0..self.users.readers {
            offer(visit, Action::BeginRd(reader), || from.begin_rd(reader));
            offer(visit, Action::DoRd(reader), || from.do_rd(reader));
            offer(visit, Action::EndRd(reader), || from.end_rd(reader));
        }
        for writer in 0..self.users.writers {
            for value in 0..self.users.values {
                offer(visit, Action::BeginWr(writer, value), || {
                    from.begin_wr(writer, value)
                });
            }
            offer(visit, Action::DoWr(writer), || from.do_wr(writer));
            offer(visit, Action::EndWr(writer), || from.end_wr(writer));
        }
    }

    fn observe(&self, state: &State) -> Interface {
        state.interface.clone()
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(state))
    }
}

/// The memory, and the progress of its users.
fn drawing(state: &State) -> Drawing {
    let reader = |reader: usize, row: Row| {
        row.value("istate", memory_or_dash(state.rstate[reader].as_ref()))
    };
    let writer = |writer: usize, row: Row| row.value("istate", or_dash(state.wstate[writer]));
    let users = state.interface.rows(reader, writer).into_iter();
    users
        .fold(Drawing::default(), Drawing::row)
        .row(Row::new().queue("mem", &state.mem.0))
}

#[cfg(test)]
mod tests {
    use super::super::support::search;
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
