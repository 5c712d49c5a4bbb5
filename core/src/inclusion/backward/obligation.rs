//! Obligations of a backward simulation, and the relation of which they are tested.

use serde::{Serialize, Serializer};

use crate::erased::ErasedState;

/// Obligation of a backward simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BackwardObligation {
    /// Each state is related to some abstract state.
    Total,
    /// Related states show the same.
    Observation,
    /// Abstract states related to an initial state are initial.
    Initial,
    /// Each abstract state related to the end of a step is reached from one that is related to its beginning.
    Step,
}

impl BackwardObligation {
    /// All of them, in the order of a report.
    pub const ALL: [Self; 4] = [Self::Total, Self::Observation, Self::Initial, Self::Step];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Total => "backward:total",
            Self::Observation => "backward:observation",
            Self::Initial => "backward:initial",
            Self::Step => "backward:step",
        }
    }

    /// The obligation as a sentence.
    pub fn statement(self) -> &'static str {
        match self {
            Self::Total => "each reachable state is related to an abstract state",
            Self::Observation => "related states show the same",
            Self::Initial => "each abstract state related to an initial state is initial",
            Self::Step => {
                "each abstract state related to the end of a step is reached from one related to its beginning, by abstract steps that \
                 show what the step shows"
            }
        }
    }

    /// Noun for what is tested.
    pub fn tested(self) -> &'static str {
        match self {
            Self::Total => "state",
            Self::Observation => "pair of states",
            Self::Initial => "pair of initial states",
            Self::Step => "step to an abstract state",
        }
    }
}

impl Serialize for BackwardObligation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Visits the abstract states that are related to a state.
pub(crate) type Related<'a> = dyn Fn(&ErasedState, &mut dyn FnMut(ErasedState)) + 'a;
