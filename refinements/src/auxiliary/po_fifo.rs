//! POFifo refines Fifo without a further variable where there is one enqueuer, or one datum: the queue is the elements in their order.
//!
//! Source: Lamport, *A Science of Concurrent Programs*, chapter 6. What two enqueuers add at the same time may be received in either
//! order, so that with different data no queue serves both: then a prophecy variable is needed
//! ([`PoFifoProphecyRefinement`](super::PoFifoProphecyRefinement)).

use std::collections::BTreeSet;

use refmap::AbstractSteps::{self, One, Several};
use refmap::Refinement;
use refmap_systems::auxiliary::fifo::{self, EnqInner, Fifo};
use refmap_systems::auxiliary::po_fifo::{Action, PoFifo, State};

/// The refinement for an instance.
pub struct PoFifoRefinement {
    implementation: PoFifo,
    specification: Fifo,
}

/// The queue that has room for all elements of an instance.
pub(super) fn fifo_of(implementation: &PoFifo) -> Fifo {
    Fifo {
        users: implementation.users,
        capacity: implementation.elements().count(),
    }
}

impl PoFifoRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: PoFifo) -> Self {
        let specification = fifo_of(&implementation);
        Self {
            implementation,
            specification,
        }
    }
}

impl Refinement for PoFifoRefinement {
    between!(PoFifo, Fifo);

    /// The elements in an order that extends theirs, with the smaller one first of those that are in none. A datum is in the queue
    /// from the beginning of its operation on.
    fn map(&self, state: &State) -> fifo::State {
        let mut left = state.elts.clone();
        let mut queue = Vec::new();
        let next = |left: &BTreeSet<_>| {
            let is_later = |one| {
                let mut earlier = state.before.iter();
                earlier.any(|(before, after)| *after == one && left.contains(before))
            };
            left.iter().copied().find(|element| !is_later(*element))
        };
        while let Some(element) = next(&left) {
            left.remove(&element);
            queue.push(element.datum);
        }
        fifo::State {
            interface: state.interface.clone(),
            queue,
            enq_inner: vec![EnqInner::Done; state.adding.len()],
            deq_inner: state.interface.deq.clone(),
        }
    }

    fn abstract_steps(&self, _: &State, action: &Action, _: &State) -> AbstractSteps<fifo::Action> {
        use fifo::Action::{BeginDeq, BeginEnq, DoDeq, DoEnq, EndDeq, EndEnq};
        match *action {
            Action::BeginEnq(enqueuer, element) => {
                Several(vec![BeginEnq(enqueuer, element.datum), DoEnq(enqueuer)])
            }
            Action::EndEnq(enqueuer) => One(EndEnq(enqueuer)),
            Action::BeginDeq(dequeuer) => One(BeginDeq(dequeuer)),
            Action::EndDeq(dequeuer, _) => Several(vec![DoDeq(dequeuer), EndDeq(dequeuer)]),
        }
    }
}
