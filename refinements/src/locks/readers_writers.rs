//! Readers and writers are under shared exclusion.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::crowd::{Crowd, CrowdRefinement, Moment};
use refmap_systems::locks::readers_writers::{Action, ReadersWriters, Semaphores, Thread};
use refmap_systems::locks::shared_exclusion::{self, SharedExclusion};

/// The refinement.
#[derive(Clone, Copy, Debug)]
pub struct ReadersWritersRefinement(pub ReadersWriters);

impl CrowdRefinement for ReadersWritersRefinement {
    type Implementation = ReadersWriters;
    type Specification = SharedExclusion;

    fn implementation(&self) -> ReadersWriters {
        self.0
    }

    fn specification(&self) -> SharedExclusion {
        SharedExclusion
    }

    fn map(&self, _: &Semaphores) {}

    fn map_member(&self, semaphores: &Semaphores, thread: &Thread) -> shared_exclusion::Thread {
        let seen = self.0.observe_member(semaphores, thread);
        seen.unwrap_or(shared_exclusion::Thread::Outside)
    }

    fn abstract_steps(
        &self,
        _: Moment<'_, ReadersWriters>,
        action: &Action,
        _: Moment<'_, ReadersWriters>,
    ) -> AbstractSteps<shared_exclusion::Action> {
        use shared_exclusion::Action::{Leave, Read, Write};
        match action {
            Action::ReadFirst | Action::ReadToo => One(Read),
            Action::Write => One(Write),
            Action::Discount | Action::LeaveWritten => One(Leave),
            Action::Count | Action::LeaveLast | Action::LeaveOthers => Stutter,
        }
    }
}
