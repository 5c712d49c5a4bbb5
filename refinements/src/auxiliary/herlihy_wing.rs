//! The array queue of Herlihy and Wing refines Fifo without a further variable where there is one enqueuer, or one datum: the queue is
//! the data in the array.
//!
//! Source: Herlihy & Wing, *Linearizability*, section 4.2, where it is told why the data in the array are not in one order where
//! several enqueuers have reserved slots; then a prophecy variable is needed
//! ([`HerlihyWingProphecyRefinement`](super::HerlihyWingProphecyRefinement)).

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::Refinement;
use refmap_systems::auxiliary::fifo::{self, EnqInner, Fifo};
use refmap_systems::auxiliary::herlihy_wing::{Action, Dequeuer, Enqueuer, HerlihyWing, State};

/// The refinement for an instance.
pub struct HerlihyWingRefinement {
    implementation: HerlihyWing,
    specification: Fifo,
}

/// The queue that has room for the data of all operations.
pub(super) fn fifo_of(implementation: &HerlihyWing) -> Fifo {
    Fifo {
        users: implementation.users,
        capacity: implementation.operations,
    }
}

/// The datum that each dequeuer has taken out of the queue: it is found.
pub(super) fn taken(state: &State) -> Vec<Option<usize>> {
    let dequeuers = state.dequeuers.iter().zip(&state.interface.deq);
    let taken = dequeuers.map(|(dequeuer, received)| match *dequeuer {
        Dequeuer::Idle => *received,
        Dequeuer::Read | Dequeuer::Swap { .. } => None,
        Dequeuer::Return(datum) => Some(datum),
    });
    taken.collect()
}

/// Whether a dequeuer finds a datum by a step to this state.
pub(super) fn has_found(to: &State, dequeuer: usize) -> bool {
    matches!(to.dequeuers[dequeuer], Dequeuer::Return(_))
}

impl HerlihyWingRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: HerlihyWing) -> Self {
        let specification = fifo_of(&implementation);
        Self {
            implementation,
            specification,
        }
    }
}

impl Refinement for HerlihyWingRefinement {
    between!(HerlihyWing, Fifo);

    fn map(&self, state: &State) -> fifo::State {
        let inner = |enqueuer: &Enqueuer| match enqueuer {
            Enqueuer::Increment | Enqueuer::Store(_) => EnqInner::Busy,
            Enqueuer::Idle | Enqueuer::Return => EnqInner::Done,
        };
        fifo::State {
            interface: state.interface.clone(),
            queue: state.stored().collect(),
            enq_inner: state.enqueuers.iter().map(inner).collect(),
            deq_inner: taken(state),
        }
    }

    fn abstract_steps(
        &self,
        _: &State,
        action: &Action,
        to: &State,
    ) -> AbstractSteps<fifo::Action> {
        use fifo::Action::{BeginDeq, BeginEnq, DoDeq, DoEnq, EndDeq, EndEnq};
        match *action {
            Action::BeginEnq(enqueuer, datum) => One(BeginEnq(enqueuer, datum)),
            Action::Inc(_) => Stutter,
            Action::Store(enqueuer) => One(DoEnq(enqueuer)),
            Action::EndEnq(enqueuer) => One(EndEnq(enqueuer)),
            Action::BeginDeq(dequeuer) => One(BeginDeq(dequeuer)),
            Action::Read(_) => Stutter,
            Action::Swap(dequeuer) => has_found(to, dequeuer).then_some(DoDeq(dequeuer)).into(),
            Action::EndDeq(dequeuer) => One(EndDeq(dequeuer)),
        }
    }
}
