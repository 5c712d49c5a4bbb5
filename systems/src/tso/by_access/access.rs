//! What a thread of the collector's code does at one moment.

use serde::Serialize;

use crate::heap::Object as Ref;
use crate::tso::label::Round;
use crate::tso::state::{HandshakePhase, HandshakeType, Mark, Phase, State};

/// What a thread does at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// A mutator gets a fresh object.
    Alloc {
        /// Which.
        reference: Ref,
        /// Its mark, if it is told.
        mark: Option<Mark>,
    },
    /// A mutator lets go of a root.
    Discard {
        /// Which.
        reference: Ref,
    },
    /// A mutator reads a field.
    Load {
        /// The object.
        src: Ref,
        /// Its field.
        field: u8,
        /// What it reads.
        value: Option<Ref>,
    },
    /// A mutator begins a store: its deletion barrier reads the field.
    Overwrite {
        /// The object.
        src: Ref,
        /// Its field.
        field: u8,
        /// What it reads.
        was: Option<Ref>,
        /// What it will write.
        value: Option<Ref>,
    },
    /// A mutator writes a field.
    Store {
        /// The object.
        src: Ref,
        /// Its field.
        field: u8,
        /// What it writes.
        value: Option<Ref>,
    },
    /// A mutator finds that it is asked.
    Asked(Round),
    /// A mutator answers, and hands over its work.
    Done(Round),
    /// The fence of a handshake, of either side.
    Fence,
    /// Marking loads `fM`.
    LoadFm {
        /// What is to be marked.
        reference: Ref,
        /// What it reads.
        fm: Mark,
    },
    /// Marking loads the mark.
    LoadMark {
        /// Of what.
        reference: Ref,
        /// What it reads.
        mark: Mark,
    },
    /// Marking loads the phase.
    LoadPhase {
        /// What is to be marked.
        reference: Ref,
        /// What it reads.
        phase: Phase,
    },
    /// Marking compares and swaps.
    Cas {
        /// What.
        reference: Ref,
        /// Whether the mark was still the one that was loaded.
        won: bool,
        /// The mark that it writes, if it is told.
        mark: Option<Mark>,
    },
    /// The collector asks for a handshake.
    Ask(Round),
    /// The collector has seen all answers, and takes over the work if any was asked for.
    Answered(Round),
    /// The collector inverts `fM`.
    SetFm(Mark),
    /// The collector sets `fA`.
    SetFa(Mark),
    /// The collector sets the phase.
    SetPhase(Phase),
    /// The collector chooses an object to trace.
    Trace {
        /// Which.
        reference: Ref,
    },
    /// The collector reads a field of the object that it traces.
    Scan {
        /// The object.
        src: Ref,
        /// Its field.
        field: u8,
        /// What it reads.
        value: Option<Ref>,
    },
    /// The collector frees an object.
    Free {
        /// Which.
        reference: Ref,
    },
}

impl Round {
    /// Whether it is the one that was begun last.
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
