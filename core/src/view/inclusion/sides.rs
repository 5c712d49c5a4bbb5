//! The two automata that are compared.

use std::sync::Arc;

use super::automaton::{Automaton, StepSource};
use super::bounds::{Bounds, Stop};
use super::comparison::Comparison;
use super::met::{Labelling, MetStates};
use super::pairs::AskedSystems;
use crate::walk::explore::{Clock, Limit, Spilled, Written};

/// The two automata that are compared.
pub(super) struct Sides<'a> {
    pub implementation: Automaton<'a>,
    pub specification: Automaton<'a>,
    /// The same two as searches of pairs ask for them.
    pub searched: Arc<AskedSystems<'a>>,
    pub bounds: Bounds<'a>,
    pub account: DiskAccount,
}

/// Account of what a search of pairs has on disk.
#[derive(Default)]
pub(super) struct DiskAccount {
    pub checkpoints: Option<Written>,
    pub spilled: Option<Spilled>,
}

impl<'a> Sides<'a> {
    /// The two automata, of which nothing was asked.
    pub fn new(
        [implementation, specification]: [StepSource<'a>; 2],
        comparison: &Comparison<'a>,
    ) -> Self {
        let [implementation, specification] = [implementation, specification].map(Automaton::new);
        let met = match &implementation.source {
            StepSource::Observed(observed) => Arc::clone(&observed.met),
            StepSource::Explicit(..) => Arc::new(MetStates::new(
                implementation.system(),
                Labelling::Own,
                comparison.spill.is_none(),
            )),
        };
        let searched = AskedSystems::new(met, specification.anew());
        Self {
            implementation,
            specification,
            searched: Arc::new(searched),
            bounds: Bounds::new(Clock::new(comparison.limits, comparison.watch)),
            account: DiskAccount::default(),
        }
    }

    /// Notes a piece of work.
    ///
    /// # Errors
    ///
    /// If a limit is reached, or no more work is allowed.
    #[inline]
    pub fn work(&mut self) -> Result<(), Stop> {
        let states = [&self.implementation, &self.specification].map(Automaton::states);
        self.bounds.work(states[0].max(states[1]))
    }

    /// Runs a search that is allowed so many pieces of work; none if they were not enough. The same work is done each time,
    /// whatever the clock says.
    pub fn allow<T>(
        &mut self,
        work: u64,
        search: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, Limit> {
        self.bounds.left = work;
        let result = search(self);
        self.bounds.left = u64::MAX;
        match result {
            Ok(found) => Ok(Some(found)),
            Err(Stop::Allowance) => Ok(None),
            Err(Stop::Limit(limit)) => Err(limit),
        }
    }

    /// Runs a search that is allowed any amount of work.
    pub fn whole<T>(
        &mut self,
        search: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Limit> {
        let found = self.allow(u64::MAX, search)?;
        Ok(found.expect("any amount of work is allowed"))
    }
}
