//! Actions of the model for histories.

use serde::Serialize;

use crate::native::on_the_fly::Reference;
use crate::tso::{Access, HandshakeRound, Mark, Who};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A thread joins as a mutator without a thread.
    Join {
        /// Which mutator.
        mutator: u8,
        /// The thread.
        thread: u32,
        /// The request that is pending from the beginning.
        owes: Option<HandshakeRound>,
    },
    /// A mutator gains a root of another one.
    Hold {
        /// Who.
        mutator: u8,
        /// What.
        reference: Reference,
    },
    /// A mutator leaves.
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
        /// Its mark, if it is recorded.
        mark: Option<Mark>,
    },
    /// Any other access of the model.
    Take {
        /// Whose.
        by: Who,
        /// Which.
        access: Access,
    },
    /// A pending store is committed.
    Commit {
        /// Whose.
        of: Who,
    },
}
