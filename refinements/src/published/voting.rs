//! Voting refines consensus.
//!
//! Source: Lamport, *The Paxos Algorithm, or How to Win a Turing Award* (lecture, 2019), module `Voting`.

use refmap::AbstractSteps::{self, Stutter};
use refmap::Refinement;
use refmap_systems::published::consensus::{self, Consensus};
use refmap_systems::published::voting::{Action, State, Voting};

/// The refinement for an instance.
pub struct VotingRefinement {
    implementation: Voting,
    specification: Consensus,
}

impl VotingRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: Voting) -> Self {
        let specification = Consensus {
            values: implementation.values,
        };
        Self {
            implementation,
            specification,
        }
    }
}

impl Refinement for VotingRefinement {
    between!(Voting, Consensus);

    /// The values that a quorum has voted for in one ballot; the votes are hidden.
    fn map(&self, state: &State) -> consensus::State {
        consensus::State {
            chosen: state.chosen(&self.implementation),
        }
    }

    /// The vote that completes a quorum chooses its value; another one changes nothing.
    fn abstract_steps(
        &self,
        from: &State,
        action: &Action,
        to: &State,
    ) -> AbstractSteps<consensus::Action> {
        match *action {
            Action::IncreaseMaxBal(..) => Stutter,
            Action::VoteFor { vote, .. } => {
                let changes = self.map(from) != self.map(to);
                changes
                    .then_some(consensus::Action::Choose(vote.value))
                    .into()
            }
        }
    }
}
