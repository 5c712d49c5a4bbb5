//! A lock of two counters: a thread takes a ticket, and waits until it is served.
//!
//! Source: Mellor-Crummey & Scott, *Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors*, ACM TOCS 9, 1991, section 2.2; the counters
//! are those of Reed & Kanodia, *Synchronization with Eventcounts and Sequencers*, CACM 22, 1979.

use refmap::{Counter, IndexSet, TransitionSystem, guard};
use serde::Serialize;

use super::MAX_THREADS;

/// The lock.
#[derive(Clone, Copy, Debug)]
pub struct TicketLock {
    /// Number of threads.
    pub threads: usize,
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
    /// Outside.
    Outside,
    /// It waits with this ticket.
    Waits(Number),
    /// It is inside with this ticket.
    Inside(Number),
}

/// The counters and the threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// The next ticket.
    pub next_ticket: Number,
    /// The ticket that is served.
    pub now_serving: Number,
    /// Each thread.
    #[state(each = "thread", symmetric, max_len = MAX_THREADS)]
    pub threads: Vec<Thread>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = TicketLock)]
#[rule(process = "thread")]
#[process(0..system.threads)]
pub enum Action {
    /// It takes a ticket.
    #[rule(source = "acquire_lock, fetch_and_increment")]
    Take(#[process] usize),
    /// Its ticket is served.
    #[rule(source = "acquire_lock, loop")]
    Enter(#[process] usize),
    /// It has the next one served.
    #[rule(source = "release_lock")]
    Release(#[process] usize),
}

impl State {
    /// The threads inside.
    pub fn inside(&self) -> IndexSet {
        let inside = |thread: &usize| matches!(self.threads[*thread], Thread::Inside(_));
        (0..self.threads.len()).filter(inside).collect()
    }
}

impl TransitionSystem for TicketLock {
    type State = State;
    type Action = Action;
    type Observation = IndexSet;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        visit(State {
            next_ticket: self.counters.first(),
            now_serving: self.counters.first(),
            threads: vec![Thread::Outside; self.threads],
        });
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::Take(thread) => {
                let is_outside = state.threads[thread] == Thread::Outside;
                guard("it is outside", is_outside)?;
                state.threads[thread] = Thread::Waits(state.next_ticket);
                state.next_ticket = self.counters.after(state.next_ticket);
            }
            Action::Enter(thread) => {
                let Thread::Waits(ticket) = state.threads[thread] else {
                    return None;
                };
                guard("its ticket is served", ticket == state.now_serving)?;
                state.threads[thread] = Thread::Inside(ticket);
            }
            Action::Release(thread) => {
                let is_inside = matches!(state.threads[thread], Thread::Inside(_));
                guard("it is inside", is_inside)?;
                state.threads[thread] = Thread::Outside;
                state.now_serving = self.counters.after(state.now_serving);
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> IndexSet {
        state.inside()
    }
}
