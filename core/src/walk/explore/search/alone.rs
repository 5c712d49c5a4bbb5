//! A search without the feature `disk`: of one process, without checkpoints.

use super::found::{Ended, Found, SearchFigures};
use super::kept::BetweenWaves;
use super::state::StateSearch;
use crate::walk::explore::disk::Checksum;
use crate::walk::explore::expansion::Expand;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::limits::Limit;
use crate::walk::explore::no_outcome::NoOutcome;
use crate::walk::explore::peers::{PeersError, Trouble};
use crate::walk::explore::set::Visited;
use crate::walk::explore::span::Span;
use crate::walk::explore::spill::OpenDisk;

/// Reason why a journal ends.
pub(super) const AT_FAULT: &str = "";

/// Position at which a search goes on.
pub(super) struct Resumed {
    pub left: Span,
    pub is_begun: bool,
    pub limit: Option<(usize, Limit)>,
}

impl<K, I> StateSearch<'_, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Reads a checkpoint.
    pub(super) fn resume(&mut self) -> Result<Option<Resumed>, NoOutcome> {
        Ok(None)
    }

    /// Position to which a checkpoint goes back.
    pub(super) fn moment(&mut self, _: Span) -> Option<BetweenWaves> {
        None
    }

    /// The same where a limit ends the search.
    pub(super) fn moment_at_limit(&mut self, _: &Span) -> Option<BetweenWaves> {
        None
    }

    /// Writes a checkpoint, if one is due.
    pub(super) fn keep_if_due(&mut self, _: &Span) -> Result<(), NoOutcome> {
        Ok(())
    }

    /// Writes a checkpoint where a limit ends the search.
    pub(super) fn keep_at_limit(
        &mut self,
        _: Option<BetweenWaves>,
        _: Trouble,
    ) -> Result<(), NoOutcome> {
        Ok(())
    }

    /// True if all processes together have enough initial states.
    pub(super) fn has_enough_initial(&mut self, _: bool, _: u64) -> Result<bool, PeersError> {
        Ok(true)
    }

    /// Sends the others the targets that are theirs.
    pub(super) fn exchange(&mut self, _: &Span) -> Result<(), PeersError> {
        Ok(())
    }

    /// Gathers the findings of all.
    pub(super) fn gather(
        self,
        ended: Ended,
        record: SearchFigures,
        _: OpenDisk<K, I>,
    ) -> Result<Found, NoOutcome> {
        Ok(self.found(ended, record))
    }
}

/// Adds a state to a checksum of a checkpoint.
pub(super) fn add_key<K: Compared>(_: &mut Checksum, _: &dyn Expand, _: &K) {}
