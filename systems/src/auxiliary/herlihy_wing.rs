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

use refmap::drawing::Row;
use refmap::{Drawing, TransitionSystem, guard, offer};
use serde::Serialize;

use super::queue::{Interface, MAX, Users, or_dash};

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
    #[state(max_len = MAX)]
    pub enqueuers: Vec<Enqueuer>,
    /// Progress of the dequeuers.
    #[state(max_len = MAX)]
    pub dequeuers: Vec<Dequeuer>,
    /// Number of operations that can still begin.
    #[state(range = 0..=MAX_OPERATIONS)]
    pub left: usize,
}

/// A step of an enqueuer or a dequeuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "enqueuer")]
pub enum Action {
    /// An enqueuer begins to add a datum.
    #[rule(source = "section 4.2, Enq, invocation")]
    BeginEnq(#[process] usize, usize),
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
    BeginDeq(#[process] usize),
    /// It reads how many slots are reserved.
    #[rule(process = "dequeuer", source = "section 4.2, Deq, READ(q.back)")]
    Read(#[process] usize),
    /// It swaps a slot with null, and is done with its search if there was a datum.
    #[rule(
        process = "dequeuer",
        source = "section 4.2, Deq, SWAP(q.items[i], null)"
    )]
    Swap(#[process] usize),
    /// It receives the datum.
    #[rule(process = "dequeuer", source = "section 4.2, Deq, response")]
    EndDeq(#[process] usize),
}

impl State {
    /// The data in the array, by their slots.
    pub fn stored(&self) -> impl Iterator<Item = usize> {
        self.items.iter().copied().flatten()
    }

    /// The same with another interface, after an operation was begun. None, if there are no operations left.
    fn begun(&self, interface: Interface) -> Option<Self> {
        guard("operations are left", self.left > 0).then(|| Self {
            interface,
            left: self.left - 1,
            ..self.clone()
        })
    }

    /// Invocation of `Enq`.
    fn begin_enq(&self, enqueuer: usize, datum: usize) -> Option<Self> {
        let mut to = self.begun(self.interface.begin_enq(enqueuer, datum)?)?;
        to.enqueuers[enqueuer] = Enqueuer::Increment;
        Some(to)
    }

    /// `i: int := INC(q.back)`.
    fn inc(&self, enqueuer: usize) -> Option<Self> {
        let is_there = self.enqueuers[enqueuer] == Enqueuer::Increment;
        guard("it is before INC", is_there).then(|| {
            let mut to = self.clone();
            to.enqueuers[enqueuer] = Enqueuer::Store(to.back);
            to.back += 1;
            to
        })
    }

    /// `STORE(q.items[i], x)`.
    fn store(&self, enqueuer: usize) -> Option<Self> {
        let Enqueuer::Store(slot) = self.enqueuers[enqueuer] else {
            return None;
        };
        let mut to = self.clone();
        to.items[slot] = self.interface.enq[enqueuer];
        to.enqueuers[enqueuer] = Enqueuer::Return;
        Some(to)
    }

    /// Response of `Enq`.
    fn end_enq(&self, enqueuer: usize) -> Option<Self> {
        let is_there = self.enqueuers[enqueuer] == Enqueuer::Return;
        let interface = self.interface.end_enq(enqueuer);
        let interface = interface.filter(|_| guard("it has stored its datum", is_there))?;
        let mut to = Self {
            interface,
            ..self.clone()
        };
        to.enqueuers[enqueuer] = Enqueuer::Idle;
        Some(to)
    }

    /// Invocation of `Deq`.
    fn begin_deq(&self, dequeuer: usize) -> Option<Self> {
        let mut to = self.begun(self.interface.begin_deq(dequeuer)?)?;
        to.dequeuers[dequeuer] = Dequeuer::Read;
        Some(to)
    }

    /// `range := READ(q.back) - 1`. It reads again at once where there is nothing to search.
    fn read(&self, dequeuer: usize) -> Option<Self> {
        guard(
            "it is before READ",
            self.dequeuers[dequeuer] == Dequeuer::Read,
        )
        .then(|| {
            let mut to = self.clone();
            to.dequeuers[dequeuer] = searching(self.back, 0);
            to
        })
    }

    /// `x := SWAP(q.items[i], null)`.
    fn swap(&self, dequeuer: usize, search: Search) -> Option<Self> {
        let Dequeuer::Swap { range, searched } = self.dequeuers[dequeuer] else {
            return None;
        };
        let slot = match search {
            Search::SwapUpwards | Search::ReadUpwards => searched,
            Search::SwapDownwards => range - 1 - searched,
        };
        let mut to = self.clone();
        let found = to.items[slot];
        match search {
            Search::SwapUpwards | Search::SwapDownwards => to.items[slot] = None,
            Search::ReadUpwards => (),
        }
        to.dequeuers[dequeuer] = found.map_or(searching(range, searched + 1), Dequeuer::Return);
        Some(to)
    }

    /// Response of `Deq`.
    fn end_deq(&self, dequeuer: usize) -> Option<Self> {
        let Dequeuer::Return(datum) = self.dequeuers[dequeuer] else {
            return None;
        };
        let interface = self.interface.end_deq(dequeuer, datum)?;
        let mut to = Self {
            interface,
            ..self.clone()
        };
        to.dequeuers[dequeuer] = Dequeuer::Idle;
        Some(to)
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

    fn next(&self, from: &State, visit: &mut impl FnMut(Action, State)) {
        for enqueuer in 0..self.users.enqueuers {
            for datum in 0..self.users.data {
                offer(visit, Action::BeginEnq(enqueuer, datum), || {
                    from.begin_enq(enqueuer, datum)
                });
            }
            offer(visit, Action::Inc(enqueuer), || from.inc(enqueuer));
            offer(visit, Action::Store(enqueuer), || from.store(enqueuer));
            offer(visit, Action::EndEnq(enqueuer), || from.end_enq(enqueuer));
        }
        for dequeuer in 0..self.users.dequeuers {
            offer(visit, Action::BeginDeq(dequeuer), || {
                from.begin_deq(dequeuer)
            });
            offer(visit, Action::Read(dequeuer), || from.read(dequeuer));
            offer(visit, Action::Swap(dequeuer), || {
                from.swap(dequeuer, self.search)
            });
            offer(visit, Action::EndDeq(dequeuer), || from.end_deq(dequeuer));
        }
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

    fn draw(&self, state: &State) -> Option<Drawing> {
        Some(drawing(state))
    }
}

/// The array, and the progress of its users.
fn drawing(state: &State) -> Drawing {
    let enqueuer =
        |enqueuer: usize, row: Row| row.value("at", format!("{:?}", state.enqueuers[enqueuer]));
    let dequeuer =
        |dequeuer: usize, row: Row| row.value("at", format!("{:?}", state.dequeuers[dequeuer]));
    let users = state.interface.rows(enqueuer, dequeuer).into_iter();
    users.fold(Drawing::default(), Drawing::row).row(
        Row::new()
            .value("back", state.back)
            .queue("items", state.items.iter().copied().map(or_dash)),
    )
}

#[cfg(test)]
mod tests {
    use super::super::support::search;
    use super::*;

    fn queue(operations: usize, search: Search) -> HerlihyWing {
        let users = Users {
            enqueuers: 2,
            dequeuers: 1,
            data: 2,
        };
        HerlihyWing {
            users,
            operations,
            search,
        }
    }

    /// A slot is filled once: the data that are stored, and those that were received, are at most as many as slots are reserved.
    #[test]
    fn slots_that_are_not_reserved_are_null() {
        let (states, _) = search(&queue(3, Search::SwapUpwards));
        for state in states {
            assert!(state.items[state.back..].iter().all(Option::is_none));
            assert!(state.stored().count() <= state.back);
        }
    }

    /// The newest datum is received first from two operations that followed each other, where the search goes downwards alone.
    #[test]
    fn a_search_downwards_is_last_in_first_out() {
        let received_second = |way| {
            let system = queue(3, way);
            let mut initial = Vec::new();
            system.initial(&mut |state| initial.push(state));
            let first = initial.swap_remove(0);
            let actions = [
                Action::BeginEnq(0, 0),
                Action::Inc(0),
                Action::Store(0),
                Action::EndEnq(0),
                Action::BeginEnq(0, 1),
                Action::Inc(0),
                Action::Store(0),
                Action::EndEnq(0),
                Action::BeginDeq(0),
                Action::Read(0),
                Action::Swap(0),
                Action::EndDeq(0),
            ];
            let last = actions.iter().fold(first, |state, action| {
                let next = system.successor(&state, action);
                next.unwrap_or_else(|| panic!("{action:?} is enabled in {state:?}"))
            });
            last.interface.deq[0]
        };
        assert_eq!(received_second(Search::SwapUpwards), Some(0));
        assert_eq!(received_second(Search::ReadUpwards), Some(0));
        assert_eq!(received_second(Search::SwapDownwards), Some(1));
    }
}
