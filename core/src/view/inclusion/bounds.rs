//! Bounds on the work of a comparison.

use std::time::Duration;

use crate::walk::explore::{Clock, Limit, Limits, Watch};

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
    pub left: u64,
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
