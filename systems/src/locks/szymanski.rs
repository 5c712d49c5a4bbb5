//! Szymanski's lock: a waiting room, of which the last one who enters closes the door.
//!
//! Source: Szymanski, *A Simple Solution to Lamport's Concurrent Programming Problem with Linear Wait*, ICS 1988: the algorithm with flags from 0 to 4.
//!
//! Deviations. D1: a wait reads the flags of all threads in one step, so that what a loop reads one after the other is not shown.

use refmap::{Drawing, IndexSet, TransitionSystem, guard, offer};
use serde::Serialize;

use super::{MAX_THREADS, drawing};

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
    #[state(symmetric, max_len = MAX_THREADS)]
    pub threads: Vec<Thread>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread")]
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

    /// The same with a thread at another label, if it is at `from`.
    fn go(&self, thread: usize, from: Label, to: Label) -> Option<Self> {
        guard("it is at the label", self.threads[thread].at == from).then(|| {
            let mut state = self.clone();
            state.threads[thread].at = to;
            state
        })
    }

    /// The same with this flag of a thread.
    fn with_flag(mut self, thread: usize, flag: u8) -> Self {
        self.threads[thread].flag = flag;
        self
    }

    /// True if some thread other than this one has the flag.
    fn has_other(&self, thread: usize, flag: u8) -> bool {
        let mut threads = self.threads.iter().enumerate();
        threads.any(|(other, one)| other != thread && one.flag == flag)
    }
}

impl Szymanski {
    fn enter_critical(self, from: &State, thread: usize) -> Option<State> {
        let to = from.go(thread, Label::Queues, Label::Critical)?;
        let mut lower = from.threads[..thread].iter();
        let may_enter = self.omits == Omits::Lower || lower.all(|one| one.flag < 2);
        guard("no lower one is in the waiting room", may_enter).then_some(to)
    }

    fn leave_critical(self, from: &State, thread: usize) -> Option<State> {
        let to = from.go(thread, Label::Critical, Label::Leaves)?;
        let mut higher = from.threads[thread + 1..].iter();
        let may_leave =
            self.omits == Omits::Higher || higher.all(|one| [0, 1, 4].contains(&one.flag));
        guard("the higher ones have seen the door closed", may_leave).then_some(to)
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        use Label::{Closes, Enters, Leaves, Looks, Outside, Queues, ToWait, Waits, Wants};
        for thread in 0..self.threads {
            let flagged = |at, to, flag| Some(from.go(thread, at, to)?.with_flag(thread, flag));
            let when = |at, to, condition, holds| {
                let to = from.go(thread, at, to)?;
                guard(condition, holds).then_some(to)
            };
            offer(visit, Action::Want(thread), || flagged(Outside, Wants, 1));
            offer(visit, Action::FindOpen(thread), || {
                let is_open = !from.has_other(thread, 3) && !from.has_other(thread, 4);
                when(Wants, Enters, "the door is open", is_open)
            });
            offer(visit, Action::Enter(thread), || flagged(Enters, Looks, 3));
            let has_other = from.has_other(thread, 1);
            offer(visit, Action::FindOther(thread), || {
                when(Looks, ToWait, "another one wants to enter", has_other)
            });
            offer(visit, Action::FindNoOther(thread), || {
                when(Looks, Closes, "no other one wants to enter", !has_other)
            });
            offer(visit, Action::Sit(thread), || flagged(ToWait, Waits, 2));
            offer(visit, Action::FindClosed(thread), || {
                let is_closed = from.has_other(thread, 4);
                when(Waits, Closes, "the door is closed", is_closed)
            });
            offer(visit, Action::Close(thread), || flagged(Closes, Queues, 4));
            offer(visit, Action::EnterCritical(thread), || {
                self.enter_critical(from, thread)
            });
            offer(visit, Action::LeaveCritical(thread), || {
                self.leave_critical(from, thread)
            });
            offer(visit, Action::Leave(thread), || flagged(Leaves, Outside, 0));
        }
    }

    fn observe(&self, state: &State) -> IndexSet {
        state.inside()
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(&state.threads))
    }
}
