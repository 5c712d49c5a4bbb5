//! An abstract lock, which two processes take and give back.
//!
//! Source: TLA+ Examples, `locks_auxiliary_vars`, module `Lock`. Its state is that of module `LockHS` without the history variable
//! `h_turn` and the stuttering variable `s`.
//!
//! Deviations. D1: what can be observed is which processes are in their critical section; the source leaves that open.

use refmap::{TransitionSystem, guard};
use serde::Serialize;

/// Number of processes.
pub const PROCESSES: usize = 2;

/// The lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock;

/// Labels of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// In its non-critical section.
    L0,
    /// It asks for the lock.
    L1,
    /// In its critical section.
    Cs,
    /// It gives the lock back.
    L2,
}

/// The processes and the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The label of a process.
    pub pc: [Label; PROCESSES],
    /// 1 if no process has the lock, and 0 if one has it.
    #[state(range = 0..=1)]
    pub lock: u8,
}

/// A step of a process, by the label that it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action, refmap::State)]
#[action(system = Lock)]
#[rule(process = "process")]
#[process(0..PROCESSES)]
pub enum Action {
    /// It leaves its non-critical section.
    #[rule(source = "Lock, l0(self)")]
    L0(
        #[process]
        #[state(range = 0..PROCESSES)]
        usize,
    ),
    /// It takes the lock.
    #[rule(source = "Lock, l1(self)")]
    L1(
        #[process]
        #[state(range = 0..PROCESSES)]
        usize,
    ),
    /// It leaves its critical section.
    #[rule(source = "Lock, cs(self)")]
    Cs(
        #[process]
        #[state(range = 0..PROCESSES)]
        usize,
    ),
    /// It gives the lock back.
    #[rule(source = "Lock, l2(self)")]
    L2(
        #[process]
        #[state(range = 0..PROCESSES)]
        usize,
    ),
}

/// The other process.
pub fn other(process: usize) -> usize {
    1 - process
}

impl State {
    /// The process goes to another label, if it is at `from`.
    fn go(&mut self, process: usize, from: Label, to: Label) -> Option<()> {
        guard("it is at the label", self.pc[process] == from)?;
        self.pc[process] = to;
        Some(())
    }
}

impl TransitionSystem for Lock {
    type State = State;
    type Action = Action;
    type Observation = [bool; PROCESSES];

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            pc: [Label::L0; PROCESSES],
            lock: 1,
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::L0(process) => state.go(process, Label::L0, Label::L1)?,
            Action::L1(process) => {
                state.go(process, Label::L1, Label::Cs)?;
                guard("the lock is free", state.lock == 1)?;
                state.lock = 0;
            }
            Action::Cs(process) => state.go(process, Label::Cs, Label::L2)?,
            Action::L2(process) => {
                state.go(process, Label::L2, Label::L0)?;
                state.lock = 1;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> [bool; PROCESSES] {
        state.pc.map(|label| label == Label::Cs)
    }
}

#[cfg(test)]
mod tests {
    use refmap_testing::search;

    use super::*;

    /// [`locks_auxiliary_vars/Lock.cfg`]
    #[test]
    fn the_lock_has_the_counts_of_tlc() {
        assert_eq!(search(&Lock).1, (12, 21, 5));
    }
}
