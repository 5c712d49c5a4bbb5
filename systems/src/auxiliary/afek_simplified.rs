//! The simplified algorithm of Afek et al.: a reader reads all registers twice, and is done if nothing has changed.
//!
//! Source: Lamport & Merz, *Auxiliary Variables in TLA+*, module `AfekSimplified`, with the internal variables `imem`, `wrNum`,
//! `rdVal1` and `rdVal2`.
//!
//! Deviations. D1: a writer writes only as often as the instance allows, since the numbers of its writes go up for ever. What takes
//! more writes is not seen; the instance says so (`caveats`).

use refmap::{Caveats, TransitionSystem, guard};
use serde::Serialize;

use super::new_linear_snapshot::WRITERS;
use super::snapshot::{Interface, MAX, Memory, Users};

/// Greatest number of writes of a writer.
pub const MAX_WRITES: usize = 4;

/// An instance of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AfekSimplified {
    pub users: Users,
    /// Greatest number of writes of a writer.
    pub writes: usize,
    /// Parts readers compare.
    pub compares: Compares,
}

/// Parts of its two collects that a reader compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Compares {
    /// The values and the numbers of their writes: as published.
    ValuesAndNumbers,
    /// The values alone. Wrong: both times it may read what there never was.
    Values,
    /// Nothing. Wrong: it reads what there never was.
    Nothing,
}

/// A register of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Register {
    /// Its value.
    #[state(range = 0..MAX)]
    pub val: usize,
    /// The number of the write of this value.
    #[state(range = 0..=MAX_WRITES)]
    pub wr_num: usize,
}

/// The registers that a reader has read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Collect(#[state(max_len = MAX)] pub Vec<Option<Register>>);

/// The interface and the registers behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Interface of readers and writers.
    pub interface: Interface,
    /// The registers.
    #[state(max_len = MAX)]
    pub imem: Vec<Register>,
    /// Number of writes that a writer has begun.
    #[state(each = "writer", max_len = MAX, range = 0..=MAX_WRITES)]
    pub wr_num: Vec<usize>,
    /// First collect of a reader.
    #[state(each = "reader", max_len = MAX)]
    pub rd_val1: Vec<Collect>,
    /// Second collect of a reader.
    #[state(each = "reader", max_len = MAX)]
    pub rd_val2: Vec<Collect>,
}

/// A step of a reader or a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = AfekSimplified)]
#[rule(process = "reader")]
#[process(0..system.users.readers)]
pub enum Action {
    /// A reader begins.
    #[rule(source = "AfekSimplified, BeginRd(i)")]
    BeginRd(#[process] usize),
    /// It reads a register for the first time.
    #[rule(source = "AfekSimplified, Rd1(i)")]
    Rd1(
        #[process] usize,
        #[action(range = 0..system.users.writers)] usize,
    ),
    /// It reads a register again.
    #[rule(source = "AfekSimplified, Rd2(i)")]
    Rd2(
        #[process] usize,
        #[action(range = 0..system.users.writers)] usize,
    ),
    /// It is done, or begins to read again.
    #[rule(source = "AfekSimplified, TryEndRd(i)")]
    TryEndRd(#[process] usize),
    /// A writer begins to write a value.
    #[rule(process = "writer", source = "AfekSimplified, BeginWr(i, cmd)")]
    BeginWr(
        #[process(0..system.users.writers)] usize,
        #[action(range = 0..system.users.values)] usize,
    ),
    /// Its register changes.
    #[rule(process = "writer", source = "AfekSimplified, DoWr(i)")]
    DoWr(#[process(0..system.users.writers)] usize),
    /// It has written the value.
    #[rule(process = "writer", source = "AfekSimplified, EndWr(i)")]
    EndWr(#[process(0..system.users.writers)] usize),
}

impl Collect {
    /// Whether all registers were read.
    fn is_complete(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    /// The memory that was read, if all registers were.
    fn memory(&self) -> Option<Memory> {
        let values = self.0.iter().map(|register| Some((*register)?.val));
        values.collect::<Option<Vec<_>>>().map(Memory)
    }
}

impl Compares {
    /// Whether a reader is done that has read this first and then.
    fn are_alike(self, first: &Collect, then: &Collect) -> bool {
        match self {
            Self::ValuesAndNumbers => first == then,
            Self::Values => first.memory() == then.memory(),
            Self::Nothing => true,
        }
    }
}

impl State {
    /// The values of the registers.
    pub fn memory(&self) -> Memory {
        Memory(self.imem.iter().map(|register| register.val).collect())
    }

    /// Whether the register of a writer has the value that it has begun to write last.
    pub fn has_written(&self, writer: usize) -> bool {
        self.imem[writer].wr_num == self.wr_num[writer]
    }

    /// A reader has read nothing.
    fn forget(&mut self, reader: usize) {
        self.rd_val1[reader].0.fill(None);
        self.rd_val2[reader].0.fill(None);
    }
}

impl TransitionSystem for AfekSimplified {
    type State = State;
    type Action = Action;
    type Observation = Interface;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let nothing = Collect(vec![None; self.users.writers]);
        let register = Register { val: 0, wr_num: 0 };
        visit(State {
            interface: self.users.interface(),
            imem: vec![register; self.users.writers],
            wr_num: vec![0; self.users.writers],
            rd_val1: vec![nothing.clone(); self.users.readers],
            rd_val2: vec![nothing; self.users.readers],
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::BeginRd(reader) => {
                state.interface.begin_rd(reader)?;
                state.forget(reader);
            }
            Action::Rd1(reader, register) => {
                let read = &mut state.rd_val1[reader].0[register];
                guard("it is reading", state.interface.is_reading(reader))
                    .and(guard("it has not read the register", read.is_none()))?;
                *read = Some(state.imem[register]);
            }
            Action::Rd2(reader, register) => {
                let has_read_all = state.rd_val1[reader].is_complete();
                let read = &mut state.rd_val2[reader].0[register];
                guard("it is reading", state.interface.is_reading(reader))
                    .and(guard("it has read all registers", has_read_all))
                    .and(guard("it has not read the register again", read.is_none()))?;
                *read = Some(state.imem[register]);
            }
            Action::TryEndRd(reader) => {
                let (first, then) = (&state.rd_val1[reader], &state.rd_val2[reader]);
                guard("it has read all registers", first.is_complete())
                    .and(guard("it has read all registers again", then.is_complete()))?;
                guard("it is reading", state.interface.is_reading(reader))?;
                if self.compares.are_alike(first, then) {
                    state.interface.end_rd(reader, first.memory()?)?;
                }
                state.forget(reader);
            }
            // See D1 for the number of writes.
            Action::BeginWr(writer, value) => {
                state.interface.begin_wr(writer, value)?;
                guard("it has writes left", state.wr_num[writer] < self.writes)?;
                state.wr_num[writer] += 1;
            }
            Action::DoWr(writer) => {
                guard("it has not written", !state.has_written(writer))?;
                let val = state.interface.writers[writer]?;
                let wr_num = state.wr_num[writer];
                state.imem[writer] = Register { val, wr_num };
            }
            Action::EndWr(writer) => {
                state.interface.end_wr(writer)?;
                guard("it has written", state.has_written(writer))?;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> Interface {
        state.interface.clone()
    }

    /// A bound cuts off the writers that have no writes left.
    fn caveats(&self) -> Caveats<'_, State> {
        let bound = match self.writes {
            1 => "one write a writer".to_owned(),
            writes => format!("{writes} writes a writer"),
        };
        Caveats::default().bounded(bound, |state: &State| {
            let writers = state.interface.writers.iter().zip(&state.wr_num);
            let stopped = writers
                .zip(WRITERS)
                .filter(|((interface, begun), _)| interface.is_none() && **begun == self.writes);
            stopped.map(|(_, name)| name).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use refmap_testing::search;

    use super::*;

    /// Whether a reader that has read all registers twice may have to begin again.
    fn begins_again(compares: Compares) -> bool {
        let users = Users {
            readers: 1,
            writers: 2,
            values: 2,
        };
        let system = AfekSimplified {
            users,
            writes: 1,
            compares,
        };
        let (states, _) = search(&system);
        let again = |from: &State| {
            let to = refmap::successor(&system, from, &Action::TryEndRd(0));
            to.is_some_and(|to| to.interface.is_reading(0))
        };
        states.iter().any(again)
    }

    /// A reader begins again where the registers have changed, unless it compares nothing.
    #[test]
    fn what_is_not_alike_is_read_again() {
        assert!(begins_again(Compares::ValuesAndNumbers));
        assert!(begins_again(Compares::Values));
        assert!(!begins_again(Compares::Nothing));
    }

    /// A write changes the register of its writer once, and the numbers do not exceed the bound, of which the instance tells.
    #[test]
    fn writes_are_numbered_and_bounded() {
        let users = Users {
            readers: 1,
            writers: 1,
            values: 2,
        };
        let system = AfekSimplified {
            users,
            writes: 2,
            compares: Compares::ValuesAndNumbers,
        };
        for state in search(&system).0 {
            let register = state.imem[0];
            assert!(register.wr_num <= state.wr_num[0] && state.wr_num[0] <= 2);
            let is_stopped = state.wr_num[0] == 2 && state.interface.writers[0].is_none();
            assert_eq!(system.caveats().cut_off(&state).is_empty(), !is_stopped);
        }
    }
}
