//! The array queue of Herlihy and Wing: an enqueuer reserves a slot of an array and fills it later, and a dequeuer searches the
//! slots that are reserved.
//!
//! Source: Herlihy & Wing, *Linearizability: A Correctness Condition for Concurrent Objects*, section 4.2: `Enq` is INC and STORE,
//! `Deq` is READ and a SWAP for each slot below `back`, from the beginning again if all were null. What users see is the interface
//! of [`fifo`](super::fifo).
//!
//! Deviations. D1: slots are numbered from 0, and `back` is the first that is free. D2: the operations are bounded, since each
//! takes a slot of the array for good; what takes more operations is not seen. D3: the response of an operation is a step of its
//! own, and so is its invocation: the interface changes there alone.

use refmap::{TransitionSystem, guard};
use serde::Serialize;

use super::queue::{Interface, MAX, Users};

/// Greatest number of operations.
pub const MAX_OPERATIONS: usize = 8;

/// An instance of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HerlihyWing {
    /// The users and their data.
    pub users: Users,
    /// Number of operations that are begun in all.
    pub operations: usize,
    /// The way in which a dequeuer searches.
    pub search: Search,
}

/// The way in which a dequeuer searches the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Search {
    /// From the first slot on, and it swaps each with null: as published.
    SwapUpwards,
    /// From the last slot down. Wrong: it finds the newest datum.
    SwapDownwards,
    /// From the first slot on, without writing null. Wrong: a datum is received twice.
    ReadUpwards,
}

/// Progress of the operation of an enqueuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Enqueuer {
    /// There is none.
    Idle,
    /// Before INC.
    Increment,
    /// Before STORE into this slot.
    Store(#[state(range = 0..MAX_OPERATIONS)] usize),
    /// Before its end.
    Return,
}

/// Progress of the operation of a dequeuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Dequeuer {
    /// There is none.
    Idle,
    /// Before READ.
    Read,
    /// Before a SWAP.
    Swap {
        /// Number of slots that it searches.
        #[state(range = 0..=MAX_OPERATIONS)]
        range: usize,
        /// Number of slots that it has searched.
        #[state(range = 0..MAX_OPERATIONS)]
        searched: usize,
    },
    /// Before its end, with the datum that it found.
    Return(#[state(range = 0..MAX)] usize),
}

/// The interface and the array behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// `enq` and `deq`.
    #[serde(flatten)]
    pub interface: Interface,
    /// Number of slots that are reserved.
    #[state(range = 0..=MAX_OPERATIONS)]
    pub back: usize,
    /// The datum in a slot; none is the source's null.
    #[state(max_len = MAX_OPERATIONS, range = 0..MAX)]
    pub items: Vec<Option<usize>>,
    /// Progress of the enqueuers.
    #[state(each = "enqueuer", max_len = MAX)]
    pub enqueuers: Vec<Enqueuer>,
    /// Progress of the dequeuers.
    #[state(each = "dequeuer", max_len = MAX)]
    pub dequeuers: Vec<Dequeuer>,
    /// Number of operations that can still begin.
    #[state(range = 0..=MAX_OPERATIONS)]
    pub left: usize,
}

/// A step of an enqueuer or a dequeuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[action(system = HerlihyWing)]
#[rule(process = "enqueuer")]
#[process(0..system.users.enqueuers)]
pub enum Action {
    /// An enqueuer begins to add a datum.
    #[rule(source = "section 4.2, Enq, invocation")]
    BeginEnq(
        #[process] usize,
        #[action(range = 0..system.users.data)] usize,
    ),
    /// It reserves the next slot.
    #[rule(source = "section 4.2, Enq, INC(q.back)")]
    Inc(#[process] usize),
    /// It fills the slot.
    #[rule(source = "section 4.2, Enq, STORE(q.items[i], x)")]
    Store(#[process] usize),
    /// It has added the datum.
    #[rule(source = "section 4.2, Enq, response")]
    EndEnq(#[process] usize),
    /// A dequeuer begins.
    #[rule(process = "dequeuer", source = "section 4.2, Deq, invocation")]
    BeginDeq(#[process(0..system.users.dequeuers)] usize),
    /// It reads how many slots are reserved.
    #[rule(process = "dequeuer", source = "section 4.2, Deq, READ(q.back)")]
    Read(#[process(0..system.users.dequeuers)] usize),
    /// It swaps a slot with null, and is done with its search if there was a datum.
    #[rule(
        process = "dequeuer",
        source = "section 4.2, Deq, SWAP(q.items[i], null)"
    )]
    Swap(#[process(0..system.users.dequeuers)] usize),
    /// It receives the datum.
    #[rule(process = "dequeuer", source = "section 4.2, Deq, response")]
    EndDeq(#[process(0..system.users.dequeuers)] usize),
}

impl State {
    /// The data in the array, by their slots.
    pub fn stored(&self) -> impl Iterator<Item = usize> {
        self.items.iter().copied().flatten()
    }

    /// An operation begins, if there are some left.
    fn begin(&mut self) -> Option<()> {
        guard("operations are left", self.left > 0)?;
        self.left -= 1;
        Some(())
    }
}

/// The search of slots of which some are searched; from READ again when all are.
fn searching(range: usize, searched: usize) -> Dequeuer {
    match range - searched {
        0 => Dequeuer::Read,
        _ => Dequeuer::Swap { range, searched },
    }
}

impl TransitionSystem for HerlihyWing {
    type State = State;
    type Action = Action;
    type Observation = Interface;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for interface in self.users.interfaces() {
            visit(State {
                interface,
                back: 0,
                items: vec![None; self.operations],
                enqueuers: vec![Enqueuer::Idle; self.users.enqueuers],
                dequeuers: vec![Dequeuer::Idle; self.users.dequeuers],
                left: self.operations,
            });
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::BeginEnq(enqueuer, datum) => {
                state.interface.begin_enq(enqueuer, datum)?;
                state.begin()?;
                state.enqueuers[enqueuer] = Enqueuer::Increment;
            }
            // `i: int := INC(q.back)`.
            Action::Inc(enqueuer) => {
                let is_there = state.enqueuers[enqueuer] == Enqueuer::Increment;
                guard("it is before INC", is_there)?;
                state.enqueuers[enqueuer] = Enqueuer::Store(state.back);
                state.back += 1;
            }
            // `STORE(q.items[i], x)`.
            Action::Store(enqueuer) => {
                let Enqueuer::Store(slot) = state.enqueuers[enqueuer] else {
                    return None;
                };
                state.items[slot] = state.interface.enq[enqueuer];
                state.enqueuers[enqueuer] = Enqueuer::Return;
            }
            Action::EndEnq(enqueuer) => {
                state.interface.end_enq(enqueuer)?;
                let is_there = state.enqueuers[enqueuer] == Enqueuer::Return;
                guard("it has stored its datum", is_there)?;
                state.enqueuers[enqueuer] = Enqueuer::Idle;
            }
            Action::BeginDeq(dequeuer) => {
                state.interface.begin_deq(dequeuer)?;
                state.begin()?;
                state.dequeuers[dequeuer] = Dequeuer::Read;
            }
            // `range := READ(q.back) - 1`. It reads again at once where there is nothing to search.
            Action::Read(dequeuer) => {
                let is_there = state.dequeuers[dequeuer] == Dequeuer::Read;
                guard("it is before READ", is_there)?;
                state.dequeuers[dequeuer] = searching(state.back, 0);
            }
            // `x := SWAP(q.items[i], null)`.
            Action::Swap(dequeuer) => {
                let Dequeuer::Swap { range, searched } = state.dequeuers[dequeuer] else {
                    return None;
                };
                let found = match self.search {
                    Search::SwapUpwards => state.items[searched].take(),
                    Search::SwapDownwards => state.items[range - 1 - searched].take(),
                    Search::ReadUpwards => state.items[searched],
                };
                let next = searching(range, searched + 1);
                state.dequeuers[dequeuer] = found.map_or(next, Dequeuer::Return);
            }
            Action::EndDeq(dequeuer) => {
                let Dequeuer::Return(datum) = state.dequeuers[dequeuer] else {
                    return None;
                };
                state.interface.end_deq(dequeuer, datum)?;
                state.dequeuers[dequeuer] = Dequeuer::Idle;
            }
        }
        Some(())
    }

    fn observe(&self, state: &State) -> Interface {
        state.interface.clone()
    }

    /// When all operations have begun, and have ended.
    fn may_stop(&self, state: &State) -> bool {
        state.left == 0
            && state.interface.enq.iter().all(Option::is_none)
            && state.interface.deq.iter().all(Option::is_some)
    }
}

#[cfg(test)]
mod tests {
    use refmap_testing::search;

    use super::*;

    /// A slot is filled once: the data that are stored, and those that were received, are at most as many as slots are reserved.
    #[test]
    fn slots_that_are_not_reserved_are_null() {
        let queue = HerlihyWing {
            users: Users {
                enqueuers: 2,
                dequeuers: 1,
                data: 2,
            },
            operations: 3,
            search: Search::SwapUpwards,
        };
        for state in search(&queue).0 {
            assert!(state.items[state.back..].iter().all(Option::is_none));
            assert!(state.stored().count() <= state.back);
        }
    }
}
