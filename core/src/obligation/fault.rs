//! Faults of a model itself.

use crate::consistency::Inconsistency;
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

impl From<Inconsistency> for Fault {
    fn from(found: Inconsistency) -> Self {
        Self::Inconsistent(found)
    }
}
