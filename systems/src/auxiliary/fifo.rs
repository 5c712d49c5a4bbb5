//! The linearizable queue Fifo: an operation takes effect in one step between its beginning and its end.
//!
//! Source: Lamport, *A Science of Concurrent Programs*, chapter 6, Fig. 6.9, with the internal variables `queue`, `enqInner` and
//! `deqInner`; the condition is that of Herlihy & Wing, *Linearizability: A Correctness Condition for Concurrent Objects*.
//!
//! Deviations. D1: the queue has a capacity, since otherwise there is no end of its states; *DoEnq* waits while it is full. A
//! capacity of all elements that an implementation can have hides nothing.

use refmap::{TransitionSystem, guard};
use serde::Serialize;

use super::queue::{Interface, MAX, Users};

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
    #[state(each = "enqueuer", max_len = MAX)]
    pub enq_inner: Vec<EnqInner>,
    /// The datum that a dequeuer has taken out of the queue; none is the source's `NoData`.
    #[state(each = "dequeuer", max_len = MAX, range = 0..MAX)]
    pub deq_inner: Vec<Option<usize>>,
}

/// A step of an enqueuer or a dequeuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = Fifo)]
#[rule(process = "enqueuer")]
#[process(0..system.users.enqueuers)]
pub enum Action {
    /// An enqueuer begins to add a datum.
    #[rule(source = "Fifo, BeginEnq(e)")]
    BeginEnq(
        #[process] usize,
        #[action(range = 0..system.users.data)] usize,
    ),
    /// The datum enters the queue.
    #[rule(source = "Fifo, DoEnq(e)")]
    DoEnq(#[process] usize),
    /// The enqueuer has added it.
    #[rule(source = "Fifo, EndEnq(e)")]
    EndEnq(#[process] usize),
    /// A dequeuer begins.
    #[rule(process = "dequeuer", source = "Fifo, BeginDeq(d)")]
    BeginDeq(#[process(0..system.users.dequeuers)] usize),
    /// The first datum leaves the queue.
    #[rule(process = "dequeuer", source = "Fifo, DoDeq(d)")]
    DoDeq(#[process(0..system.users.dequeuers)] usize),
    /// The dequeuer receives it.
    #[rule(process = "dequeuer", source = "Fifo, EndDeq(d)")]
    EndDeq(#[process(0..system.users.dequeuers)] usize),
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

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::BeginEnq(enqueuer, datum) => {
                state.interface.begin_enq(enqueuer, datum)?;
                state.enq_inner[enqueuer] = EnqInner::Busy;
            }
            // See D1 for the capacity.
            Action::DoEnq(enqueuer) => {
                let is_busy = state.enq_inner[enqueuer] == EnqInner::Busy;
                guard("its datum is not in the queue", is_busy).and(guard(
                    "the queue has room",
                    state.queue.len() < self.capacity,
                ))?;
                state.queue.push(state.interface.enq[enqueuer]?);
                state.enq_inner[enqueuer] = EnqInner::Done;
            }
            Action::EndEnq(enqueuer) => {
                state.interface.end_enq(enqueuer)?;
                let is_done = state.enq_inner[enqueuer] == EnqInner::Done;
                guard("its datum was in the queue", is_done)?;
            }
            Action::BeginDeq(dequeuer) => {
                state.interface.begin_deq(dequeuer)?;
                state.deq_inner[dequeuer] = None;
            }
            Action::DoDeq(dequeuer) => {
                let is_busy = state.interface.deq[dequeuer].is_none();
                guard("it is dequeuing", is_busy)
                    .and(guard(
                        "it has taken nothing",
                        state.deq_inner[dequeuer].is_none(),
                    ))
                    .and(guard("the queue is not empty", !state.queue.is_empty()))?;
                state.deq_inner[dequeuer] = Some(state.queue.remove(0));
            }
            Action::EndDeq(dequeuer) => {
                let taken = state.deq_inner[dequeuer];
                guard("it has taken a datum", taken.is_some())?;
                state.interface.end_deq(dequeuer, taken?)?;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> Interface {
        state.interface.clone()
    }
}

#[cfg(test)]
mod tests {
    use refmap_testing::search;

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
