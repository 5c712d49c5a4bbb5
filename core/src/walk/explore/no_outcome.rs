//! Reasons why an exploration has no outcome.

use super::disk::DiskError;
use super::peers::PeersError;

/// Reason why an exploration has no outcome here.
#[derive(Debug)]
pub(crate) enum NoOutcome {
    /// The checkpoint that is resumed is damaged, or one of another model, or a folder cannot be used.
    Disk(DiskError),
    /// Processes do not search together, or not any more.
    Peers(PeersError),
    /// Process 0 has the outcome, and this is its report.
    Served(String),
}

impl From<DiskError> for NoOutcome {
    fn from(error: DiskError) -> Self {
        Self::Disk(error)
    }
}

impl From<PeersError> for NoOutcome {
    fn from(error: PeersError) -> Self {
        Self::Peers(error)
    }
}
