//! Marking [section 2.3, Fig. 5], and the worklists of what has been marked.
//!
//! A worklist is a chain through the objects themselves, as in Schism (section 2.2): an object is on at
//! most one worklist, since one thread alone wins the race to mark it. So nothing is allocated to mark,
//! and to hand a worklist over is to hand over its first slot. Where two take themselves for the winner
//! the chains run into each other.

use super::control::Phase;
use super::counts::Counts;
use super::error::Stale;
use super::fault::Fault;
use super::heap::Heap;
use super::primitives::{AtomicU32, Ordering};
use super::reference::{Header, Reference};
use super::witness::{Event, Place, Witness};

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

/// A worklist of a thread: what it has marked and nobody has traced.
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

    fn push(&mut self, slot: u32, links: &Links) {
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

/// `mark(ref, W)`, line by line. A stale reference is not marked.
#[inline]
pub(crate) fn mark<W: Witness>(
    heap: &Heap,
    reference: Reference,
    w: &mut Worklist,
    counts: &mut Counts,
    witness: &mut W,
) -> Result<(), Stale> {
    let begin = witness.now();
    let fm = heap.control.fm();
    witness.saw(begin, Event::Sense { reference, fm });
    witness.at(Place::Sense);
    let begin = witness.now();
    let header = heap.header_of(reference)?;
    let mark = header.mark;
    witness.saw(begin, Event::Look { reference, mark });
    if mark == fm {
        return Ok(());
    }
    let begin = witness.now();
    let phase = heap.control.phase();
    witness.saw(begin, Event::Test { reference, phase });
    if phase == Phase::Idle {
        return Ok(());
    }
    witness.at(Place::Claim);
    let begin = witness.now();
    let won = claim(heap, reference, header);
    let mark = Some(!mark);
    witness.saw(
        begin,
        Event::Mark {
            reference,
            won,
            mark,
        },
    );
    if won {
        w.push(reference.slot, &heap.links);
        counts.marks += 1;
    } else {
        counts.marks_lost += 1;
    }
    Ok(())
}

/// Lines 5 to 11: whether this thread is the one that marks. The one place in which the CAS matters.
fn claim(heap: &Heap, reference: Reference, header: Header) -> bool {
    let marked = Header {
        mark: !header.mark,
        ..header
    };
    let word = heap.header_word(reference.slot);
    if heap.fault == Fault::MarkWithoutCas {
        word.store(marked.pack(), Ordering::Release);
        return true;
    }
    // Acquire and release: the paper's CAS is a fence, and on x86-64 the instruction is one. Release is
    // what is needed: whoever sees the mark sees the sense it was made in. A loser only has to know that
    // somebody else has won; acquire keeps what it does next behind the instruction.
    word.compare_exchange(
        header.pack(),
        marked.pack(),
        Ordering::AcqRel,
        Ordering::Acquire,
    )
    .is_ok()
}
