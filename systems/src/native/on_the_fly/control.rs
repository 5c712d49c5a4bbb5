//! The control variables `fM`, `fA` and `phase` [section 2.2]. Only the collector writes them.

use serde::{Deserialize, Serialize};

use super::primitives::{AtomicBool, AtomicU8, Ordering};

/// Phase of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Phase {
    /// No collection.
    Idle,
    /// The barriers are being switched on.
    Init,
    /// Marking.
    Mark,
    /// Freeing.
    Sweep,
}

/// The control variables, on cache lines of their own: every barrier reads them.
#[repr(align(128))]
pub(crate) struct Control {
    fm: AtomicBool,
    fa: AtomicBool,
    phase: AtomicU8,
}

impl Control {
    /// The idle phase: objects are allocated marked, in the sense `false` [Fig. 2, line 1].
    pub fn new() -> Self {
        Self {
            fm: AtomicBool::new(false),
            fa: AtomicBool::new(false),
            phase: AtomicU8::new(Phase::Idle as u8),
        }
    }

    /// The sense in which objects are marked.
    pub fn fm(&self) -> bool {
        // Acquire: the flag and the phase are loaded after it [Fig. 5, lines 2 to 4]. That the value is
        // not older than the last handshake follows from the handshake's fences.
        self.fm.load(Ordering::Acquire)
    }

    /// The sense in which objects are allocated.
    pub fn fa(&self) -> bool {
        // Acquire: the store of the header of the new object follows it, as in Fig. 6. The value decides only
        // the mark of an object that no other thread has read yet.
        self.fa.load(Ordering::Acquire)
    }

    pub fn phase(&self) -> Phase {
        // Acquire: the CAS follows it [Fig. 5, lines 4 and 5]. It follows the load of the
        // flag, which is an acquire load.
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Idle,
            1 => Phase::Init,
            2 => Phase::Mark,
            _ => Phase::Sweep,
        }
    }

    /// The new sense [Fig. 2, line 5]. The collector is the only writer.
    pub fn invert_fm(&self) -> bool {
        // Relaxed: its own value.
        let inverted = !self.fm.load(Ordering::Relaxed);
        // Release: a thread that reads the new sense also reads the phase `Idle` stored before it. The variables
        // are stored in the order of Fig. 2, which the collector's store buffer preserves.
        self.fm.store(inverted, Ordering::Release);
        inverted
    }

    /// [Fig. 2, lines 8, 11, 37 and 46].
    pub fn set_phase(&self, phase: Phase) {
        // Release: as above.
        self.phase.store(phase as u8, Ordering::Release);
    }

    /// The new sense [Fig. 2, line 12].
    pub fn set_fa_to_fm(&self) -> bool {
        // Relaxed: its own value.
        let fm = self.fm.load(Ordering::Relaxed);
        // Release: as above.
        self.fa.store(fm, Ordering::Release);
        fm
    }
}
