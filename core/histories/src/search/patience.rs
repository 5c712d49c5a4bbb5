//! Limits and cancellation, asked now and then, and within an enumeration of the specification too.

use std::cell::Cell;
use std::time::Instant;

use crate::settings::Settings;
use refmap::explore::{Limit, Limits};

/// Number of turns between two reads of the clock. Cancellation is asked at every turn.
const PATIENCE: u32 = 1 << 4;
/// Number of turns between two measurements of memory, which take longer.
const MORE_PATIENCE: u32 = 1 << 13;

/// Limits of a search. A turn is an expansion, or something that the specification enumerates.
pub(crate) struct Patience<'a> {
    settings: &'a Settings<'a>,
    started: Instant,
    turns: Cell<u32>,
    reached: Cell<Option<Limit>>,
}

impl<'a> Patience<'a> {
    pub fn new(settings: &'a Settings<'a>, started: Instant) -> Self {
        Self {
            settings,
            started,
            turns: Cell::new(0),
            reached: Cell::new(None),
        }
    }

    /// The limit that has been reached, if one was by this turn.
    pub fn turn(&self) -> Option<Limit> {
        if self.reached.get().is_none() {
            let turns = self.turns.get().wrapping_add(1);
            self.turns.set(turns);
            self.reached.set(if turns.is_multiple_of(MORE_PATIENCE) {
                self.exhausted()
            } else if turns.is_multiple_of(PATIENCE) {
                self.out_of_time(&self.settings.limits)
            } else {
                self.out_of_time(&Limits::default())
            });
        }
        self.reached.get()
    }

    /// The same, where `kept` configurations are kept.
    pub fn turn_with(&self, kept: usize) -> Option<Limit> {
        let most = self.settings.configurations;
        if kept > most {
            let limit = Limit::States(most as u64);
            self.reached.set(self.reached.get().or(Some(limit)));
        }
        self.turn()
    }

    /// The limit that an earlier turn has found to be reached.
    pub fn reached(&self) -> Option<Limit> {
        self.reached.get()
    }

    /// The limit on time or memory that has been reached, if any.
    pub fn exhausted(&self) -> Option<Limit> {
        let Settings { limits, .. } = self.settings;
        limits.out_of_memory().or_else(|| self.out_of_time(limits))
    }

    fn out_of_time(&self, limits: &Limits) -> Option<Limit> {
        limits.out_of_time(&self.settings.watch, self.started)
    }
}
