//! A mutator [section 2.3, Fig. 6]: a program's access to the heap.

use std::sync::Arc;

use super::control::Phase;
use super::counts::Counts;
use super::error::{HeapError, Stale};
use super::fault::Fault;
use super::handshake::{Seat, mfence};
use super::heap::Heap;
use super::marking::mark;
use super::primitives;
use super::reference::{Header, Reference};
use super::stage::Stage;
use super::witness::{Event, NoWitness, Place, Witness};
use super::worklist::Worklist;

/// A root: a reference that a mutator holds. Its object is kept alive until the root is discarded or the
/// mutator leaves.
///
/// It can be neither copied nor used after it was discarded; a root that is dropped otherwise remains one.
#[derive(Debug, PartialEq, Eq)]
pub struct Root {
    index: u32,
    reference: Reference,
}

impl Root {
    /// The reference, as an identifier: a use of the object takes the root.
    pub fn reference(&self) -> Reference {
        self.reference
    }
}

/// The roots of a mutator.
#[derive(Default)]
struct Roots {
    held: Vec<Option<Reference>>,
    free: Vec<u32>,
}

impl Roots {
    fn add(&mut self, reference: Reference) -> Root {
        let index = match self.free.pop() {
            Some(index) => {
                self.held[index as usize] = Some(reference);
                index
            }
            None => {
                self.held.push(Some(reference));
                self.held.len() as u32 - 1
            }
        };
        Root { index, reference }
    }

    fn check(&self, root: &Root) -> Result<Reference, HeapError> {
        match self.held.get(root.index as usize) {
            Some(Some(held)) if *held == root.reference => Ok(root.reference),
            _ => Err(HeapError::NotARoot(root.reference)),
        }
    }

    fn remove(&mut self, root: &Root) {
        self.held[root.index as usize] = None;
        self.free.push(root.index);
    }

    /// The newest first, like the frames of a stack.
    fn iter(&self) -> impl Iterator<Item = Reference> {
        self.held.iter().rev().copied().flatten()
    }
}

/// A thread's access to a heap. It must call [`safepoint`](Self::safepoint) from time to time: the collector waits
/// for it, other mutators do not. When it is dropped it leaves, and its roots with it.
pub struct Mutator<W: Witness = NoWitness> {
    heap: Arc<Heap>,
    seat: Arc<Seat>,
    roots: Roots,
    w: Worklist,
    pool: Vec<u32>,
    counts: Counts,
    witness: W,
}

impl Mutator {
    /// A mutator without roots.
    pub fn new(heap: &Arc<Heap>) -> Self {
        Self::witnessed(heap, NoWitness)
    }
}

impl<W: Witness> Mutator<W> {
    /// A mutator without roots, with a witness.
    pub fn witnessed(heap: &Arc<Heap>, mut witness: W) -> Self {
        let begin = witness.now();
        let seat = heap.seats.join();
        witness.saw(begin, Event::Join { owes: None });
        Self::on(Arc::clone(heap), seat, witness)
    }

    fn on(heap: Arc<Heap>, seat: Arc<Seat>, witness: W) -> Self {
        let counts = Counts {
            joins: 1,
            ..Counts::default()
        };
        Self {
            heap,
            seat,
            roots: Roots::default(),
            w: Worklist::new(),
            pool: Vec::new(),
            counts,
            witness,
        }
    }

    /// A mutator for another thread, with copies of some roots of this one.
    ///
    /// # Errors
    ///
    /// If one of them is no root of this mutator.
    pub fn fork<'r, V: Witness>(
        &self,
        roots: impl IntoIterator<Item = &'r Root>,
        mut witness: V,
    ) -> Result<(Mutator<V>, Vec<Root>), HeapError> {
        let checked = roots.into_iter().map(|root| self.roots.check(root));
        let references: Vec<Reference> = checked.collect::<Result<_, _>>()?;
        let begin = witness.now();
        let (seat, owes) = self.heap.seats.fork(&self.seat);
        witness.saw(begin, Event::Join { owes });
        let mut child = Mutator::on(Arc::clone(&self.heap), seat, witness);
        // This mutator holds them throughout.
        let add = |reference| {
            let begin = child.witness.now();
            child.witness.saw(begin, Event::Hold { reference });
            child.roots.add(reference)
        };
        let roots = references.into_iter().map(add).collect();
        Ok((child, roots))
    }

    /// Its witness.
    pub fn witness(&mut self) -> &mut W {
        &mut self.witness
    }

    /// Its roots.
    pub fn roots(&self) -> impl Iterator<Item = Reference> {
        self.roots.iter()
    }

    /// A new object, all of whose fields are null, as a root [Fig. 6, Alloc].
    ///
    /// The figure's one step is several here. No other thread reads the slot in between: it comes from this
    /// mutator's pool, and the object is published by a store into a field, after its header.
    ///
    /// # Errors
    ///
    /// If no slot is free.
    pub fn alloc(&mut self) -> Result<Root, HeapError> {
        let begin = self.witness.now();
        if self.pool.is_empty() {
            self.heap.pool.refill(&mut self.pool);
        }
        let Some(slot) = self.pool.pop() else {
            self.counts.full += 1;
            let (reference, mark) = (None, None);
            self.witness.saw(begin, Event::Alloc { reference, mark });
            return Err(HeapError::Full);
        };
        for field in 0..self.heap.shape.fields {
            self.heap.set_field(slot, field, None);
        }
        let generation = self.heap.header(slot).generation;
        let header = Header {
            generation,
            allocated: true,
            mark: self.mark_of_new(),
        };
        self.heap.set_header(slot, header);
        let reference = Reference { slot, generation };
        self.counts.allocs += 1;
        let event = Event::Alloc {
            reference: Some(reference),
            mark: Some(header.mark),
        };
        self.witness.saw(begin, event);
        Ok(self.roots.add(reference))
    }

    /// Line 17. The one place in which the sense matters.
    fn mark_of_new(&self) -> bool {
        let fa = self.heap.control.fa();
        match self.heap.fault {
            Fault::AllocateWrongSense => !fa,
            _ => fa,
        }
    }

    /// The reference in a field of an object, as a root [Fig. 6, Load].
    ///
    /// # Errors
    ///
    /// If `src` is no root of this mutator, or there is no such field; and if a reference is stale,
    /// which the collector has to prevent.
    pub fn load(&mut self, src: &Root, field: u32) -> Result<Option<Root>, HeapError> {
        let src = self.object(src, field)?;
        let begin = self.witness.now();
        let value = self.heap.field(src.slot, field);
        self.counts.loads += 1;
        self.witness.saw(begin, Event::Load { src, field, value });
        let Some(reference) = value else {
            return Ok(None);
        };
        self.use_of(reference)?;
        Ok(Some(self.roots.add(reference)))
    }

    /// Writes a reference or null into a field of an object [Fig. 6, Store].
    ///
    /// # Errors
    ///
    /// If `src` or `dst` is no root of this mutator, or there is no such field; and if a reference is
    /// stale, which the collector has to prevent.
    pub fn store(&mut self, src: &Root, field: u32, dst: Option<&Root>) -> Result<(), HeapError> {
        let src = self.object(src, field)?;
        let value = dst.map(|dst| self.roots.check(dst)).transpose()?;
        if let Some(reference) = value {
            self.use_of(reference)?;
        }
        self.counts.stores += 1;
        if self.heap.control.phase() != Phase::Idle {
            self.counts.stores_while_collecting += 1;
        }
        let before = self.counts.marks;
        self.deletion_barrier(src, field, value)?;
        self.insertion_barrier(value)?;
        self.counts.barrier_marks += self.counts.marks - before;
        self.witness.at(Place::Write);
        let begin = self.witness.now();
        self.heap.set_field(src.slot, field, value);
        self.witness.saw(begin, Event::Store { src, field, value });
        Ok(())
    }

    /// Marks what the field holds, before `value` is written there [line 9].
    fn deletion_barrier(
        &mut self,
        src: Reference,
        field: u32,
        value: Option<Reference>,
    ) -> Result<(), Stale> {
        if self.heap.fault == Fault::NoDeletionBarrier {
            return Ok(());
        }
        let begin = self.witness.now();
        let was = self.heap.field(src.slot, field);
        let event = Event::Overwrite {
            src,
            field,
            was,
            value,
        };
        self.witness.saw(begin, event);
        self.mark(was)
    }

    /// Marks what the field will hold [line 10].
    fn insertion_barrier(&mut self, value: Option<Reference>) -> Result<(), Stale> {
        if self.heap.fault == Fault::NoInsertionBarrier {
            return Ok(());
        }
        self.mark(value)
    }

    fn mark(&mut self, reference: Option<Reference>) -> Result<(), Stale> {
        let Some(reference) = reference else {
            return Ok(());
        };
        let Self {
            heap,
            w,
            counts,
            witness,
            ..
        } = self;
        mark(heap, reference, w, counts, witness)
    }

    /// Discards a root [Fig. 6, Discard].
    ///
    /// # Errors
    ///
    /// If it is no root of this mutator.
    pub fn discard(&mut self, root: Root) -> Result<(), HeapError> {
        let reference = self.roots.check(&root)?;
        let begin = self.witness.now();
        self.roots.remove(&root);
        self.counts.discards += 1;
        self.witness.saw(begin, Event::Discard { reference });
        Ok(())
    }

    /// Answers a request of the collector, if there is one [Fig. 4]; returns it.
    ///
    /// # Errors
    ///
    /// If a root is stale, which the collector has to prevent. The handshake is answered nevertheless.
    #[inline]
    pub fn safepoint(&mut self) -> Result<Option<Stage>, Stale> {
        let Some(stage) = self.seat.asked() else {
            return Ok(None);
        };
        let answered = self.answer(stage);
        if stage == Stage::Stop {
            self.wait_while_stopped()?;
        }
        answered.map(|()| Some(stage))
    }

    #[cold]
    fn answer(&mut self, stage: Stage) -> Result<(), Stale> {
        let begin = self.witness.now();
        self.witness.saw(begin, Event::Asked { stage });
        mfence(self.heap.fault, &mut self.witness);
        let marked = match stage {
            Stage::GetRoots => self.mark_roots(),
            _ => Ok(()),
        };
        self.counts.handshakes += 1;
        let begin = self.witness.now();
        // Recorded before the answer: afterwards the collector may continue.
        self.witness.saw(begin, Event::Handshake { stage });
        self.seat.answer(stage, &mut self.w, self.heap.fault);
        marked
    }

    /// [Fig. 2, lines 18–19]. The one place in which root marking matters.
    fn mark_roots(&mut self) -> Result<(), Stale> {
        if self.heap.fault == Fault::RootsNotMarked {
            return Ok(());
        }
        let mut marked = Ok(());
        let roots: Vec<_> = self.roots.iter().collect();
        for root in roots {
            marked = marked.and(self.mark(Some(root)));
        }
        marked
    }

    /// Waits until the world is resumed, and answers requests in the meantime.
    fn wait_while_stopped(&mut self) -> Result<(), Stale> {
        let mut round = 0;
        let mut answered = Ok(());
        while self.heap.seats.is_stopped() {
            match self.seat.asked() {
                Some(stage) => {
                    answered = answered.and(self.answer(stage));
                    round = 0;
                }
                None => primitives::wait(round),
            }
            round = round.saturating_add(1);
        }
        answered
    }

    /// The object of a root, for a use of its field.
    fn object(&mut self, src: &Root, field: u32) -> Result<Reference, HeapError> {
        let reference = self.roots.check(src)?;
        let fields = self.heap.shape.fields;
        if field >= fields {
            return Err(HeapError::NoSuchField { field, fields });
        }
        self.use_of(reference)?;
        Ok(reference)
    }

    fn use_of(&mut self, reference: Reference) -> Result<(), Stale> {
        self.counts.uses += 1;
        self.heap.header_of(reference).map(|_| ())
    }
}

impl<W: Witness> Drop for Mutator<W> {
    fn drop(&mut self) {
        let begin = self.witness.now();
        self.heap.pool.give_back(&mut self.pool);
        self.heap.seats.leave(&self.seat, &mut self.w);
        self.witness.saw(begin, Event::Leave);
        self.heap.count(self.counts);
    }
}
