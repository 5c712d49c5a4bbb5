//! Worklists of marked objects.
//!
//! A worklist is a chain through the objects themselves, as in Schism (section 2.2): an object is on at
//! most one worklist, since one thread alone wins the race to mark it. So nothing is allocated to mark,
//! and to hand a worklist over is to hand over its first slot. Where two take themselves for the winner
//! the chains run into each other.

use super::primitives::{AtomicU32, Ordering};

/// The end of a chain.
pub(crate) const NONE: u32 = u32::MAX;

/// Per slot, the next one on the same worklist.
pub(crate) struct Links(Box<[AtomicU32]>);

impl Links {
    pub fn new(capacity: u32) -> Self {
        Self((0..capacity).map(|_| AtomicU32::new(NONE)).collect())
    }

    fn next(&self, slot: u32) -> u32 {
        // Relaxed: written by who had the list then, and handed over by a handshake.
        self.0[slot as usize].load(Ordering::Relaxed)
    }

    fn set_next(&self, slot: u32, next: u32) {
        // Relaxed: as above.
        self.0[slot as usize].store(next, Ordering::Relaxed);
    }
}

/// A worklist of a thread: what it has marked and no thread has traced.
pub(crate) struct Worklist {
    head: u32,
    /// The heads of further chains.
    more: Vec<u32>,
}

impl Worklist {
    pub fn new() -> Self {
        Self {
            head: NONE,
            more: Vec::new(),
        }
    }

    /// What is on the chains that begin with `heads`.
    pub fn of(mut heads: Vec<u32>) -> Self {
        heads.retain(|head| *head != NONE);
        Self {
            head: heads.pop().unwrap_or(NONE),
            more: heads,
        }
    }

    /// The head of a thread's own chain, which is empty then.
    pub fn take(&mut self) -> u32 {
        debug_assert!(self.more.is_empty());
        std::mem::replace(&mut self.head, NONE)
    }

    /// Puts a slot on.
    pub fn push(&mut self, slot: u32, links: &Links) {
        links.set_next(slot, self.head);
        self.head = slot;
    }

    /// Takes a slot off.
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
