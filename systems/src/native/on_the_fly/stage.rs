//! The handshakes of a cycle [Fig. 2], by their requests.

use serde::{Deserialize, Serialize};
use strum::{Display, VariantArray};

use super::fault::Fault;
use super::primitives::Ordering;

/// The handshakes of a cycle, in their order.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Display,
    VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[repr(u8)]
pub enum Stage {
    /// Every mutator has observed that the collector is idle [Fig. 2, lines 3–4].
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
    /// Mutators wait until they are resumed; only in the stop-the-world mode.
    Stop,
}

impl Stage {
    pub(super) fn of(asked: u8) -> Option<Self> {
        let mut all = Self::VARIANTS.iter().copied();
        all.find(|stage| *stage as u8 == asked)
    }

    /// Whether it requests only an answer.
    pub fn is_noop(self) -> bool {
        !matches!(self, Self::GetRoots | Self::GetWork)
    }

    /// Memory ordering of the store of the request.
    pub(super) fn ordering(self) -> Ordering {
        match self {
            // Release: there is no fence, and the handed-over worklists have just been emptied.
            Self::GetWork => Ordering::Release,
            // Relaxed: after a fence, or without stores to publish.
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
