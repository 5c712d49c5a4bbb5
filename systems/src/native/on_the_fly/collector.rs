//! The collector [section 2.2, Fig. 2].

use std::sync::Arc;

use super::control::Phase;
use super::counts::Counts;
use super::error::Violation;
use super::fault::Fault;
use super::handshake::mfence;
use super::heap::Heap;
use super::marking::mark;
use super::reference::{Header, Reference};
use super::stage::Stage;
use super::witness::{Event, NoWitness, Place, Witness};
use super::worklist::Worklist;

/// Mode of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Mutators run concurrently, with barriers.
    #[default]
    OnTheFly,
    /// Mutators are stopped for the whole collection; for comparison. They need time between two cycles:
    /// one that is stopped again before it has noticed the resumption makes no progress.
    StopTheWorld,
}

/// Number of slots that the sweep frees before it returns them to the pool.
const SWEPT: usize = 256;

/// The collector of a heap. It runs in whatever thread calls [`cycle`](Self::cycle).
pub struct Collector<W: Witness = NoWitness> {
    heap: Arc<Heap>,
    mode: Mode,
    w: Worklist,
    counts: Counts,
    witness: W,
}

impl Collector {
    /// The collector of a heap; a heap must have only one at a time.
    pub fn new(heap: &Arc<Heap>) -> Self {
        Self::witnessed(heap, NoWitness)
    }
}

impl<W: Witness> Collector<W> {
    /// The collector of a heap, with a witness.
    pub fn witnessed(heap: &Arc<Heap>, witness: W) -> Self {
        Self {
            heap: Arc::clone(heap),
            mode: Mode::OnTheFly,
            w: Worklist::new(),
            counts: Counts::default(),
            witness,
        }
    }

    /// The same in another mode.
    #[must_use]
    pub fn in_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Runs one cycle; returns the number of freed objects.
    ///
    /// # Errors
    ///
    /// If a violation is found. The heap is unusable then, and no further cycle must be run.
    pub fn cycle(&mut self) -> Result<u64, Violation> {
        let before = self.counts.freed;
        let ended = match self.mode {
            Mode::OnTheFly => self.on_the_fly(),
            Mode::StopTheWorld => self.stop_the_world(),
        };
        self.counts.cycles += u64::from(ended.is_ok());
        let freed = self.counts.freed - before;
        self.heap.count(std::mem::take(&mut self.counts));
        ended.map(|()| freed)
    }

    fn on_the_fly(&mut self) -> Result<(), Violation> {
        self.handshake(Stage::Idle);
        self.invert_fm();
        self.handshake(Stage::IdleFlip);
        self.set_phase(Phase::Init);
        self.handshake(Stage::Init);
        self.set_phase(Phase::Mark);
        self.set_fa_to_fm();
        self.handshake(Stage::Mark);
        self.collect()
    }

    /// The same work with stopped mutators: none of them is in an operation, so none observes the changes of the control
    /// variables.
    fn stop_the_world(&mut self) -> Result<(), Violation> {
        self.heap.seats.stop();
        self.handshake(Stage::Stop);
        self.invert_fm();
        self.set_phase(Phase::Mark);
        self.set_fa_to_fm();
        // With a fence, which get-roots does not have.
        self.handshake(Stage::Mark);
        let collected = self.collect();
        self.heap.seats.resume();
        collected
    }

    /// From the roots to the end [lines 15–46].
    fn collect(&mut self) -> Result<(), Violation> {
        self.handshake(Stage::GetRoots);
        let marked = self.mark_loop();
        if marked.is_ok() {
            self.set_phase(Phase::Sweep);
            self.sweep();
        }
        self.set_phase(Phase::Idle);
        marked
    }

    /// Line 5.
    fn invert_fm(&mut self) {
        let begin = self.witness.now();
        let fm = self.heap.control.invert_fm();
        self.witness.saw(begin, Event::SetFm { fm });
    }

    /// Line 12.
    fn set_fa_to_fm(&mut self) {
        let begin = self.witness.now();
        let fa = self.heap.control.set_fa_to_fm();
        self.witness.saw(begin, Event::SetFa { fa });
    }

    /// Lines 8, 11, 37 and 46.
    fn set_phase(&mut self, phase: Phase) {
        let begin = self.witness.now();
        self.heap.control.set_phase(phase);
        self.witness.saw(begin, Event::SetPhase { phase });
    }

    /// A handshake round [Fig. 4]; get-roots and get-work take over the work handed over. A noop
    /// handshake begins with a fence, the others do not: `fM`, `fA` and the phase are unchanged since the
    /// last noop handshake.
    fn handshake(&mut self, stage: Stage) {
        if !stage.is_left_out(self.heap.fault) {
            self.witness.at(Place::Round);
            if stage.is_noop() {
                mfence(self.heap.fault, &mut self.witness);
            }
            let begin = self.witness.now();
            self.heap.seats.ask(stage);
            self.witness.saw(begin, Event::Ask { stage });
            let begin = self.witness.now();
            self.heap.seats.wait();
            self.take_work(stage);
            self.witness.saw(begin, Event::Answered { stage });
            self.counts.rounds += 1;
        } else {
            self.take_work(stage);
        }
    }

    /// Lines 20 and 34.
    fn take_work(&mut self, stage: Stage) {
        if !stage.is_noop() {
            self.w = self.heap.seats.take();
        }
    }

    /// Lines 25 to 34.
    fn mark_loop(&mut self) -> Result<(), Violation> {
        if self.heap.fault == Fault::EarlySweep {
            return Ok(());
        }
        let mut traced = 0;
        while !self.w.is_empty() {
            while let Some(slot) = self.w.pop(&self.heap.links) {
                // Each object is on a worklist at most once in a cycle.
                traced += 1;
                if traced > self.heap.shape.objects {
                    return Err(Violation::TracedTwice(self.heap.shape.objects));
                }
                self.trace(slot)?;
            }
            self.handshake(Stage::GetWork);
        }
        Ok(())
    }

    /// Lines 28 and 29.
    fn trace(&mut self, slot: u32) -> Result<(), Violation> {
        let header = self.heap.header(slot);
        let generation = header.generation;
        let src = Reference { slot, generation };
        if !header.allocated || header.mark != self.heap.control.fm() {
            return Err(Violation::NotGrey(src));
        }
        let begin = self.witness.now();
        self.witness.saw(begin, Event::Trace { reference: src });
        self.witness.at(Place::Trace);
        self.counts.traced += 1;
        let Self {
            heap,
            w,
            counts,
            witness,
            ..
        } = self;
        for field in 0..heap.shape.fields {
            let begin = witness.now();
            let value = heap.field(slot, field);
            witness.saw(begin, Event::Scan { src, field, value });
            if let Some(reference) = value {
                mark(heap, reference, w, counts, witness).map_err(Violation::Stale)?;
            }
        }
        Ok(())
    }

    /// Lines 38 to 45.
    fn sweep(&mut self) {
        let marked = self.heap.control.fm();
        let mut freed = Vec::new();
        for slot in 0..self.heap.shape.objects {
            let header = self.heap.header(slot);
            if !header.allocated || header.mark == marked {
                continue;
            }
            let begin = self.witness.now();
            let generation = header.generation;
            let next = self.next_generation(generation);
            let header = Header {
                generation: next.unwrap_or(generation),
                allocated: false,
                mark: header.mark,
            };
            self.heap.set_header(slot, header);
            let reference = Reference { slot, generation };
            self.witness.saw(begin, Event::Free { reference });
            self.counts.freed += 1;
            // A slot without a further generation is not reused.
            if next.is_some() {
                freed.push(slot);
            }
            if freed.len() >= SWEPT {
                self.heap.pool.give_back(&mut freed);
            }
        }
        self.heap.pool.give_back(&mut freed);
    }

    /// The one place in which the generation matters.
    fn next_generation(&self, generation: u32) -> Option<u32> {
        match self.heap.fault {
            Fault::GenerationNotBumped => Some(generation),
            _ => generation.checked_add(1),
        }
    }
}
