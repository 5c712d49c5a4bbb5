//! A lock refines mutual exclusion.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{IndexSet, Refinement, StateOf, TransitionSystem};
use refmap_systems::locks::exclusion::{Action, Exclusion, State};

/// A lock: of each state is known which threads are inside.
pub trait ThreadLock: TransitionSystem<Observation = IndexSet> {
    /// Number of threads.
    fn threads(&self) -> usize;
    /// The thread that takes a step.
    fn thread(action: &Self::Action) -> usize;
}

/// The refinement for an instance.
pub struct LockRefinement<L> {
    lock: L,
    specification: Exclusion,
}

impl<L: ThreadLock> LockRefinement<L> {
    /// The refinement for a lock.
    pub fn new(lock: L) -> Self {
        let threads = lock.threads();
        Self {
            lock,
            specification: Exclusion { threads },
        }
    }
}

impl<L: ThreadLock + 'static> Refinement for LockRefinement<L> {
    type Implementation = L;
    type Specification = Exclusion;

    fn implementation(&self) -> &L {
        &self.lock
    }

    fn specification(&self) -> &Exclusion {
        &self.specification
    }

    fn map(&self, state: &StateOf<L>) -> State {
        State {
            inside: self.lock.observe(state),
        }
    }

    /// A thread that was not inside and is enters, and one that was and is not leaves.
    fn abstract_steps(
        &self,
        from: &StateOf<L>,
        action: &L::Action,
        to: &StateOf<L>,
    ) -> AbstractSteps<Action> {
        let thread = L::thread(action);
        let inside = |state| self.lock.observe(state).contains(thread);
        match (inside(from), inside(to)) {
            (false, true) => One(Action::Enter(thread)),
            (true, false) => One(Action::Leave(thread)),
            _ => Stutter,
        }
    }
}
