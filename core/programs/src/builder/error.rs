//! What can be wrong with a program that is being stated.

use crate::expression::{Location, Register};

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Nothing would run.
    #[error("the program has no thread")]
    NoThread,
    /// Two things of one kind have one name, or a place has its fence and has it not.
    #[error("{name:?} is named twice")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// More than fits.
    #[error("there are more than {most} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// A jump to a label that was never placed.
    #[error("thread {thread:?} jumps to a label that stands nowhere")]
    LabelNowhere {
        /// The thread.
        thread: String,
    },
    /// A label that was placed twice.
    #[error("thread {thread:?} places a label twice")]
    LabelTwice {
        /// The thread.
        thread: String,
    },
    /// A choice among no values, or among equal ones.
    #[error("thread {thread:?} chooses among values of which there are none, or that are equal")]
    BadChoice {
        /// The thread.
        thread: String,
    },
    /// A register of another thread.
    #[error("thread {thread:?} uses {register:?}, which it does not have")]
    ForeignRegister {
        /// The thread.
        thread: String,
        /// The register.
        register: Register,
    },
    /// A location of another program.
    #[error("{location:?} is not a location of the program")]
    ForeignLocation {
        /// The location.
        location: Location,
    },
    /// A loop, a choice or a block in an atomic block, a jump out of one or into one, or a `require`
    /// that stands in none.
    #[error(
        "instruction {instruction} of thread {thread:?} does not go together with atomic blocks: it \
         loops, chooses or nests in one, jumps out of or into one, or requires outside one"
    )]
    NotInBlock {
        /// The thread.
        thread: String,
        /// Which instruction.
        instruction: usize,
    },
}

impl BuildError {
    pub(super) fn too_many(what: &'static str, most: usize) -> Self {
        Self::TooMany { what, most }
    }
}
