//! The counter of an obligation that is tested at states or at steps.

use serde::{Deserialize, Serialize};

use crate::walk::explore::Place;

/// Number of tests of an obligation, and the first place where it fails.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Tested {
    pub checked: u64,
    pub first: Option<Place>,
}

impl Tested {
    /// Counts a test, and notes the place if it fails there.
    #[inline]
    pub fn note(&mut self, place: Place, holds: bool) {
        self.checked += 1;
        if !holds {
            earlier(&mut self.first, Some(place));
        }
    }

    /// Adds what another worker counted.
    pub fn add(&mut self, other: Self) {
        self.checked += other.checked;
        earlier(&mut self.first, other.first);
    }
}

/// Keeps the earlier of two places.
pub(super) fn earlier(place: &mut Option<Place>, other: Option<Place>) {
    *place = match (*place, other) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}

/// Adds counts to those of the same things.
pub(super) fn add_counts(into: &mut [u64], from: &[u64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a += b;
    }
}
