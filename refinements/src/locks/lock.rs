//! A lock refines mutual exclusion.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::crowd::{Crowd, CrowdRefinement, Moment};
use refmap_systems::locks::exclusion::{Action, Exclusion, Thread};

// ANCHOR: any
/// The refinement of a lock: of each thread it shows whether it is inside.
#[derive(Clone, Copy, Debug)]
pub struct LockRefinement<L>(pub L);

impl<L: Crowd<Observation = bool>> CrowdRefinement for LockRefinement<L> {
    type Implementation = L;
    type Specification = Exclusion;

    fn implementation(&self) -> L {
        self.0.clone()
    }

    fn specification(&self) -> Exclusion {
        Exclusion
    }

    fn map(&self, _: &L::Shared) {}

    fn map_member(&self, shared: &L::Shared, thread: &L::Member) -> Thread {
        match self.0.observe_member(shared, thread) {
            Some(true) => Thread::Inside,
            _ => Thread::Outside,
        }
    }

    /// A thread that was not inside and is enters, and one that was and is not leaves.
    fn abstract_steps(
        &self,
        from: Moment<'_, L>,
        _: &L::Action,
        to: Moment<'_, L>,
    ) -> AbstractSteps<Action> {
        let place = |at: Moment<'_, L>| at.me.map(|me| self.map_member(at.shared, me));
        match (place(from), place(to)) {
            (Some(Thread::Outside), Some(Thread::Inside)) => One(Action::Enter),
            (Some(Thread::Inside), Some(Thread::Outside)) => One(Action::Leave),
            _ => Stutter,
        }
    }
}
// ANCHOR_END: any
