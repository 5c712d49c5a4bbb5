//! The MESI protocol is coherent: of an exclusive copy and of a modified one there is no other, and a shared one is read alone.

use refmap::AbstractSteps::{self, One};
use refmap::crowd::{CrowdRefinement, Moment};
use refmap_systems::caches::coherence::{self, Access, Coherence};
use refmap_systems::caches::mesi::{Action, Cache, Memory, Mesi};

/// The refinement.
#[derive(Clone, Copy, Debug)]
pub struct MesiRefinement(pub Mesi);

impl CrowdRefinement for MesiRefinement {
    type Implementation = Mesi;
    type Specification = Coherence;

    fn implementation(&self) -> Mesi {
        self.0
    }

    fn specification(&self) -> Coherence {
        Coherence
    }

    fn map(&self, memory: &Memory) -> coherence::Memory {
        coherence::Memory { value: memory.last }
    }

    fn map_member(&self, _: &Memory, cache: &Cache) -> Access {
        match cache {
            Cache::Invalid => Access::Nothing,
            Cache::Shared(_) => Access::Reads,
            Cache::Exclusive(_) | Cache::Modified(_) => Access::Writes,
        }
    }

    fn abstract_steps(
        &self,
        _: Moment<'_, Mesi>,
        action: &Action,
        _: Moment<'_, Mesi>,
    ) -> AbstractSteps<coherence::Action> {
        use coherence::Action::{Lose, Own, Read, Write};
        match *action {
            Action::ReadExclusive => One(Own),
            Action::ReadShared | Action::ReadModified => One(Read),
            Action::Write(data) | Action::WriteShared(data) | Action::WriteMiss(data) => {
                One(Write(data))
            }
            Action::Replace => One(Lose),
        }
    }
}
