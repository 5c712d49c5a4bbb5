//! Handshake rounds of a cycle of the collector [Fig. 2].

use serde::Serialize;

use super::state::{HandshakePhase, HandshakeType, State};

/// A handshake round: one of the handshakes of a cycle [Fig. 2].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, strum::Display, strum::VariantArray,
)]
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

    /// Whether the collector began this round last.
    pub fn is_current(self, state: &State) -> bool {
        let noop =
            |phase| state.sys.handshake == HandshakeType::Noop && state.sys.ghost_phase == phase;
        match self {
            Self::Idle => noop(HandshakePhase::Idle),
            Self::IdleFlip => noop(HandshakePhase::IdleInit),
            Self::Init => noop(HandshakePhase::InitMark),
            Self::Mark => noop(HandshakePhase::Mark),
            Self::GetRoots => state.sys.handshake == HandshakeType::GetRoots,
            Self::GetWork => state.sys.handshake == HandshakeType::GetWork,
        }
    }
}
