//! Szymanski's lock: a waiting room, of which the last one who enters closes the door.
//!
//! Source: Szymanski, *A Simple Solution to Lamport's Concurrent Programming Problem with Linear Wait*, ICS 1988: the algorithm with flags from 0 to 4.
//!
//! Deviations. D1: a wait reads the flags of all threads in one step, so that what a loop reads one after the other is not shown.

use refmap::{IndexSet, TransitionSystem, guard};
use serde::Serialize;

use super::MAX_THREADS;

/// The lock.
#[derive(Clone, Copy, Debug)]
pub struct Szymanski {
    /// Number of threads.
    pub threads: usize,
    /// Wait that is left out.
    pub omits: Omits,
}

/// Wait that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Omits {
    /// None: as published.
    Nothing,
    /// That for threads of lower numbers to leave. Wrong: all in the waiting room enter.
    Lower,
    /// That for threads of higher numbers to see the door closed. Wrong: one of them may come too late to close it.
    Higher,
}

/// Label of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// In its non-critical section.
    Outside,
    /// It wants to enter, and waits for the door to be open.
    Wants,
    /// It goes through the doorway.
    Enters,
    /// In the doorway, it looks for others who want to enter.
    Looks,
    /// It found one, and is to wait.
    ToWait,
    /// It waits for the door to be closed.
    Waits,
    /// It closes the door.
    Closes,
    /// It waits for those of lower numbers.
    Queues,
    /// In its critical section.
    Critical,
    /// It leaves.
    Leaves,
}

/// A thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct Thread {
    /// Its label.
    pub at: Label,
    /// Its flag.
    #[state(range = 0..5)]
    pub flag: u8,
}

/// The threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// Each thread, in the order of their numbers.
    #[state(each = "thread", symmetric, max_len = MAX_THREADS)]
    pub threads: Vec<Thread>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Szymanski)]
#[rule(process = "thread")]
#[process(0..system.threads)]
pub enum Action {
    /// It raises its flag to 1.
    #[rule(source = "Szymanski, flag := 1")]
    Want(#[process] usize),
    /// All flags are below 3: the door is open.
    #[rule(source = "Szymanski, await all flags in {0, 1, 2}")]
    FindOpen(#[process] usize),
    /// It raises its flag to 3.
    #[rule(source = "Szymanski, flag := 3")]
    Enter(#[process] usize),
    /// Some flag is 1: others are to enter as well.
    #[rule(source = "Szymanski, if some flag is 1")]
    FindOther(#[process] usize),
    /// No flag is 1.
    #[rule(source = "Szymanski, if no flag is 1")]
    FindNoOther(#[process] usize),
    /// It lowers its flag to 2.
    #[rule(source = "Szymanski, flag := 2")]
    Sit(#[process] usize),
    /// Some flag is 4: the door is closed.
    #[rule(source = "Szymanski, await some flag = 4")]
    FindClosed(#[process] usize),
    /// It raises its flag to 4.
    #[rule(source = "Szymanski, flag := 4")]
    Close(#[process] usize),
    /// All flags of lower numbers are 0 or 1: it enters its critical section.
    #[rule(source = "Szymanski, await lower flags in {0, 1}")]
    EnterCritical(#[process] usize),
    /// All flags of higher numbers are 0, 1 or 4: it leaves its critical section.
    #[rule(source = "Szymanski, await higher flags in {0, 1, 4}")]
    LeaveCritical(#[process] usize),
    /// It lowers its flag to 0.
    #[rule(source = "Szymanski, flag := 0")]
    Leave(#[process] usize),
}

impl State {
    /// The threads inside.
    pub fn inside(&self) -> IndexSet {
        let inside = |thread: &usize| self.threads[*thread].at == Label::Critical;
        (0..self.threads.len()).filter(inside).collect()
    }

    /// A thread goes to another label, if it is at `from`.
    fn go(&mut self, thread: usize, from: Label, to: Label) -> Option<()> {
        let at = &mut self.threads[thread].at;
        guard("it is at the label", *at == from)?;
        *at = to;
        Some(())
    }

    /// A thread sets its flag and goes to another label, if it is at `from`.
    fn flag(&mut self, thread: usize, from: Label, to: Label, flag: u8) -> Option<()> {
        self.go(thread, from, to)?;
        self.threads[thread].flag = flag;
        Some(())
    }

    /// True if some thread other than this one has the flag.
    fn has_other(&self, thread: usize, flag: u8) -> bool {
        let mut threads = self.threads.iter().enumerate();
        threads.any(|(other, one)| other != thread && one.flag == flag)
    }
}

impl TransitionSystem for Szymanski {
    type State = State;
    type Action = Action;
    type Observation = IndexSet;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        let outside = Thread {
            at: Label::Outside,
            flag: 0,
        };
        visit(State {
            threads: vec![outside; self.threads],
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        use Label::{
            Closes, Critical, Enters, Leaves, Looks, Outside, Queues, ToWait, Waits, Wants,
        };
        match *action {
            Action::Want(thread) => state.flag(thread, Outside, Wants, 1),
            Action::FindOpen(thread) => {
                state.go(thread, Wants, Enters)?;
                let is_open = !state.has_other(thread, 3) && !state.has_other(thread, 4);
                guard("the door is open", is_open)
            }
            Action::Enter(thread) => state.flag(thread, Enters, Looks, 3),
            Action::FindOther(thread) => {
                state.go(thread, Looks, ToWait)?;
                guard("another one wants to enter", state.has_other(thread, 1))
            }
            Action::FindNoOther(thread) => {
                state.go(thread, Looks, Closes)?;
                guard("no other one wants to enter", !state.has_other(thread, 1))
            }
            Action::Sit(thread) => state.flag(thread, ToWait, Waits, 2),
            Action::FindClosed(thread) => {
                state.go(thread, Waits, Closes)?;
                guard("the door is closed", state.has_other(thread, 4))
            }
            Action::Close(thread) => state.flag(thread, Closes, Queues, 4),
            Action::EnterCritical(thread) => {
                state.go(thread, Queues, Critical)?;
                let mut lower = state.threads[..thread].iter();
                let may_enter = self.omits == Omits::Lower || lower.all(|one| one.flag < 2);
                guard("no lower one is in the waiting room", may_enter)
            }
            Action::LeaveCritical(thread) => {
                state.go(thread, Critical, Leaves)?;
                let mut higher = state.threads[thread + 1..].iter();
                let may_leave =
                    self.omits == Omits::Higher || higher.all(|one| [0, 1, 4].contains(&one.flag));
                guard("the higher ones have seen the door closed", may_leave)
            }
            Action::Leave(thread) => state.flag(thread, Leaves, Outside, 0),
        }
    }

    fn observe(&self, state: &State) -> IndexSet {
        state.inside()
    }
}
