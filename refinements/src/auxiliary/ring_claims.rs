//! The ring whose consumers claim slots ahead of producers refines Fifo with as much room as the ring has slots.
//!
//! Source: an example of this repository. An element is in the queue from the claim of its enqueuer on, if the ring has room for it. The
//! claim that meets a dequeuer who waits for it is an addition and a removal; and the claim of a dequeuer that makes room is a
//! removal and the addition of an enqueuer who waits.

use refmap::{AbstractSteps, Refinement};
use refmap_systems::auxiliary::fifo::{self, EnqInner, Fifo};
use refmap_systems::auxiliary::ring_claims::{Action, Dequeuer, Enqueuer, RingClaims, State};

use super::several::steps;

/// The refinement for an instance.
pub struct RingClaimsRefinement {
    implementation: RingClaims,
    specification: Fifo,
}

impl RingClaimsRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: RingClaims) -> Self {
        let specification = Fifo {
            users: implementation.users,
            capacity: implementation.slots,
        };
        Self {
            implementation,
            specification,
        }
    }
}

/// The first ticket for which there is no room.
fn end(ring: &RingClaims, state: &State) -> usize {
    state.head + ring.slots
}

/// The queue that a state of a ring is.
pub(super) fn image(ring: &RingClaims, state: &State) -> fifo::State {
    let end = end(ring, state);
    let tickets = state.head..state.tail.min(end);
    let inner = |enqueuer: &Enqueuer| match *enqueuer {
        Enqueuer::Claim => EnqInner::Busy,
        Enqueuer::Fill(ticket) if ticket >= end => EnqInner::Busy,
        Enqueuer::Fill(_) | Enqueuer::Idle | Enqueuer::Return => EnqInner::Done,
    };
    let dequeuers = state.dequeuers.iter().zip(&state.interface.deq);
    let taken = dequeuers.map(|(dequeuer, received)| match *dequeuer {
        Dequeuer::Idle => *received,
        Dequeuer::Claim => None,
        Dequeuer::Take(ticket) => state.datum_of(ticket),
        Dequeuer::Return(datum) => Some(datum),
    });
    fifo::State {
        interface: state.interface.clone(),
        queue: tickets.filter_map(|one| state.datum_of(one)).collect(),
        enq_inner: state.enqueuers.iter().map(inner).collect(),
        deq_inner: taken.collect(),
    }
}

/// The steps of the queue that a step of a ring simulates, in their order.
pub(super) fn simulated(ring: &RingClaims, from: &State, action: Action) -> Vec<fifo::Action> {
    use fifo::Action::{BeginDeq, BeginEnq, DoDeq, DoEnq, EndDeq, EndEnq};
    match action {
        Action::BeginEnq(enqueuer, datum) => vec![BeginEnq(enqueuer, datum)],
        Action::ClaimTail(enqueuer) => {
            let enters = from.tail < end(ring, from);
            let entered = enters.then_some(DoEnq(enqueuer));
            let waiting = from.dequeuer_of(from.tail).map(DoDeq);
            entered.into_iter().chain(waiting).collect()
        }
        Action::Fill(_) | Action::Take(_) => Vec::new(),
        Action::EndEnq(enqueuer) => vec![EndEnq(enqueuer)],
        Action::BeginDeq(dequeuer) => vec![BeginDeq(dequeuer)],
        Action::ClaimHead(dequeuer) => {
            let is_there = from.head < from.tail;
            let taken = is_there.then_some(DoDeq(dequeuer));
            let waiting = from.enqueuer_of(end(ring, from)).map(DoEnq);
            taken.into_iter().chain(waiting).collect()
        }
        Action::EndDeq(dequeuer) => vec![EndDeq(dequeuer)],
    }
}

impl Refinement for RingClaimsRefinement {
    between!(RingClaims, Fifo);

    fn map(&self, state: &State) -> fifo::State {
        image(&self.implementation, state)
    }

    fn abstract_steps(
        &self,
        from: &State,
        action: &Action,
        _: &State,
    ) -> AbstractSteps<fifo::Action> {
        steps(simulated(&self.implementation, from, *action))
    }
}
