//! Accesses: the recorded operations of the collector's code on shared memory.

use serde::Serialize;

use crate::heap::Object as Ref;
use crate::tso::handshake_round::HandshakeRound;
use crate::tso::state::{Mark, Phase};

/// An access of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// A mutator gets a fresh object.
    Alloc {
        /// The object.
        reference: Ref,
        /// Its mark, if it is recorded.
        mark: Option<Mark>,
    },
    /// A mutator discards a root.
    Discard {
        /// The object.
        reference: Ref,
    },
    /// A mutator reads a field.
    Load {
        /// The object.
        src: Ref,
        field: u8,
        /// The value read.
        value: Option<Ref>,
    },
    /// A mutator begins a store: its deletion barrier reads the field.
    Overwrite {
        /// The object.
        src: Ref,
        field: u8,
        /// The value read.
        was: Option<Ref>,
        /// The value to be written.
        value: Option<Ref>,
    },
    /// A mutator writes a field.
    Store {
        /// The object.
        src: Ref,
        field: u8,
        /// The value written.
        value: Option<Ref>,
    },
    /// A mutator finds its pending bit set.
    Asked(HandshakeRound),
    /// A mutator answers, and hands over its work.
    Done(HandshakeRound),
    /// The fence of a handshake, on either side.
    Fence,
    /// Marking loads `fM`.
    LoadFm {
        /// The object to mark.
        reference: Ref,
        /// The value read.
        fm: Mark,
    },
    /// Marking loads the mark.
    LoadMark {
        /// The object.
        reference: Ref,
        /// The value read.
        mark: Mark,
    },
    /// Marking loads the phase.
    LoadPhase {
        /// The object to mark.
        reference: Ref,
        /// The value read.
        phase: Phase,
    },
    /// The CAS of marking.
    Cas {
        /// The object.
        reference: Ref,
        /// Whether the mark was still the one that was loaded.
        won: bool,
        /// The mark that it writes, if it is recorded.
        mark: Option<Mark>,
    },
    /// The collector requests a handshake of all mutators.
    Ask(HandshakeRound),
    /// The collector has polled all answers, and takes over the work if the handshake requests any.
    Answered(HandshakeRound),
    /// The collector inverts `fM`.
    SetFm(Mark),
    /// The collector sets `fA`.
    SetFa(Mark),
    /// The collector sets the phase.
    SetPhase(Phase),
    /// The collector chooses an object to trace.
    Trace {
        /// The object.
        reference: Ref,
    },
    /// The collector reads a field of the object that it traces.
    Scan {
        /// The object.
        src: Ref,
        field: u8,
        /// The value read.
        value: Option<Ref>,
    },
    /// The collector frees an object.
    Free {
        /// The object.
        reference: Ref,
    },
}
