//! A lock of two counters: a thread takes a ticket, and waits until it is served.
//!
//! Source: Mellor-Crummey & Scott, *Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors*, ACM TOCS 9, 1991, section 2.2; the counters
//! are those of Reed & Kanodia, *Synchronization with Eventcounts and Sequencers*, CACM 22, 1979.

use refmap::crowd::{Crowd, Others};
use refmap::{Counter, guard};
use serde::Serialize;

/// The lock.
#[derive(Clone, Copy, Debug)]
pub struct TicketLock {
    /// Numbers of which counters are.
    pub counters: Counters,
}

/// Numbers of which counters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Counters {
    /// As many as there are, so that there is no end of states.
    Unbounded,
    /// Bytes, which begin anew after 255.
    Bytes,
    /// Bits. Wrong: of three threads two may have the same ticket.
    Bits,
}

// ANCHOR: number
/// Number of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(untagged)]
pub enum Number {
    /// Of counters without an end.
    Unbounded(Counter),
    /// Of counters that begin anew.
    Bounded(#[state(varint)] u64),
}
// ANCHOR_END: number

impl Counters {
    /// The first ticket.
    fn first(self) -> Number {
        match self {
            Self::Unbounded => Number::Unbounded(Counter::START),
            Self::Bytes | Self::Bits => Number::Bounded(0),
        }
    }

    /// The ticket after this one.
    fn after(self, number: Number) -> Number {
        match (number, self) {
            (Number::Unbounded(counter), _) => Number::Unbounded(counter.next()),
            (Number::Bounded(counter), Self::Bits) => Number::Bounded((counter + 1) % 2),
            (Number::Bounded(counter), _) => Number::Bounded((counter + 1) % 256),
        }
    }
}

/// Place of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    Outside,
    /// It waits with this ticket.
    Waits(Number),
    /// It is inside with this ticket.
    Inside(Number),
}

/// The counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Shared {
    pub next_ticket: Number,
    /// The ticket that is served.
    pub now_serving: Number,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread")]
pub enum Action {
    /// It takes a ticket.
    #[rule(source = "acquire_lock, fetch_and_increment")]
    Take,
    /// Its ticket is served.
    #[rule(source = "acquire_lock, loop")]
    Enter,
    /// It has the next one served.
    #[rule(source = "release_lock")]
    Release,
}

impl Crowd for TicketLock {
    type Shared = Shared;
    type Member = Thread;
    type Action = Action;
    type Observation = bool;

    fn members(&self) -> &str {
        "threads"
    }

    fn initial(&self, visit: &mut impl FnMut(Shared, &[Thread])) {
        let counters = Shared {
            next_ticket: self.counters.first(),
            now_serving: self.counters.first(),
        };
        visit(counters, &[Thread::Outside]);
    }

    fn fire(
        &self,
        action: &Action,
        shared: &mut Shared,
        me: &mut Thread,
        _: &mut Others<'_, Thread>,
    ) -> Option<()> {
        match action {
            Action::Take => {
                guard("it is outside", *me == Thread::Outside)?;
                *me = Thread::Waits(shared.next_ticket);
                shared.next_ticket = self.counters.after(shared.next_ticket);
            }
            Action::Enter => {
                let Thread::Waits(ticket) = *me else {
                    return None;
                };
                guard("its ticket is served", ticket == shared.now_serving)?;
                *me = Thread::Inside(ticket);
            }
            Action::Release => {
                guard("it is inside", matches!(me, Thread::Inside(_)))?;
                *me = Thread::Outside;
                shared.now_serving = self.counters.after(shared.now_serving);
            }
        }
        Some(())
    }

    fn observe_member(&self, _: &Shared, thread: &Thread) -> Option<bool> {
        Some(matches!(thread, Thread::Inside(_)))
    }
}
