//! Handshakes [section 2.2, Fig. 4]: the collector requests an action of every mutator without stopping
//! it. Mutators answer at their safepoints, each at its own time.
//!
//! **Ordering.** A request and its answer are one variable per mutator. Stores of the collector before
//! the request must be visible to the mutator after it has read the request. The fences ensure that, as in the
//! paper: one of the collector before its request, one of the mutator after it has read that. In the
//! memory model of Rust the former synchronises with the load of a relaxed request. Get-roots and get-work
//! have no fence of the collector. Before get-roots the collector stores nothing that a mutator needs to
//! read; before get-work it empties the handed-over worklist, so that request is a release
//! store, with which the load synchronises too. Stores of a mutator before its answer must
//! be visible to the collector after it: the answer is a release store and an acquire load (the
//! paper's "store fence when it finishes", "load fence after all"). Neither costs anything on x86-64.
//!
//! **x86-64.** There stores become visible in program order, so a mutator that reads the
//! request reads the earlier stores, with or without a fence; and the mutator's stores before its
//! answer are in memory when the answer is. In the model of the paper requests are not subject to
//! store buffers, so there the fences are needed. Here, on x86-64, they are not: they are needed
//! on other processors, and in the memory model of Rust.

use std::sync::Arc;

use super::fault::Fault;
use super::primitives::{self, AtomicBool, AtomicU8, AtomicU32, Mutex, Ordering, fence};
use super::stage::Stage;
use super::witness::{Event, Witness};
use super::worklist::{NONE, Worklist};

/// No handshake is requested.
const NOTHING: u8 = 0;

/// The paper's mfence, on both sides. The one place in which the fault matters.
pub(crate) fn mfence<W: Witness>(fault: Fault, witness: &mut W) {
    if fault != Fault::NoHandshakeFence {
        let begin = witness.now();
        fence(Ordering::SeqCst);
        witness.saw(begin, Event::Fence);
    }
}

/// Variables shared by one mutator and the collector, on cache lines of their own.
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

    /// The pending request. Called by the mutator, which executes its fence if there is one.
    #[inline]
    pub fn asked(&self) -> Option<Stage> {
        // Acquire: the mutator's steps for the request follow this. It also executes a fence, which makes
        // visible the collector's stores before its own fence, and before get-work.
        match self.asked.load(Ordering::Acquire) {
            NOTHING => None,
            asked => Stage::of(asked),
        }
    }

    /// Answers the request, and hands over `w` if it was requested.
    pub fn answer(&self, stage: Stage, w: &mut Worklist, fault: Fault) {
        if !stage.is_noop() {
            let kept = fault == Fault::WorklistNotHandedOver;
            let handed = if kept { NONE } else { w.take() };
            // Relaxed: the store of the answer releases it.
            self.handed.store(handed, Ordering::Relaxed);
        }
        // Release: the collector that reads the answer reads the mutator's marks, stores and worklist.
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

    /// A mutator without roots joins. It has implicitly answered the current request: it has
    /// no roots, and it reads the collector's stores before it last took the lock. While the world is
    /// stopped it waits.
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

    /// A mutator with roots of `parent` joins. It has answered the same requests as the parent, and owes the
    /// same answer.
    pub fn fork(&self, parent: &Seat) -> (Arc<Seat>, Option<Stage>) {
        self.members(|members| {
            // Relaxed: requests are made under the lock.
            let asked = parent.asked.load(Ordering::Relaxed);
            let seat = Seat::new(asked);
            members.seats.push(Arc::clone(&seat));
            (seat, Stage::of(asked))
        })
    }

    /// A mutator leaves: it has no roots any more, and its request counts as answered.
    pub fn leave(&self, seat: &Arc<Seat>, w: &mut Worklist) {
        self.members(|members| {
            members.seats.retain(|member| !Arc::ptr_eq(member, seat));
            // Relaxed: this mutator wrote it, or the collector under the lock.
            let handed = seat.handed.load(Ordering::Relaxed);
            let lists = [handed, w.take()].into_iter().filter(|head| *head != NONE);
            members.left.extend(lists);
        });
    }

    /// Requests a handshake of every mutator.
    pub fn ask(&self, stage: Stage) {
        self.members(|members| {
            for seat in &members.seats {
                seat.asked.store(stage as u8, stage.ordering());
            }
        });
    }

    /// Waits until all mutators have answered or left.
    pub fn wait(&self) {
        let mut round = 0;
        // Acquire: with the release of the answer.
        let is_waiting = |seat: &Arc<Seat>| seat.asked.load(Ordering::Acquire) != NOTHING;
        while self.members(|members| members.seats.iter().any(is_waiting)) {
            primitives::wait(round);
            round = round.saturating_add(1);
        }
    }

    /// Takes the worklists handed over, also those of mutators that have left.
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

    /// Lets mutators wait from now on that answer [`Stage::Stop`], which is requested next, or that join.
    pub fn stop(&self) {
        // Relaxed: before the fence of that request, so visible to every requested mutator. One that joins after the
        // request reads it under the lock; one that joined before is requested.
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Resumes stopped mutators.
    pub fn resume(&self) {
        // Release: they read the stores made while they were stopped.
        self.stopped.store(false, Ordering::Release);
    }

    /// Whether mutators that have answered [`Stage::Stop`] must wait.
    pub fn is_stopped(&self) -> bool {
        // Acquire: with the release of `resume`.
        self.stopped.load(Ordering::Acquire)
    }
}
