//! Peterson's algorithm for mutual exclusion of two processes.
//!
//! Source: TLA+ Examples, `locks_auxiliary_vars`, module `Peterson`; Peterson, *Myths About the Mutual Exclusion Problem*.
//!
//! Deviations. D1: what can be observed is which processes are in their critical section; the source leaves that open.

use refmap::drawing::Row;
use refmap::{Drawing, TransitionSystem, guard, offer};
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
#[rule(process = "process")]
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
    /// The same with the process at another label, if it is at `from`.
    fn go(&self, process: usize, from: Label, to: Label) -> Option<Self> {
        guard("it is at the label", self.pc[process] == from).then(|| {
            let mut pc = self.pc;
            pc[process] = to;
            Self { pc, ..*self }
        })
    }

    /// The same with `c` of the process.
    fn with_c(mut self, process: usize, c: bool) -> Self {
        self.c[process] = c;
        self
    }

    /// The same with the turn of the other process.
    fn with_turn_of_other(self, process: usize) -> Self {
        let turn = other(process);
        Self { turn, ..self }
    }

    /// Rule *a1*.
    fn a1(&self, process: usize, writes: Writes) -> Option<Self> {
        let to = self.go(process, Label::A1, Label::A2)?;
        Some(match writes {
            Writes::FlagFirst => to.with_c(process, true),
            Writes::TurnFirst => to.with_turn_of_other(process),
        })
    }

    /// Rule *a2*.
    fn a2(&self, process: usize, writes: Writes) -> Option<Self> {
        let to = self.go(process, Label::A2, Label::A3)?;
        Some(match writes {
            Writes::FlagFirst => to.with_turn_of_other(process),
            Writes::TurnFirst => to.with_c(process, true),
        })
    }

    /// Rule *a3*.
    fn a3(&self, process: usize) -> Option<Self> {
        let may_enter = !self.c[other(process)] || self.turn == process;
        let to = self.go(process, Label::A3, Label::Cs)?;
        guard("the other one does not want to enter, or waits", may_enter).then_some(to)
    }

    /// Rule *a4*.
    fn a4(&self, process: usize) -> Option<Self> {
        let to = self.go(process, Label::A4, Label::A0)?;
        Some(to.with_c(process, false))
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for process in 0..PROCESSES {
            offer(visit, Action::A0(process), || {
                from.go(process, Label::A0, Label::A1)
            });
            offer(visit, Action::A1(process), || from.a1(process, self.writes));
            offer(visit, Action::A2(process), || from.a2(process, self.writes));
            offer(visit, Action::A3(process), || from.a3(process));
            offer(visit, Action::Cs(process), || {
                from.go(process, Label::Cs, Label::A4)
            });
            offer(visit, Action::A4(process), || from.a4(process));
        }
    }

    fn observe(&self, state: &State) -> [bool; PROCESSES] {
        state.pc.map(|label| label == Label::Cs)
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(state))
    }
}

/// The turn, and the label and the variable of each process.
fn drawing(state: &State) -> Drawing {
    let at = |process: usize| {
        let label = format!("{:?}", state.pc[process]).to_lowercase();
        Row::of(format!("process {process}"))
            .value("at", label)
            .value("c", state.c[process])
    };
    let processes = (0..PROCESSES).map(at);
    processes
        .fold(Drawing::default(), Drawing::row)
        .row(Row::new().value("turn", state.turn))
}

#[cfg(test)]
mod tests {
    use super::super::support::{counts, search};
    use super::*;

    /// [`locks_auxiliary_vars/Peterson.cfg`]
    #[test]
    fn petersons_algorithm_has_the_counts_of_tlc() {
        let writes = Writes::FlagFirst;
        assert_eq!(counts(&Peterson { writes }), (42, 77, 11));
    }

    /// Both processes enter where a process writes `turn` first, and only there.
    #[test]
    fn the_order_of_the_writes_matters() {
        let both_enter = |writes| {
            let (states, _) = search(&Peterson { writes });
            let is_inside = |state: &State| state.pc.into_iter().all(Label::is_inside);
            states.iter().any(is_inside)
        };
        assert!(!both_enter(Writes::FlagFirst));
        assert!(both_enter(Writes::TurnFirst));
    }
}
