//! Marking [section 2.3, Fig. 5].

use super::control::Phase;
use super::counts::Counts;
use super::error::Stale;
use super::fault::Fault;
use super::heap::Heap;
use super::primitives::Ordering;
use super::reference::{Header, Reference};
use super::witness::{Event, Place, Witness};
use super::worklist::Worklist;

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
    // needed: a thread that reads the mark reads the sense in which it was made. A loser only needs to know that
    // another thread has won; acquire orders its next accesses after the instruction.
    word.compare_exchange(
        header.pack(),
        marked.pack(),
        Ordering::AcqRel,
        Ordering::Acquire,
    )
    .is_ok()
}
