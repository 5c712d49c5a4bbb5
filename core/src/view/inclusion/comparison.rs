//! Settings of a comparison.

use std::num::NonZero;

use crate::walk::explore::{Checkpoints, Limits, Spilling, Watch};

/// Settings of a comparison. The defaults compare on all cores, without bounds.
#[derive(Clone)]
pub struct Comparison<'a> {
    /// Workers of the search for a trace that the specification does not have; they change the speed and nothing else. Simulations have one.
    pub threads: usize,
    /// Limits at which to end early. That on states is one on those of each system, and on pairs.
    pub limits: Limits,
    /// Checkpoints of the search for a trace, if it is to outlast what ends it. States of both systems have to be packed. A simulation
    /// is looked for first, for a short while.
    pub checkpoints: Option<Checkpoints>,
    /// Disk for pairs for which there is no memory, if they may go there. States of both systems have to be packed. Then each pair is expanded,
    /// whether another one makes that needless or not: to know that would take all of them in memory.
    pub spill: Option<Spilling>,
    /// Cancellation and progress.
    pub watch: Watch<'a>,
}

impl Default for Comparison<'_> {
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().map_or(1, NonZero::get),
            limits: Limits::default(),
            checkpoints: None,
            spill: None,
            watch: Watch::default(),
        }
    }
}

impl Comparison<'_> {
    /// True if the search for a trace goes to its end at once.
    pub(super) fn is_on_disk(&self) -> bool {
        self.checkpoints.is_some() || self.spill.is_some()
    }
}
