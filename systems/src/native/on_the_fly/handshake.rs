//! Handshakes [section 2.2, Fig. 4]: how the collector asks every mutator for something and never stops
//! one. Mutators answer at their safepoints, each when it gets there.
//!
//! **Ordering.** A request and its answer are one variable per mutator. What the collector wrote before
//! it asks must be seen by a mutator after it is asked. That is what the fences are for, as in the
//! paper: one of the collector's before its request, one of the mutator's after it has seen that. In the
//! model of Rust the former synchronises with the load of a request that is relaxed. Get-roots and get-work
//! have no fence of the collector's. Before get-roots the collector writes nothing that a mutator needs to
//! see; before get-work it empties what a mutator hands over, and so that request is stored with
//! release, with which the load synchronises too. What a mutator wrote before its answer must
//! be seen by the collector after it: the answer is stored with release and loaded with acquire (the
//! paper's "store fence when it finishes", "load fence after all"). Neither costs anything on x86-64.
//!
//! **What x86-64 adds.** There stores become visible in program order, so that a mutator that sees the
//! request sees what was written before it, fence or no fence; and the mutator's stores before its
//! answer are in memory when the answer is. In the model of the paper the requests are not in the memory
//! that has store buffers, so there the fences are needed. Here, on x86-64, they are not: they are what
//! makes this right on other processors, and in the model of Rust.

use std::sync::Arc;

use super::fault::Fault;
use super::primitives::{self, AtomicBool, AtomicU8, AtomicU32, Mutex, Ordering, fence};
use super::stage::Stage;
use super::witness::{Event, Witness};
use super::worklist::{NONE, Worklist};

/// No handshake is asked for.
const NOTHING: u8 = 0;

/// The paper's mfence, of both sides. The one place in which the fault matters.
pub(crate) fn mfence<W: Witness>(fault: Fault, witness: &mut W) {
    if fault != Fault::NoHandshakeFence {
        let begin = witness.now();
        fence(Ordering::SeqCst);
        witness.saw(begin, Event::Fence);
    }
}

/// What one mutator and the collector have in common, on cache lines of its own.
#[repr(align(128))]
pub(crate) struct Seat {
    asked: AtomicU8,
    handed: AtomicU32,
}

impl Seat {
    fn new(asked: u8) -> Arc<Self> {
        Arc::new(Self {
            asked: AtomicU8::new(asked),
            handed: AtomicU32::new(NONE),
        })
    }

    /// What the mutator is asked for. Called by the mutator, which passes its fence if it is anything.
    #[inline]
    pub fn asked(&self) -> Option<Stage> {
        // Acquire: what the mutator does when it is asked comes after this. It has a fence besides, which makes
        // visible what the collector wrote before its own, and before get-work.
        match self.asked.load(Ordering::Acquire) {
            NOTHING => None,
            asked => Stage::of(asked),
        }
    }

    /// The mutator is done, and hands over `w` if it was asked for that.
    pub fn answer(&self, stage: Stage, w: &mut Worklist, fault: Fault) {
        if !stage.is_noop() {
            let kept = fault == Fault::WorklistNotHandedOver;
            let handed = if kept { NONE } else { w.take() };
            // Relaxed: the store of the answer releases it.
            self.handed.store(handed, Ordering::Relaxed);
        }
        // Release: whoever sees the answer sees the mutator's marks, stores and worklist.
        self.asked.store(NOTHING, Ordering::Release);
    }
}

/// The seats of all mutators.
pub(crate) struct Seats {
    members: Mutex<Members>,
    stopped: AtomicBool,
}

struct Members {
    seats: Vec<Arc<Seat>>,
    /// Worklists of mutators that have left.
    left: Vec<u32>,
}

impl Seats {
    pub fn new() -> Self {
        Self {
            members: Mutex::new(Members {
                seats: Vec::new(),
                left: Vec::new(),
            }),
            stopped: AtomicBool::new(false),
        }
    }

    fn members<T>(&self, with: impl FnOnce(&mut Members) -> T) -> T {
        let mut members = self.members.lock().expect("nothing panics with the lock");
        with(&mut members)
    }

    /// A mutator comes that holds nothing. Whatever it is asked for it has as good as answered: it has
    /// no roots, and it sees what the collector wrote before it last took the lock. While the world is
    /// stopped it has to wait.
    pub fn join(&self) -> Arc<Seat> {
        let mut round = 0;
        loop {
            let seat = self.members(|members| {
                if self.is_stopped() {
                    return None;
                }
                let seat = Seat::new(NOTHING);
                members.seats.push(Arc::clone(&seat));
                Some(seat)
            });
            match seat {
                Some(seat) => return seat,
                None => primitives::wait(round),
            }
            round = round.saturating_add(1);
        }
    }

    /// A mutator comes that holds what `parent` does. It knows what the parent knows, and owes the
    /// answer that the parent owes.
    pub fn fork(&self, parent: &Seat) -> (Arc<Seat>, Option<Stage>) {
        self.members(|members| {
            // Relaxed: requests are made under the lock.
            let asked = parent.asked.load(Ordering::Relaxed);
            let seat = Seat::new(asked);
            members.seats.push(Arc::clone(&seat));
            (seat, Stage::of(asked))
        })
    }

    /// A mutator goes: it holds nothing any more, and what it is asked for is answered.
    pub fn leave(&self, seat: &Arc<Seat>, w: &mut Worklist) {
        self.members(|members| {
            members.seats.retain(|member| !Arc::ptr_eq(member, seat));
            // Relaxed: this mutator wrote it, or the collector under the lock.
            let handed = seat.handed.load(Ordering::Relaxed);
            let lists = [handed, w.take()].into_iter().filter(|head| *head != NONE);
            members.left.extend(lists);
        });
    }

    /// Asks every mutator.
    pub fn ask(&self, stage: Stage) {
        self.members(|members| {
            for seat in &members.seats {
                seat.asked.store(stage as u8, stage.ordering());
            }
        });
    }

    /// Waits until all mutators have answered or gone.
    pub fn wait(&self) {
        let mut round = 0;
        // Acquire: with the release of the answer.
        let is_waiting = |seat: &Arc<Seat>| seat.asked.load(Ordering::Acquire) != NOTHING;
        while self.members(|members| members.seats.iter().any(is_waiting)) {
            primitives::wait(round);
            round = round.saturating_add(1);
        }
    }

    /// The worklists that were handed over, by those who have left too.
    pub fn take(&self) -> Worklist {
        self.members(|members| {
            let mut heads = std::mem::take(&mut members.left);
            for seat in &members.seats {
                // Relaxed: the mutator's answer was acquired, or there was none since it was emptied.
                heads.push(seat.handed.load(Ordering::Relaxed));
                // Relaxed: the next request that makes the mutator write it is get-work, which releases
                // this, or comes after a fence. A mutator that leaves sees it by the lock.
                seat.handed.store(NONE, Ordering::Relaxed);
            }
            Worklist::of(heads)
        })
    }

    /// From now on mutators wait that answer [`Stage::Stop`], which is asked next, and that join.
    pub fn stop(&self) {
        // Relaxed: before the fence of that request, and so seen by whoever is asked. Who joins after the
        // request was made sees it by the lock; who joined before is asked.
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Lets mutators go on that have stopped.
    pub fn resume(&self) {
        // Release: they see what was done while they were stopped.
        self.stopped.store(false, Ordering::Release);
    }

    /// Whether mutators that have answered [`Stage::Stop`] are to wait.
    pub fn is_stopped(&self) -> bool {
        // Acquire: with the release of `resume`.
        self.stopped.load(Ordering::Acquire)
    }
}
