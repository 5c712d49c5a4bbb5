//! The linearizable queue Fifo: an operation takes effect in one step between its beginning and its end.
//!
//! Source: Lamport, *A Science of Concurrent Programs*, chapter 6, Fig. 6.9, with the internal variables `queue`, `enqInner` and
//! `deqInner`; the condition is that of Herlihy & Wing, *Linearizability: A Correctness Condition for Concurrent Objects*.
//!
//! Deviations. D1: the queue has a capacity, since otherwise there is no end of its states; *DoEnq* waits while it is full. A
//! capacity of all elements that an implementation can have hides nothing.

use refmap::drawing::Row;
use refmap::{Drawing, TransitionSystem, guard, offer};
use serde::Serialize;

use super::queue::{Interface, MAX, Users, or_dash};

/// Greatest length of the queue.
pub const MAX_CAPACITY: usize = 16;

/// An instance of Fifo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fifo {
    /// The users and their data.
    pub users: Users,
    /// Greatest length of the queue.
    pub capacity: usize,
}

/// Progress of the operation of an enqueuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum EnqInner {
    /// There is none, or its datum is in the queue.
    Done,
    /// Its datum is not in the queue yet.
    Busy,
}

/// The interface and the queue behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// `enq` and `deq`.
    #[serde(flatten)]
    pub interface: Interface,
    /// The data in the queue, the oldest first.
    #[state(max_len = MAX_CAPACITY, range = 0..MAX)]
    pub queue: Vec<usize>,
    /// Progress of the enqueuers.
    #[state(max_len = MAX)]
    pub enq_inner: Vec<EnqInner>,
    /// The datum that a dequeuer has taken out of the queue; none is the source's `NoData`.
    #[state(max_len = MAX, range = 0..MAX)]
    pub deq_inner: Vec<Option<usize>>,
}

/// A step of an enqueuer or a dequeuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "enqueuer")]
pub enum Action {
    /// An enqueuer begins to add a datum.
    #[rule(source = "Fifo, BeginEnq(e)")]
    BeginEnq(#[process] usize, usize),
    /// The datum enters the queue.
    #[rule(source = "Fifo, DoEnq(e)")]
    DoEnq(#[process] usize),
    /// The enqueuer has added it.
    #[rule(source = "Fifo, EndEnq(e)")]
    EndEnq(#[process] usize),
    /// A dequeuer begins.
    #[rule(process = "dequeuer", source = "Fifo, BeginDeq(d)")]
    BeginDeq(#[process] usize),
    /// The first datum leaves the queue.
    #[rule(process = "dequeuer", source = "Fifo, DoDeq(d)")]
    DoDeq(#[process] usize),
    /// The dequeuer receives it.
    #[rule(process = "dequeuer", source = "Fifo, EndDeq(d)")]
    EndDeq(#[process] usize),
}

impl State {
    /// The same with another interface.
    fn with(&self, interface: Interface) -> Self {
        let to = self.clone();
        Self { interface, ..to }
    }

    /// Rule *BeginEnq*.
    fn begin_enq(&self, enqueuer: usize, datum: usize) -> Option<Self> {
        let mut to = self.with(self.interface.begin_enq(enqueuer, datum)?);
        to.enq_inner[enqueuer] = EnqInner::Busy;
        Some(to)
    }

    /// Rule *DoEnq*; see D1 for the capacity.
    fn do_enq(&self, enqueuer: usize, capacity: usize) -> Option<Self> {
        let is_busy = self.enq_inner[enqueuer] == EnqInner::Busy;
        let enabled = guard("its datum is not in the queue", is_busy)
            & guard("the queue has room", self.queue.len() < capacity);
        let datum = self.interface.enq[enqueuer].filter(|_| enabled)?;
        let mut to = self.clone();
        to.queue.push(datum);
        to.enq_inner[enqueuer] = EnqInner::Done;
        Some(to)
    }

    /// Rule *EndEnq*.
    fn end_enq(&self, enqueuer: usize) -> Option<Self> {
        let is_done = self.enq_inner[enqueuer] == EnqInner::Done;
        let interface = self.interface.end_enq(enqueuer);
        interface
            .filter(|_| guard("its datum was in the queue", is_done))
            .map(|interface| self.with(interface))
    }

    /// Rule *BeginDeq*.
    fn begin_deq(&self, dequeuer: usize) -> Option<Self> {
        let mut to = self.with(self.interface.begin_deq(dequeuer)?);
        to.deq_inner[dequeuer] = None;
        Some(to)
    }

    /// Rule *DoDeq*.
    fn do_deq(&self, dequeuer: usize) -> Option<Self> {
        let is_busy = self.interface.deq[dequeuer].is_none();
        let has_none = self.deq_inner[dequeuer].is_none();
        let enabled = guard("it is dequeuing", is_busy)
            & guard("it has taken nothing", has_none)
            & guard("the queue is not empty", !self.queue.is_empty());
        enabled.then(|| {
            let mut to = self.clone();
            to.deq_inner[dequeuer] = Some(to.queue.remove(0));
            to
        })
    }

    /// Rule *EndDeq*.
    fn end_deq(&self, dequeuer: usize) -> Option<Self> {
        let taken = self.deq_inner[dequeuer];
        guard("it has taken a datum", taken.is_some());
        Some(self.with(self.interface.end_deq(dequeuer, taken?)?))
    }
}

impl TransitionSystem for Fifo {
    type State = State;
    type Action = Action;
    type Observation = Interface;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for interface in self.users.interfaces() {
            visit(State {
                queue: Vec::new(),
                enq_inner: vec![EnqInner::Done; self.users.enqueuers],
                deq_inner: interface.deq.clone(),
                interface,
            });
        }
    }

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for enqueuer in 0..self.users.enqueuers {
            for datum in 0..self.users.data {
                offer(visit, Action::BeginEnq(enqueuer, datum), || {
                    from.begin_enq(enqueuer, datum)
                });
            }
            offer(visit, Action::DoEnq(enqueuer), || {
                from.do_enq(enqueuer, self.capacity)
            });
            offer(visit, Action::EndEnq(enqueuer), || from.end_enq(enqueuer));
        }
        for dequeuer in 0..self.users.dequeuers {
            offer(visit, Action::BeginDeq(dequeuer), || {
                from.begin_deq(dequeuer)
            });
            offer(visit, Action::DoDeq(dequeuer), || from.do_deq(dequeuer));
            offer(visit, Action::EndDeq(dequeuer), || from.end_deq(dequeuer));
        }
    }

    fn observe(&self, state: &State) -> Interface {
        state.interface.clone()
    }

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(state))
    }
}

/// The queue, and the progress of its users.
fn drawing(state: &State) -> Drawing {
    let inner = |enqueuer: usize, row: Row| {
        row.value("enqInner", format!("{:?}", state.enq_inner[enqueuer]))
    };
    let taken =
        |dequeuer: usize, row: Row| row.value("deqInner", or_dash(state.deq_inner[dequeuer]));
    let users = state.interface.rows(inner, taken).into_iter();
    users
        .fold(Drawing::default(), Drawing::row)
        .row(Row::new().queue("queue", &state.queue))
}

#[cfg(test)]
mod tests {
    use super::super::support::search;
    use super::*;

    fn fifo(data: usize, capacity: usize) -> Fifo {
        let users = Users {
            enqueuers: 2,
            dequeuers: 1,
            data,
        };
        Fifo { users, capacity }
    }

    /// The datum of a dequeuer is the result of its last operation wherever none is under way, so that equal states are one.
    #[test]
    fn what_a_dequeuer_has_taken_is_what_it_received() {
        let (states, _) = search(&fifo(2, 2));
        for state in states {
            for (deq, inner) in state.interface.deq.iter().zip(&state.deq_inner) {
                assert!(deq.is_none() || deq == inner, "{state:?}");
            }
        }
    }

    /// By counting: an enqueuer has no operation, or one of two states for each datum; the dequeuer is idle, busy, or has taken
    /// one, for each datum; and the queue is of any data. Of two data and a queue with room for one some are not reached: both
    /// enqueuers have added the same datum and the other one is in the queue, or the queue is empty and the dequeuer had the other
    /// one last.
    #[test]
    fn the_parts_are_independent_but_for_what_was_added_last() {
        let product = |data: usize, queues: usize| {
            let enqueuer = 1 + 2 * data;
            let dequeuer = 2 * data + 1;
            enqueuer * enqueuer * dequeuer * queues
        };
        let states = |data, capacity| search(&fifo(data, capacity)).0.len();
        assert_eq!(states(1, 2), product(1, 3));
        assert_eq!(states(1, 3), product(1, 4));
        assert_eq!(states(2, 1), product(2, 3) - 2 * 5 - 2 * 2);
    }
}
