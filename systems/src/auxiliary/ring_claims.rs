//! A bounded ring of which consumers claim a slot before anything is in it: each operation takes the next ticket, and waits for its
//! turn at the slot of its ticket.
//!
//! Source: an example of this repository. Rings of this kind are common; their counters go up for ever, and a slot keeps the ticket
//! whose turn it is. What users see is the interface of [`fifo`](super::fifo).
//!
//! Deviations. D1: whenever all tickets that are in use are of later laps, whole laps are taken off all of them, so that the states
//! are finite. No rule compares a ticket with a number, so that nothing is hidden.

use refmap::{TransitionSystem, guard};
use serde::Serialize;

use super::queue::{Interface, MAX, Users};

/// Greatest number of slots.
pub const MAX_SLOTS: usize = 4;

/// An instance of the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingClaims {
    /// The users and their data.
    pub users: Users,
    /// Number of slots.
    pub slots: usize,
    /// Condition an operation awaits.
    pub waits: Waits,
}

/// Condition an operation awaits at its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Waits {
    /// The turn of its ticket.
    ForItsTurn,
    /// That the slot is empty, or full. Wrong: it passes an operation of an earlier lap.
    ForTheSlot,
}

/// A slot of the ring, with the ticket whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Slot {
    /// The enqueuer with the ticket may fill it.
    Empty(#[state(varint)] usize),
    /// The dequeuer with the ticket may take the datum.
    Full(#[state(varint)] usize, #[state(range = 0..MAX)] usize),
}

/// Progress of the operation of an enqueuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Enqueuer {
    /// There is none.
    Idle,
    /// Before it claims a ticket.
    Claim,
    /// It waits with its ticket to fill the slot.
    Fill(#[state(varint)] usize),
    /// Before its end.
    Return,
}

/// Progress of the operation of a dequeuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub enum Dequeuer {
    /// There is none.
    Idle,
    /// Before it claims a ticket.
    Claim,
    /// It waits with its ticket to take the datum of the slot.
    Take(#[state(varint)] usize),
    /// Before its end, with the datum.
    Return(#[state(range = 0..MAX)] usize),
}

/// The interface and the ring behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct State {
    /// `enq` and `deq`.
    #[serde(flatten)]
    pub interface: Interface,
    /// The next ticket of an enqueuer.
    #[state(varint)]
    pub tail: usize,
    /// The next ticket of a dequeuer; it may be ahead of `tail`.
    #[state(varint)]
    pub head: usize,
    #[state(max_len = MAX_SLOTS)]
    pub slots: Vec<Slot>,
    /// Progress of the enqueuers.
    #[state(each = "enqueuer", max_len = MAX)]
    pub enqueuers: Vec<Enqueuer>,
    /// Progress of the dequeuers.
    #[state(each = "dequeuer", max_len = MAX)]
    pub dequeuers: Vec<Dequeuer>,
}

/// A step of an enqueuer or a dequeuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action, refmap::State)]
#[action(system = RingClaims)]
#[rule(process = "enqueuer")]
#[process(0..system.users.enqueuers)]
pub enum Action {
    /// An enqueuer begins to add a datum.
    BeginEnq(
        #[process] usize,
        #[action(range = 0..system.users.data)] usize,
    ),
    /// It claims the next ticket.
    ClaimTail(#[process] usize),
    /// It fills the slot of its ticket.
    Fill(#[process] usize),
    /// It has added the datum.
    EndEnq(#[process] usize),
    /// A dequeuer begins.
    #[rule(process = "dequeuer")]
    BeginDeq(#[process(0..system.users.dequeuers)] usize),
    /// It claims the next ticket.
    #[rule(process = "dequeuer")]
    ClaimHead(#[process(0..system.users.dequeuers)] usize),
    /// It takes the datum of the slot of its ticket.
    #[rule(process = "dequeuer")]
    Take(#[process(0..system.users.dequeuers)] usize),
    /// It receives the datum.
    #[rule(process = "dequeuer")]
    EndDeq(#[process(0..system.users.dequeuers)] usize),
}

impl Slot {
    /// The ticket whose turn it is.
    fn ticket(&mut self) -> &mut usize {
        match self {
            Self::Empty(ticket) | Self::Full(ticket, _) => ticket,
        }
    }
}

impl State {
    /// The enqueuer that waits with a ticket.
    pub fn enqueuer_of(&self, ticket: usize) -> Option<usize> {
        let mut enqueuers = self.enqueuers.iter();
        enqueuers.position(|enqueuer| *enqueuer == Enqueuer::Fill(ticket))
    }

    /// The dequeuer that waits with a ticket.
    pub fn dequeuer_of(&self, ticket: usize) -> Option<usize> {
        let mut dequeuers = self.dequeuers.iter();
        dequeuers.position(|dequeuer| *dequeuer == Dequeuer::Take(ticket))
    }

    /// The datum of a ticket that an enqueuer has claimed and no dequeuer has served: in its slot, or still with the enqueuer.
    pub fn datum_of(&self, ticket: usize) -> Option<usize> {
        match self.slots[ticket % self.slots.len()] {
            Slot::Full(turn, datum) if turn == ticket => Some(datum),
            Slot::Empty(_) | Slot::Full(..) => self.interface.enq[self.enqueuer_of(ticket)?],
        }
    }

    /// The tickets that are in use.
    fn tickets(&mut self) -> impl Iterator<Item = &mut usize> {
        let enqueuers = self.enqueuers.iter_mut();
        let enqueuers = enqueuers.filter_map(|enqueuer| match enqueuer {
            Enqueuer::Fill(ticket) => Some(ticket),
            Enqueuer::Idle | Enqueuer::Claim | Enqueuer::Return => None,
        });
        let dequeuers = self.dequeuers.iter_mut();
        let dequeuers = dequeuers.filter_map(|dequeuer| match dequeuer {
            Dequeuer::Take(ticket) => Some(ticket),
            Dequeuer::Idle | Dequeuer::Claim | Dequeuer::Return(_) => None,
        });
        [&mut self.tail, &mut self.head]
            .into_iter()
            .chain(self.slots.iter_mut().map(Slot::ticket))
            .chain(enqueuers)
            .chain(dequeuers)
    }

    /// Takes off the laps that are over; see D1.
    fn forget_past_laps(&mut self) {
        let slots = self.slots.len();
        let oldest = self.tickets().map(|ticket| *ticket).min();
        let past = oldest.expect("the tail is one of the tickets") / slots * slots;
        self.tickets().for_each(|ticket| *ticket -= past);
    }
}

impl Waits {
    /// An operation with a ticket goes on at a slot where it is the turn of another one, or of its own.
    fn go_on(self, turn: usize, ticket: usize) -> Option<()> {
        match self {
            Self::ForItsTurn => guard("it is its turn", turn == ticket),
            Self::ForTheSlot => Some(()),
        }
    }
}

impl TransitionSystem for RingClaims {
    type State = State;
    type Action = Action;
    type Observation = Interface;

    fn initial(&self, visit: &mut impl FnMut(State)) {
        for interface in self.users.interfaces() {
            visit(State {
                interface,
                tail: 0,
                head: 0,
                slots: (0..self.slots).map(Slot::Empty).collect(),
                enqueuers: vec![Enqueuer::Idle; self.users.enqueuers],
                dequeuers: vec![Dequeuer::Idle; self.users.dequeuers],
            });
        }
    }

    fn fire(&self, action: &Action, state: &mut State) -> Option<()> {
        match *action {
            Action::BeginEnq(enqueuer, datum) => {
                state.interface.begin_enq(enqueuer, datum)?;
                state.enqueuers[enqueuer] = Enqueuer::Claim;
            }
            Action::ClaimTail(enqueuer) => {
                let has_none = state.enqueuers[enqueuer] == Enqueuer::Claim;
                guard("it has no ticket", has_none)?;
                state.enqueuers[enqueuer] = Enqueuer::Fill(state.tail);
                state.tail += 1;
            }
            Action::Fill(enqueuer) => {
                let Enqueuer::Fill(ticket) = state.enqueuers[enqueuer] else {
                    return None;
                };
                let slot = &mut state.slots[ticket % self.slots];
                let Slot::Empty(turn) = *slot else {
                    return None;
                };
                self.waits.go_on(turn, ticket)?;
                *slot = Slot::Full(ticket, state.interface.enq[enqueuer]?);
                state.enqueuers[enqueuer] = Enqueuer::Return;
            }
            Action::EndEnq(enqueuer) => {
                state.interface.end_enq(enqueuer)?;
                let is_filled = state.enqueuers[enqueuer] == Enqueuer::Return;
                guard("it has filled its slot", is_filled)?;
                state.enqueuers[enqueuer] = Enqueuer::Idle;
            }
            Action::BeginDeq(dequeuer) => {
                state.interface.begin_deq(dequeuer)?;
                state.dequeuers[dequeuer] = Dequeuer::Claim;
            }
            // Whether there is something in the slot or not.
            Action::ClaimHead(dequeuer) => {
                let has_none = state.dequeuers[dequeuer] == Dequeuer::Claim;
                guard("it has no ticket", has_none)?;
                state.dequeuers[dequeuer] = Dequeuer::Take(state.head);
                state.head += 1;
            }
            // It is the turn of the next lap.
            Action::Take(dequeuer) => {
                let Dequeuer::Take(ticket) = state.dequeuers[dequeuer] else {
                    return None;
                };
                let slot = &mut state.slots[ticket % self.slots];
                let Slot::Full(turn, datum) = *slot else {
                    return None;
                };
                self.waits.go_on(turn, ticket)?;
                *slot = Slot::Empty(ticket + self.slots);
                state.dequeuers[dequeuer] = Dequeuer::Return(datum);
                state.forget_past_laps();
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
}

#[cfg(test)]
mod tests {
    use refmap_testing::search;

    use super::*;

    /// The tickets in use are of few laps, and each is of one operation of a kind.
    #[test]
    fn tickets_are_distinct_and_bounded() {
        let users = Users {
            enqueuers: 2,
            dequeuers: 2,
            data: 1,
        };
        let ring = RingClaims {
            users,
            slots: 1,
            waits: Waits::ForItsTurn,
        };
        let (states, _) = search(&ring);
        assert!(states.len() > 100);
        for mut state in states {
            let greatest = state.tickets().map(|ticket| *ticket).max();
            assert!(greatest <= Some(3), "{state:?}");
            for ticket in 0..4 {
                let with = |one: &&Dequeuer| **one == Dequeuer::Take(ticket);
                assert!(state.dequeuers.iter().filter(with).count() <= 1);
                let with = |one: &&Enqueuer| **one == Enqueuer::Fill(ticket);
                assert!(state.enqueuers.iter().filter(with).count() <= 1);
            }
        }
    }
}
