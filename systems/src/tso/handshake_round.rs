//! Handshake rounds of a cycle of the collector [Fig. 2].

use serde::Serialize;
use strum::{Display, VariantArray};

use super::scope::Part;
use super::state::{HandshakePhase, HandshakeType, State};

/// A handshake round: one of the handshakes of a cycle [Fig. 2].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Display, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum HandshakeRound {
    /// Before the collector inverts `fM`.
    Idle,
    /// After it has inverted `fM`.
    #[strum(to_string = "idle flip")]
    IdleFlip,
    /// After it has stored the phase `Init`.
    Init,
    /// After it has set `fA`.
    Mark,
    /// Mutators mark their roots, and hand over their worklists.
    GetRoots,
    /// Mutators hand over their worklists.
    GetWork,
}

impl HandshakeRound {
    /// Type of the handshake.
    pub fn handshake(self) -> HandshakeType {
        match self {
            Self::Idle | Self::IdleFlip | Self::Init | Self::Mark => HandshakeType::Noop,
            Self::GetRoots => HandshakeType::GetRoots,
            Self::GetWork => HandshakeType::GetWork,
        }
    }

    /// The ghost phase of the handshake, if it has one of its own.
    pub(super) fn phase(self) -> Option<HandshakePhase> {
        match self {
            Self::Idle => Some(HandshakePhase::Idle),
            Self::IdleFlip => Some(HandshakePhase::IdleInit),
            Self::Init => Some(HandshakePhase::InitMark),
            Self::Mark => Some(HandshakePhase::Mark),
            Self::GetRoots => Some(HandshakePhase::IdleMarkSweep),
            Self::GetWork => None,
        }
    }

    /// The part of the collector that the round is, if it can be left out.
    pub(super) fn part(self) -> Option<Part> {
        match self {
            Self::Idle => Some(Part::IdleNoop),
            Self::IdleFlip => Some(Part::IdleFlipNoop),
            Self::Init => Some(Part::InitNoop),
            Self::Mark => Some(Part::MarkNoop),
            Self::GetRoots => None,
            Self::GetWork => Some(Part::GetWork),
        }
    }

    /// Whether the collector began this round last.
    pub fn is_current(self, state: &State) -> bool {
        let mut phase = self.phase().into_iter();
        state.sys.handshake == self.handshake() && phase.all(|phase| state.sys.ghost_phase == phase)
    }
}
