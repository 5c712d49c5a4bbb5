//! The alternating bit protocol transmits each value once.
//!
//! Source: Lamport, *Specifying Systems*, section 14.6, modules `MCAlternatingBit` and `ABCorrectness`.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::Refinement;
use refmap_systems::published::alternating_bit::{Action, AlternatingBit, State};
use refmap_systems::published::alternating_bit_correctness::{self, AbCorrectness};

/// The refinement for an instance.
pub struct AlternatingBitRefinement {
    implementation: AlternatingBit,
    specification: AbCorrectness,
}

impl AlternatingBitRefinement {
    /// The refinement for an instance.
    pub fn new(implementation: AlternatingBit) -> Self {
        let specification = AbCorrectness {
            data: implementation.data,
        };
        Self {
            implementation,
            specification,
        }
    }
}

impl Refinement for AlternatingBitRefinement {
    between!(AlternatingBit, AbCorrectness);

    /// The lines are hidden.
    fn map(&self, state: &State) -> alternating_bit_correctness::State {
        state.ends
    }

    /// A message that comes again changes nothing, nor does a bit.
    fn abstract_steps(
        &self,
        from: &State,
        action: &Action,
        to: &State,
    ) -> AbstractSteps<alternating_bit_correctness::Action> {
        use alternating_bit_correctness::Action as Correctness;
        let changes = from.ends != to.ends;
        match *action {
            Action::SndNewValue(value) => One(Correctness::CSndNewValue(value)),
            Action::ReSndMsg => Stutter,
            Action::RcvMsg => changes.then_some(Correctness::CRcvMsg).into(),
            Action::SndAck => Stutter,
            Action::RcvAck => changes.then_some(Correctness::CRcvAck).into(),
            Action::LoseMsg(_) | Action::LoseAck(_) => Stutter,
        }
    }
}
