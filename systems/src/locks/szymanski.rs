//! Szymanski's lock: a waiting room, of which the last one who enters closes the door.
//!
//! Source: Szymanski, *A Simple Solution to Lamport's Concurrent Programming Problem with Linear Wait*, ICS 1988: the algorithm with flags from 0 to 4.
//!
//! Deviations. D1: a wait reads the flags of all threads in one step, so that what a loop reads one after the other is not shown.

use refmap::crowd::{Crowd, Others};
use refmap::guard;
use serde::Serialize;

/// The lock.
#[derive(Clone, Copy, Debug)]
pub struct Szymanski {
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
    Leaves,
}

/// A thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct Thread {
    /// Its label.
    pub at: Label,
    #[state(range = 0..5)]
    pub flag: u8,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread")]
pub enum Action {
    /// It raises its flag to 1.
    #[rule(source = "Szymanski, flag := 1")]
    Want,
    /// All flags are below 3: the door is open.
    #[rule(source = "Szymanski, await all flags in {0, 1, 2}")]
    FindOpen,
    /// It raises its flag to 3.
    #[rule(source = "Szymanski, flag := 3")]
    Enter,
    /// Some flag is 1: others are to enter as well.
    #[rule(source = "Szymanski, if some flag is 1")]
    FindOther,
    /// No flag is 1.
    #[rule(source = "Szymanski, if no flag is 1")]
    FindNoOther,
    /// It lowers its flag to 2.
    #[rule(source = "Szymanski, flag := 2")]
    Sit,
    /// Some flag is 4: the door is closed.
    #[rule(source = "Szymanski, await some flag = 4")]
    FindClosed,
    /// It raises its flag to 4.
    #[rule(source = "Szymanski, flag := 4")]
    Close,
    /// All flags of lower numbers are 0 or 1: it enters its critical section.
    #[rule(source = "Szymanski, await lower flags in {0, 1}")]
    EnterCritical,
    /// All flags of higher numbers are 0, 1 or 4: it leaves its critical section.
    #[rule(source = "Szymanski, await higher flags in {0, 1, 4}")]
    LeaveCritical,
    /// It lowers its flag to 0.
    #[rule(source = "Szymanski, flag := 0")]
    Leave,
}

impl Thread {
    /// It goes to another label, if it is at `from`.
    fn go(&mut self, from: Label, to: Label) -> Option<()> {
        guard("it is at the label", self.at == from)?;
        self.at = to;
        Some(())
    }

    /// It sets its flag and goes to another label, if it is at `from`.
    fn flag(&mut self, from: Label, to: Label, flag: u8) -> Option<()> {
        self.go(from, to)?;
        self.flag = flag;
        Some(())
    }
}

impl Crowd for Szymanski {
    type Shared = ();
    type Member = Thread;
    type Action = Action;
    type Observation = bool;

    /// Threads wait for those of lower numbers, and for those of higher ones.
    const IN_LINE: bool = true;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut((), &[Thread])) {
        let outside = Thread {
            at: Label::Outside,
            flag: 0,
        };
        visit((), &[outside]);
    }

    fn fire(
        &self,
        action: &Action,
        _: &mut (),
        me: &mut Thread,
        others: &mut Others<'_, Thread>,
    ) -> Option<()> {
        use Label::{
            Closes, Critical, Enters, Leaves, Looks, Outside, Queues, ToWait, Waits, Wants,
        };
        match action {
            Action::Want => me.flag(Outside, Wants, 1),
            Action::FindOpen => {
                me.go(Wants, Enters)?;
                guard("the door is open", others.none(|it| it.flag > 2))
            }
            Action::Enter => me.flag(Enters, Looks, 3),
            // ANCHOR: some
            Action::FindOther => {
                me.go(Looks, ToWait)?;
                guard("another one wants to enter", others.some(|it| it.flag == 1))
            }
            Action::FindNoOther => {
                me.go(Looks, Closes)?;
                guard(
                    "no other one wants to enter",
                    others.none(|it| it.flag == 1),
                )
            }
            Action::Sit => me.flag(ToWait, Waits, 2),
            Action::FindClosed => {
                me.go(Waits, Closes)?;
                guard("the door is closed", others.some(|it| it.flag == 4))
            }
            // ANCHOR_END: some
            Action::Close => me.flag(Closes, Queues, 4),
            Action::EnterCritical => {
                me.go(Queues, Critical)?;
                if self.omits == Omits::Lower {
                    return Some(());
                }
                let no_lower = others.before().none(|it| it.flag > 1);
                guard("no lower one is in the waiting room", no_lower)
            }
            Action::LeaveCritical => {
                me.go(Critical, Leaves)?;
                if self.omits == Omits::Higher {
                    return Some(());
                }
                let no_higher = others.behind().none(|it| [2, 3].contains(&it.flag));
                guard("the higher ones have seen the door closed", no_higher)
            }
            Action::Leave => me.flag(Leaves, Outside, 0),
        }
    }

    fn observe_member(&self, _: &(), thread: &Thread) -> Option<bool> {
        Some(thread.at == Label::Critical)
    }
}
