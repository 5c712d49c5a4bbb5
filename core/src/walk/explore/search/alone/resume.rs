//! Checkpoints from which searches go on, in the place of `resume` without the feature: there are none.

use super::state::StateSearch;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::limits::Limit;
use crate::walk::explore::no_outcome::NoOutcome;
use crate::walk::explore::set::Visited;
use crate::walk::explore::span::Span;

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
}
