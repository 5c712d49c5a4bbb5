//! Readers and writers: the first reader locks writers out, and the last one lets them in.
//!
//! Source: Courtois, Heymans & Parnas, *Concurrent Control with "Readers" and "Writers"*, CACM 14, 1971: the solution of problem 1, with the semaphores
//! `mutex` and `w`.
//!
//! Deviations. D1: a reader that is to know whether `readcount` is one, or zero, looks whether others are counted. D2: `P(mutex)` and the change of `readcount` are one step,
//! which nobody can tell who has to take `mutex` as well; so are what follows the test, and `V(mutex)`.

use refmap::crowd::{Crowd, Others};
use refmap::guard;
use serde::Serialize;

use super::shared_exclusion;

/// The lock.
#[derive(Clone, Copy, Debug)]
pub struct ReadersWriters {
    /// Part that is left out.
    pub omits: Omits,
}

/// Part that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Omits {
    /// None: as published.
    Nothing,
    /// The semaphore `mutex`. Wrong: two readers that enter at once each take the other one for the first.
    Mutex,
    /// The test whether a reader is the last one. Wrong: the first one that leaves lets writers in.
    LastReader,
}

/// Place of a thread, which reads at one time and writes at another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    Outside,
    /// A reader that is counted, and is to test whether it is the first one.
    Enters,
    Reads,
    /// A reader that is counted no more, and is to test whether it was the last one.
    Leaves,
    Writes,
}

/// The semaphores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Semaphores {
    /// True if `mutex` is taken.
    pub mutex: bool,
    /// True if `w` is taken: by a writer, or by readers.
    pub w: bool,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread")]
pub enum Action {
    /// A reader is counted.
    #[rule(source = "reader, P(mutex); readcount := readcount + 1")]
    Count,
    /// It is the first one, and takes `w` of the writers.
    #[rule(source = "reader, if readcount = 1 then P(w); V(mutex)")]
    ReadFirst,
    /// It is not.
    #[rule(source = "reader, if readcount = 1; V(mutex)")]
    ReadToo,
    /// A reader is counted no more.
    #[rule(source = "reader, P(mutex); readcount := readcount - 1")]
    Discount,
    /// It was the last one, and gives `w` to the writers.
    #[rule(source = "reader, if readcount = 0 then V(w); V(mutex)")]
    LeaveLast,
    /// It was not.
    #[rule(source = "reader, if readcount = 0; V(mutex)")]
    LeaveOthers,
    /// A writer writes.
    #[rule(source = "writer, P(w)")]
    Write,
    #[rule(source = "writer, V(w)")]
    LeaveWritten,
}

impl Thread {
    /// True if it is one of those in `readcount`.
    fn is_counted(&self) -> bool {
        matches!(self, Self::Enters | Self::Reads)
    }

    /// It goes to another place, if it is at `from`.
    fn go(&mut self, from: Self, to: Self) -> Option<()> {
        guard("it is there", *self == from)?;
        *self = to;
        Some(())
    }
}

impl ReadersWriters {
    /// `P(mutex)`.
    fn take_mutex(self, semaphores: &mut Semaphores) -> Option<()> {
        if self.omits == Omits::Mutex {
            return Some(());
        }
        take(&mut semaphores.mutex)
    }
}

/// A semaphore is taken.
fn take(semaphore: &mut bool) -> Option<()> {
    guard("the semaphore is not taken", !*semaphore)?;
    *semaphore = true;
    Some(())
}

impl Crowd for ReadersWriters {
    type Shared = Semaphores;
    type Member = Thread;
    type Action = Action;
    type Observation = shared_exclusion::Thread;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut(Semaphores, &[Thread])) {
        let semaphores = Semaphores {
            mutex: false,
            w: false,
        };
        visit(semaphores, &[Thread::Outside]);
    }

    fn fire(
        &self,
        action: &Action,
        semaphores: &mut Semaphores,
        me: &mut Thread,
        others: &mut Others<'_, Thread>,
    ) -> Option<()> {
        use Thread::{Enters, Leaves, Outside, Reads, Writes};
        match action {
            Action::Count => {
                me.go(Outside, Enters)?;
                self.take_mutex(semaphores)?;
            }
            Action::ReadFirst => {
                me.go(Enters, Reads)?;
                others.none(Thread::is_counted)?;
                take(&mut semaphores.w)?;
                semaphores.mutex = false;
            }
            Action::ReadToo => {
                me.go(Enters, Reads)?;
                others.some(Thread::is_counted)?;
                semaphores.mutex = false;
            }
            Action::Discount => {
                me.go(Reads, Leaves)?;
                self.take_mutex(semaphores)?;
            }
            Action::LeaveLast => {
                me.go(Leaves, Outside)?;
                if self.omits != Omits::LastReader {
                    others.none(Thread::is_counted)?;
                }
                semaphores.w = false;
                semaphores.mutex = false;
            }
            Action::LeaveOthers => {
                me.go(Leaves, Outside)?;
                others.some(Thread::is_counted)?;
                semaphores.mutex = false;
            }
            Action::Write => {
                me.go(Outside, Writes)?;
                take(&mut semaphores.w)?;
            }
            Action::LeaveWritten => {
                me.go(Writes, Outside)?;
                semaphores.w = false;
            }
        }
        Some(())
    }

    fn observe_member(&self, _: &Semaphores, thread: &Thread) -> Option<shared_exclusion::Thread> {
        Some(match thread {
            Thread::Outside | Thread::Enters | Thread::Leaves => shared_exclusion::Thread::Outside,
            Thread::Reads => shared_exclusion::Thread::Reads,
            Thread::Writes => shared_exclusion::Thread::Writes,
        })
    }
}
