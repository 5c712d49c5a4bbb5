//! The ring whose consumers claim slots ahead of producers, with a stuttering variable, refines Fifo step by step.
//!
//! Source: an example of this repository. A claim that is two steps of the queue stutters once before; the stutter is the first of
//! the two. Beside [`ring_claims`](super::ring_claims), where the claim is both, it shows what the variable takes: which claim
//! comes next is settled by the stutter, so that there are more states, and a mapping that knows of it.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::auxiliary::{self, Pausing, Stuttering, WithStuttering, enabled};
use refmap::{Refinement, successor};
use refmap_systems::auxiliary::fifo::{self, Fifo};
use refmap_systems::auxiliary::ring_claims::{Action, RingClaims, State};

use super::ring_claims::{image, simulated};

/// The stuttering variable: one stutter before a claim that meets one of the other kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum ClaimStutters {
    /// Before a claim that is two steps of the queue.
    AtMeetings,
    /// Before the claims of all who are under way. Wrong: where one has claimed already, the stutter leads nowhere.
    OfEveryone,
    /// Before a claim that is two steps of the queue, without counting down. Wrong: it never ends.
    WithoutEnd,
}

impl auxiliary::Stutters<RingClaims> for ClaimStutters {
    type Value = u8;

    fn rules(&self) -> Vec<&'static str> {
        vec!["claim_tail", "claim_head"]
    }

    fn before(&self, ring: &RingClaims, state: &State) -> Vec<(Action, u8)> {
        match self {
            Self::AtMeetings | Self::WithoutEnd => enabled(ring, state, |action| {
                (simulated(ring, state, *action).len() > 1).then_some(1)
            }),
            Self::OfEveryone => {
                let enqueuers = (0..ring.users.enqueuers).map(Action::ClaimTail);
                let dequeuers = (0..ring.users.dequeuers).map(Action::ClaimHead);
                let all = enqueuers.chain(dequeuers);
                all.map(|action| (action, 1)).collect()
            }
        }
    }

    fn least(&self) -> u8 {
        match self {
            Self::AtMeetings | Self::OfEveryone => 1,
            Self::WithoutEnd => 0,
        }
    }

    fn decrease(&self, value: &u8) -> u8 {
        match self {
            Self::AtMeetings | Self::OfEveryone => value - 1,
            Self::WithoutEnd => *value,
        }
    }
}

/// The ring with its stutters.
type StutteringRing = WithStuttering<RingClaims, ClaimStutters>;
/// A state of the ring with its stutters.
type RingState = Pausing<State, Action, u8>;

/// The refinement with the variable.
pub struct RingClaimsStutteringRefinement {
    implementation: StutteringRing,
    specification: Fifo,
}

impl RingClaimsStutteringRefinement {
    /// The refinement for an instance.
    pub fn new(ring: RingClaims, stutters: ClaimStutters) -> Self {
        Self {
            implementation: WithStuttering::new(ring, stutters),
            specification: Fifo {
                users: ring.users,
                capacity: ring.slots,
            },
        }
    }

    fn ring(&self) -> &RingClaims {
        &self.implementation.system
    }
}

impl Refinement for RingClaimsStutteringRefinement {
    between!(StutteringRing, Fifo);

    /// After the stutter the queue has taken the first of the two steps.
    fn map(&self, of: &RingState) -> fifo::State {
        let image = image(self.ring(), &of.state);
        let Some(stutter) = &of.stutter else {
            return image;
        };
        let steps = simulated(self.ring(), &of.state, stutter.action);
        let first = steps.first();
        let after = first.and_then(|first| successor(&self.specification, &image, first));
        after.unwrap_or(image)
    }

    fn abstract_steps(
        &self,
        from: &RingState,
        action: &Stuttering<Action, u8>,
        _: &RingState,
    ) -> AbstractSteps<fifo::Action> {
        let step = match action {
            Stuttering::Stutter(stutter) => {
                let steps = simulated(self.ring(), &from.state, stutter.action);
                steps.into_iter().next()
            }
            Stuttering::Step(action) => {
                let steps = simulated(self.ring(), &from.state, *action);
                steps.into_iter().last()
            }
        };
        step.map_or(Stutter, One)
    }
}
