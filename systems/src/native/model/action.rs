//! The steps of the model for histories.

use serde::Serialize;

use crate::native::on_the_fly::Reference;
use crate::tso::{Access, HandshakeRound, Mark, Who};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A thread becomes a mutator that none is.
    Join {
        /// Which mutator.
        mutator: u8,
        /// The thread.
        thread: u32,
        /// What it is asked for from the beginning.
        owes: Option<HandshakeRound>,
    },
    /// A mutator comes to hold what another does.
    Hold {
        /// Who.
        mutator: u8,
        /// What.
        reference: Reference,
    },
    /// A mutator goes.
    Leave {
        /// Who.
        mutator: u8,
    },
    /// A mutator gets a fresh object.
    Alloc {
        /// Who.
        mutator: u8,
        /// What.
        reference: Reference,
        /// Its mark, if it is told.
        mark: Option<Mark>,
    },
    /// Any other access of the model.
    Take {
        /// Whose.
        by: Who,
        /// Which.
        access: Access,
    },
    /// A pending store goes to memory.
    Commit {
        /// Whose.
        of: Who,
    },
}
