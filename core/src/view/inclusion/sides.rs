//! The two automata that are compared, and the bounds on the work on them.

use std::sync::Arc;
use std::time::Duration;

use super::automaton::{Automaton, StepSource};
use super::comparison::Comparison;
use super::met::{Labelling, MetStates};
use super::pairs::Searched;
use crate::walk::explore::{Clock, Limit, Limits, Spilled, Watch, Written};

/// Reason why a search ends before it has its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// A limit of the user is reached.
    Limit(Limit),
    /// The work that the search was allowed is done.
    Allowance,
}

/// Bounds on a decision: asked at every piece of work, they look at the clock now and then.
pub(super) struct Bounds<'a> {
    pub clock: Clock<'a>,
    /// Time that is not counted, since a checkpoint was read.
    pub uncounted: Duration,
    /// Pieces of work that are still allowed.
    left: u64,
    /// Those since the last look at the clock.
    work: u32,
}

/// Pieces of work between two looks at the clock.
const WORK: u32 = 4096;

impl<'a> Bounds<'a> {
    pub fn new(clock: Clock<'a>) -> Self {
        Self {
            clock,
            uncounted: Duration::ZERO,
            left: u64::MAX,
            work: 0,
        }
    }

    /// The same for a search that is allowed so many pieces of work.
    pub fn allowing(clock: Clock<'a>, work: u64) -> Self {
        Self {
            left: work,
            ..Self::new(clock)
        }
    }

    /// Bounds on what ends whatever it takes.
    pub fn none() -> Self {
        Self::new(Clock::new(Limits::default(), Watch::default()))
    }

    /// Notes a piece of work on so many states.
    ///
    /// # Errors
    ///
    /// If a limit is reached, or no more work is allowed.
    #[inline]
    pub fn work(&mut self, states: u64) -> Result<(), Stop> {
        match self.clock.limits.states {
            Some(most) if states > most => Err(Stop::Limit(Limit::States(most))),
            _ => self.works(1),
        }
    }

    /// Notes some pieces of work.
    ///
    /// # Errors
    ///
    /// If a limit is reached, or no more work is allowed.
    #[inline]
    pub fn works(&mut self, pieces: u32) -> Result<(), Stop> {
        let Some(left) = self.left.checked_sub(pieces.into()) else {
            return Err(Stop::Allowance);
        };
        self.left = left;
        self.work = self.work.saturating_add(pieces);
        if self.work < WORK {
            return Ok(());
        }
        self.work = 0;
        match self
            .clock
            .not_counting(self.uncounted)
            .out_of_time_or_memory()
        {
            Some(limit) => Err(Stop::Limit(limit)),
            None => Ok(()),
        }
    }
}

/// The two automata that are compared.
pub(super) struct Sides<'a> {
    pub implementation: Automaton<'a>,
    pub specification: Automaton<'a>,
    /// The same two as searches of pairs ask for them.
    pub searched: Arc<Searched<'a>>,
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
        let searched = Searched::new(met, specification.anew());
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
