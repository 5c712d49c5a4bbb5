//! Slot in which a thread says which call it makes, for whoever finds that it does not return.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Place while no call is under way.
const NONE: usize = 0;
/// Greatest number of calls that are known; of a thread that makes more of them, the others are not told.
const MOST: usize = 64;

/// Slot of one thread.
///
/// PERF: a call that was made before costs two relaxed stores, which order nothing in the code under test.
#[derive(Debug)]
pub(super) struct Slot<C> {
    /// Number of calls that have returned.
    returned: AtomicU64,
    /// One more than the place of the call under way among the known ones.
    pending: AtomicUsize,
    /// Time at which it began.
    begun: AtomicU64,
    known: Mutex<Vec<C>>,
}

impl<C: Clone + Eq> Slot<C> {
    pub fn new() -> Self {
        Self {
            returned: AtomicU64::new(0),
            pending: AtomicUsize::new(NONE),
            begun: AtomicU64::new(0),
            known: Mutex::new(Vec::new()),
        }
    }

    /// Number of calls that have returned.
    pub fn returned(&self) -> u64 {
        self.returned.load(Ordering::Relaxed)
    }

    /// Number of calls that have begun.
    #[cfg(any(feature = "shuttle", feature = "loom"))]
    pub fn begun(&self) -> u64 {
        let is_pending = self.pending.load(Ordering::Relaxed) != NONE;
        self.returned() + u64::from(is_pending)
    }

    /// Time at which the call under way began, and the call, if it is known.
    pub fn pending(&self) -> Option<(u64, Option<C>)> {
        let place = self.pending.load(Ordering::Relaxed).checked_sub(1)?;
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = self.begun.load(Ordering::Relaxed);
        Some((begun, known.get(place).cloned()))
    }
}

/// The thread's own end of its slot.
#[derive(Debug)]
pub(super) struct Telling<'a, C> {
    slot: &'a Slot<C>,
    known: Vec<C>,
}

impl<'a, C: Clone + Eq> Telling<'a, C> {
    pub fn of(slot: &'a Slot<C>) -> Self {
        let known = Vec::new();
        Self { slot, known }
    }

    /// A call begins.
    pub fn begins(&mut self, call: &C, time: u64) {
        let known = self.known.iter().position(|known| known == call);
        let place = known.unwrap_or_else(|| {
            if self.known.len() < MOST {
                self.known.push(call.clone());
                let known = &self.slot.known;
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                known.push(call.clone());
                known.len() - 1
            } else {
                MOST
            }
        });
        self.slot.begun.store(time, Ordering::Relaxed);
        self.slot.pending.store(place + 1, Ordering::Relaxed);
    }

    /// It has returned.
    pub fn returned(&mut self) {
        self.slot.pending.store(NONE, Ordering::Relaxed);
        let before = self.slot.returned.load(Ordering::Relaxed);
        self.slot.returned.store(before + 1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls that are known are told, each as itself, and those beyond as calls that are not known.
    #[test]
    fn more_calls_than_are_known_are_not_told_as_others() {
        let slot: Slot<u32> = Slot::new();
        let mut telling = Telling::of(&slot);
        let most = MOST as u32;
        let calls = (0..most + 2).chain([1, most - 1, most]);
        for (number, call) in calls.enumerate() {
            assert_eq!(slot.pending(), None);
            telling.begins(&call, number as u64);
            let known = (call < most).then_some(call);
            assert_eq!(slot.pending(), Some((number as u64, known)), "{call}");
            telling.returned();
            assert_eq!(slot.returned(), number as u64 + 1);
        }
    }
}
