//! What can be wrong with a model itself, and which of its functions was running.

use crate::disagreement::Disagreement;
use crate::explore::Panic;
use crate::packed::PackingError;
use crate::symmetry::Asymmetry;

/// The function of a model that is running, to be named if it panics.
#[derive(Clone, Copy, Debug)]
pub(super) enum ModelCall {
    Constraint,
    Map,
    Observe,
    IsInitial,
    /// By its place among the refinement's invariants.
    Invariant(usize),
    Next,
    AbstractStepsBefore,
    AbstractAction,
    Allows,
    Symmetry,
    /// A function, by its name: most of them are asked again.
    Again(&'static str),
}

/// What is wrong with a model itself.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    Panic(ModelCall, Panic),
    OfferedTwice,
    Asymmetry(Asymmetry),
    Mispacked(PackingError),
    Inconsistent(Inconsistency),
}

/// How a model contradicts itself.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Inconsistency {
    #[error(
        "{function} is not a function of what it is given: at first it answered {first}; asked again, {again}"
    )]
    NotAFunction {
        function: String,
        first: String,
        again: String,
    },
    #[error("of the {system}, {found}")]
    Disagreement {
        system: &'static str,
        found: Disagreement,
    },
    #[error(
        "`inputs` of the specification makes {inputs} of {action}, and that is not the same action with its results fixed"
    )]
    Inputs { action: String, inputs: String },
    #[error("two equal {what} differ: {difference}")]
    Equal {
        what: &'static str,
        difference: String,
    },
    #[error(
        "two states of the implementation have one fingerprint, and `Eq` tells them apart, so `Hash` leaves out what \
         `Eq` compares: {difference}"
    )]
    Fingerprint { difference: String },
}

impl From<Inconsistency> for Fault {
    fn from(found: Inconsistency) -> Self {
        Self::Inconsistent(found)
    }
}
