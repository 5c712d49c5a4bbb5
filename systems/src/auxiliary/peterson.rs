//! Peterson's algorithm for mutual exclusion of two processes.
//!
//! Source: TLA+ Examples, `locks_auxiliary_vars`, module `Peterson`; Peterson, *Myths About the Mutual Exclusion Problem*.
//!
//! Deviations. D1: what can be observed is which processes are in their critical section; the source leaves that open.

use refmap::{TransitionSystem, guard};
use serde::Serialize;

use super::lock::{PROCESSES, other};

/// Peterson's algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peterson {
    /// The order of the two writes of a process.
    pub writes: Writes,
}

/// The order in which a process writes `c` and `turn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Writes {
    /// First `c` at *a1*, then `turn` at *a2*: as published.
    FlagFirst,
    /// First `turn` at *a1*, then `c` at *a2*. Wrong: the other process does not see that it has to wait.
    TurnFirst,
}

/// Labels of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// In its non-critical section.
    A0,
    /// It says that it wants to enter.
    A1,
    /// It lets the other process go first.
    A2,
    /// It waits.
    A3,
    /// In its critical section.
    Cs,
    /// It says that it does not want to enter any more.
    A4,
}

/// The processes and their variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The label of a process.
    pub pc: [Label; PROCESSES],
    /// Whether a process wants to enter, or has entered.
    pub c: [bool; PROCESSES],
    /// The process that goes first.
    #[state(range = 0..PROCESSES)]
    pub turn: usize,
}

/// A step of a process, by the label that it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Peterson)]
#[rule(process = "process")]
#[process(0..PROCESSES)]
pub enum Action {
    /// It leaves its non-critical section.
    #[rule(source = "Peterson, a0(self)")]
    A0(#[process] usize),
    /// It says that it wants to enter.
    #[rule(source = "Peterson, a1(self)")]
    A1(#[process] usize),
    /// It lets the other process go first.
    #[rule(source = "Peterson, a2(self)")]
    A2(#[process] usize),
    /// It enters its critical section.
    #[rule(source = "Peterson, a3(self)")]
    A3(#[process] usize),
    /// It leaves its critical section.
    #[rule(source = "Peterson, cs(self)")]
    Cs(#[process] usize),
    /// It says that it does not want to enter any more.
    #[rule(source = "Peterson, a4(self)")]
    A4(#[process] usize),
}

impl Label {
    /// Whether this is a label of the critical section, or of its exit.
    pub fn is_inside(self) -> bool {
        matches!(self, Self::Cs | Self::A4)
    }
}

impl State {
    /// The process goes to another label, if it is at `from`.
    fn go(&mut self, process: usize, from: Label, to: Label) -> Option<()> {
        guard("it is at the label", self.pc[process] == from)?;
        self.pc[process] = to;
        Some(())
    }
}

impl TransitionSystem for Peterson {
    type State = State;
    type Action = Action;
    type Observation = [bool; PROCESSES];

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            pc: [Label::A0; PROCESSES],
            c: [false; PROCESSES],
            turn: 0,
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::A0(process) => state.go(process, Label::A0, Label::A1)?,
            Action::A1(process) => {
                state.go(process, Label::A1, Label::A2)?;
                match self.writes {
                    Writes::FlagFirst => state.c[process] = true,
                    Writes::TurnFirst => state.turn = other(process),
                }
            }
            Action::A2(process) => {
                state.go(process, Label::A2, Label::A3)?;
                match self.writes {
                    Writes::FlagFirst => state.turn = other(process),
                    Writes::TurnFirst => state.c[process] = true,
                }
            }
            Action::A3(process) => {
                state.go(process, Label::A3, Label::Cs)?;
                let may_enter = !state.c[other(process)] || state.turn == process;
                guard("the other one does not want to enter, or waits", may_enter)?;
            }
            Action::Cs(process) => state.go(process, Label::Cs, Label::A4)?,
            Action::A4(process) => {
                state.go(process, Label::A4, Label::A0)?;
                state.c[process] = false;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> [bool; PROCESSES] {
        state.pc.map(|label| label == Label::Cs)
    }
}
