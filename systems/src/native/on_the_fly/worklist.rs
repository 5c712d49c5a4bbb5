//! Worklists of marked objects.
//!
//! A worklist is a linked list through the objects themselves, as in Schism (section 2.2): an object is on at
//! most one worklist, since only one thread wins the race to mark it. So marking allocates nothing,
//! and a worklist is handed over by its first slot. If two threads win one race,
//! their lists share a tail.

use super::primitives::{AtomicU32, Ordering};

/// The end of a list.
pub(crate) const NONE: u32 = u32::MAX;

/// Per slot, the next one on the same worklist.
pub(crate) struct Links(Box<[AtomicU32]>);

impl Links {
    pub fn new(capacity: u32) -> Self {
        Self((0..capacity).map(|_| AtomicU32::new(NONE)).collect())
    }

    fn next(&self, slot: u32) -> u32 {
        // Relaxed: stored by the previous owner of the list, and handed over by a handshake.
        self.0[slot as usize].load(Ordering::Relaxed)
    }

    fn set_next(&self, slot: u32, next: u32) {
        // Relaxed: as above.
        self.0[slot as usize].store(next, Ordering::Relaxed);
    }
}

/// A worklist of a thread: the objects that it has marked and that are not yet traced.
pub(crate) struct Worklist {
    head: u32,
    /// The heads of further lists.
    more: Vec<u32>,
}

impl Worklist {
    pub fn new() -> Self {
        Self {
            head: NONE,
            more: Vec::new(),
        }
    }

    /// The union of the lists that begin with `heads`.
    pub fn of(mut heads: Vec<u32>) -> Self {
        heads.retain(|head| *head != NONE);
        Self {
            head: heads.pop().unwrap_or(NONE),
            more: heads,
        }
    }

    /// Takes the head of a thread's own list, which is empty then.
    pub fn take(&mut self) -> u32 {
        debug_assert!(self.more.is_empty());
        std::mem::replace(&mut self.head, NONE)
    }

    /// Adds a slot.
    pub fn push(&mut self, slot: u32, links: &Links) {
        links.set_next(slot, self.head);
        self.head = slot;
    }

    /// Removes a slot.
    pub fn pop(&mut self, links: &Links) -> Option<u32> {
        if self.head == NONE {
            self.head = self.more.pop()?;
        }
        let slot = self.head;
        self.head = links.next(slot);
        Some(slot)
    }

    pub fn is_empty(&self) -> bool {
        self.head == NONE && self.more.is_empty()
    }
}
