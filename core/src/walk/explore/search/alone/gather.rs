//! Findings of all processes, in the place of `gather` without the feature: a process is alone.

use super::found::{Ended, Found, SearchFigures};
use super::state::StateSearch;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::no_outcome::NoOutcome;
use crate::walk::explore::set::Visited;
use crate::walk::explore::spill::OpenDisk;

impl<K, I> StateSearch<'_, K, I>
where
    K: Compared,
    I: Visited<K>,
{
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
