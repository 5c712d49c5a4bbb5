//! Checkpoints, in the place of `checkpoint` without the feature: none is due.

use super::kept::BetweenWaves;
use super::state::StateSearch;
use crate::walk::explore::disk::Checksum;
use crate::walk::explore::expansion::Expand;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::no_outcome::NoOutcome;
use crate::walk::explore::peers::Trouble;
use crate::walk::explore::set::Visited;
use crate::walk::explore::span::Span;

/// Reason why a journal ends.
pub(super) const AT_FAULT: &str = "";

impl<K, I> StateSearch<'_, K, I>
where
    K: Compared,
    I: Visited<K>,
{
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
}

/// Adds a state to a checksum of a checkpoint.
pub(super) fn add_key<K: Compared>(_: &mut Checksum, _: &dyn Expand, _: &K) {}
