//! A lock of two counters: a thread takes a ticket, and waits until it is served.
//!
//! Source: Mellor-Crummey & Scott, *Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors*, ACM TOCS 9, 1991, section 2.2; the counters
//! are those of Reed & Kanodia, *Synchronization with Eventcounts and Sequencers*, CACM 22, 1979.

use refmap::drawing::Row;
use refmap::{Counter, Drawing, IndexSet, TransitionSystem, guard, offer};
use serde::Serialize;

use super::{MAX_THREADS, drawing};

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
            Self::Unbounded => Number::Unbounded(Counter::ZERO),
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
    #[state(symmetric, max_len = MAX_THREADS)]
    pub threads: Vec<Thread>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "thread")]
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

    fn with(&self, thread: usize, place: Thread) -> Self {
        let mut to = self.clone();
        to.threads[thread] = place;
        to
    }

    fn take(&self, thread: usize, counters: Counters) -> Option<Self> {
        let is_outside = self.threads[thread] == Thread::Outside;
        guard("it is outside", is_outside).then(|| Self {
            next_ticket: counters.after(self.next_ticket),
            ..self.with(thread, Thread::Waits(self.next_ticket))
        })
    }

    fn enter(&self, thread: usize) -> Option<Self> {
        let Thread::Waits(ticket) = self.threads[thread] else {
            return None;
        };
        let is_served = ticket == self.now_serving;
        guard("its ticket is served", is_served).then(|| self.with(thread, Thread::Inside(ticket)))
    }

    fn release(&self, thread: usize, counters: Counters) -> Option<Self> {
        let is_inside = matches!(self.threads[thread], Thread::Inside(_));
        guard("it is inside", is_inside).then(|| Self {
            now_serving: counters.after(self.now_serving),
            ..self.with(thread, Thread::Outside)
        })
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        let counters = self.counters;
        for thread in 0..self.threads {
            offer(visit, Action::Take(thread), || from.take(thread, counters));
            offer(visit, Action::Enter(thread), || from.enter(thread));
            offer(visit, Action::Release(thread), || {
                from.release(thread, counters)
            });
        }
    }

    fn observe(&self, state: &State) -> IndexSet {
        state.inside()
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        let next = format!("{:?}", state.next_ticket).to_lowercase();
        let serving = format!("{:?}", state.now_serving).to_lowercase();
        let counters = Row::new().value("next", next).value("serving", serving);
        Some(drawing(&state.threads).row(counters))
    }
}
