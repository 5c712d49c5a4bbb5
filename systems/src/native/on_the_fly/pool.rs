//! Pools of free slots: each mutator allocates from its own, which is refilled from what the sweep has
//! freed (the extension of section 4).
//!
//! A slot is in one pool or owned by one thread, so allocations do not race. The common
//! pool is protected by a lock, taken once for many slots.

use super::primitives::Mutex;

/// The most slots that a mutator takes at once.
const MOST: usize = 64;

/// The common pool of free slots.
pub(crate) struct CommonPool {
    slots: Mutex<Vec<u32>>,
    batch: usize,
}

impl CommonPool {
    /// All slots of a heap, the first on top.
    pub fn new(capacity: u32) -> Self {
        Self {
            slots: Mutex::new((0..capacity).rev().collect()),
            // Small enough that no mutator holds much of a small heap.
            batch: (capacity as usize / 16).clamp(1, MOST),
        }
    }

    fn slots<T>(&self, with: impl FnOnce(&mut Vec<u32>) -> T) -> T {
        with(&mut self.slots.lock().expect("nothing panics with the lock"))
    }

    /// Moves some slots to a mutator's empty pool; none if there are none.
    pub fn refill(&self, pool: &mut Vec<u32>) {
        self.slots(|slots| {
            let rest = slots.len().saturating_sub(self.batch);
            pool.extend(slots.drain(rest..));
        });
    }

    /// Adds freed slots, and leaves `freed` empty.
    pub fn give_back(&self, freed: &mut Vec<u32>) {
        self.slots(|slots| slots.append(freed));
    }
}
