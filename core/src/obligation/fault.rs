//! Faults of a model itself.

use crate::state::PackingError;
use crate::view::consistency::Inconsistency;
use crate::walk::explore::Asymmetry;
use crate::walk::explore::Panic;

/// Fault of a model itself.
#[derive(Clone, Debug)]
pub(super) enum ModelFault {
    Panic(Panic),
    OfferedTwice,
    Asymmetry(Asymmetry),
    Mispacked(PackingError),
    Inconsistent(Inconsistency),
    /// Fault that another process has found, as that explains it.
    Told(String),
}

impl From<Inconsistency> for ModelFault {
    fn from(found: Inconsistency) -> Self {
        Self::Inconsistent(found)
    }
}
