//! The handshakes of a cycle [Fig. 2], by what they ask for.

use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::primitives::Ordering;

/// The handshakes of a cycle, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Stage {
    /// Everybody knows that the collector is idle [Fig. 2, lines 3–4].
    Idle = 1,
    /// … that `fM` is inverted [lines 6–7].
    IdleFlip,
    /// … that the phase is `Init` [lines 9–10].
    Init,
    /// … that the phase is `Mark`, and `fA` set [lines 13–14].
    Mark,
    /// Mutators mark their roots and hand over their worklists [lines 15–20].
    GetRoots,
    /// Mutators hand over their worklists [lines 31–34].
    GetWork,
    /// Mutators wait until the world goes on; only where it is stopped.
    Stop,
}

impl Stage {
    pub(super) const ALL: [Self; 7] = [
        Self::Idle,
        Self::IdleFlip,
        Self::Init,
        Self::Mark,
        Self::GetRoots,
        Self::GetWork,
        Self::Stop,
    ];

    pub(super) fn of(asked: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| *stage as u8 == asked)
    }

    /// Whether it asks for nothing but an answer.
    pub fn is_noop(self) -> bool {
        !matches!(self, Self::GetRoots | Self::GetWork)
    }

    /// How the request is stored.
    pub(super) fn ordering(self) -> Ordering {
        match self {
            // Release: without a fence, what mutators hand over has just been emptied.
            Self::GetWork => Ordering::Release,
            // Relaxed: behind a fence, or with nothing to show.
            _ => Ordering::Relaxed,
        }
    }

    /// Whether it is left out. The one place in which these faults matter.
    pub(crate) fn is_left_out(self, fault: Fault) -> bool {
        match fault {
            Fault::SkipIdleNoop => self == Self::Idle,
            Fault::SkipIdleFlipNoop => self == Self::IdleFlip,
            Fault::SkipInitNoop => self == Self::Init,
            Fault::SkipMarkNoop => self == Self::Mark,
            Fault::NoGetWork => self == Self::GetWork,
            _ => false,
        }
    }
}
