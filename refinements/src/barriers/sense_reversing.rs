//! The sense-reversing barrier: a thread leaves a round when all have arrived in it.

use refmap::AbstractSteps::{self, One};
use refmap::crowd::{CrowdInvariant, CrowdRefinement, Moment};
use refmap_systems::barriers::rounds::{self, Rounds};
use refmap_systems::barriers::sense_reversing::{Action, Label, SenseReversing, Shared, Thread};

/// The refinement.
#[derive(Clone, Copy, Debug)]
pub struct SenseReversingRefinement(pub SenseReversing);

impl CrowdRefinement for SenseReversingRefinement {
    type Implementation = SenseReversing;
    type Specification = Rounds;

    fn implementation(&self) -> SenseReversing {
        self.0
    }

    fn specification(&self) -> Rounds {
        Rounds
    }

    fn map(&self, _: &Shared) {}

    fn map_member(&self, _: &Shared, thread: &Thread) -> rounds::Thread {
        rounds::Thread {
            round: thread.round,
            arrived: thread.at != Label::Works,
        }
    }

    fn abstract_steps(
        &self,
        _: Moment<'_, SenseReversing>,
        action: &Action,
        _: Moment<'_, SenseReversing>,
    ) -> AbstractSteps<rounds::Action> {
        use rounds::Action::{Arrive, Leave};
        match action {
            Action::Arrive | Action::ArriveLast => One(Arrive),
            Action::LetGo | Action::Leave => One(Leave),
        }
    }

    fn invariants(&self) -> Vec<CrowdInvariant<SenseReversing>> {
        vec![CrowdInvariant::of_members(
            "one_round_ahead",
            "Hensgen, Finkel & Manber: no thread is two rounds ahead of another",
            |_, [one, other]: [&Thread; 2]| one.round <= other.round.next(),
        )]
    }
}
