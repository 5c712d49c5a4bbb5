//! Faults of a model itself.

use crate::disagreement::Disagreement;
use crate::explore::Panic;
use crate::state::PackingError;
use crate::symmetry::Asymmetry;

/// Fault of a model itself.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    Panic(Panic),
    OfferedTwice,
    Asymmetry(Asymmetry),
    Mispacked(PackingError),
    Inconsistent(Inconsistency),
    /// Fault that another process has found, as that explains it.
    Told(String),
}

/// Contradiction of a model with itself.
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
