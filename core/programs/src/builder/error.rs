//! Errors of a program that is being built.

use crate::expression::{Location, Register};

/// Error in a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The program has no thread.
    #[error("the program has no thread")]
    NoThread,
    /// Two items of one kind have the same name, or two fences of one place differ in their presence.
    #[error("{name:?} is named twice")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// Each thread has a location for itself, and there are several threads by name.
    #[error(
        "each thread has a location {name:?} for itself, and the program has several threads: it has one, of which there are any number"
    )]
    OfEachThread {
        /// Name of the location.
        name: String,
    },
    /// A thread reads at once what all threads share and what each has for itself.
    #[error(
        "thread {thread:?} reads at once what all threads share, and what each other one has for itself"
    )]
    MixedSnapshot {
        /// The thread.
        thread: String,
    },
    /// A limit is exceeded.
    #[error("there are more than {most} {what}")]
    TooMany {
        /// The kind of item.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// A thread jumps to a label that is not placed.
    #[error("thread {thread:?} jumps to a label that stands nowhere")]
    LabelNowhere {
        /// The thread.
        thread: String,
    },
    /// A label is placed twice.
    #[error("thread {thread:?} places a label twice")]
    LabelTwice {
        /// The thread.
        thread: String,
    },
    /// A choice has no values, or equal ones.
    #[error("thread {thread:?} chooses among values of which there are none, or that are equal")]
    BadChoice {
        /// The thread.
        thread: String,
    },
    /// A thread uses a register of another thread.
    #[error("thread {thread:?} uses {register:?}, which it does not have")]
    ForeignRegister {
        /// The thread.
        thread: String,
        /// The register.
        register: Register,
    },
    /// The program uses a location of another program.
    #[error("{location:?} is not a location of the program")]
    ForeignLocation {
        /// The location.
        location: Location,
    },
    /// A thread may jump around for ever without a step, since loops have no bound.
    #[error(
        "instruction {instruction} of thread {thread:?} jumps back to itself on a way that neither reads memory nor \
         chooses, and loops have no bound"
    )]
    BlindLoop {
        /// The thread.
        thread: String,
        /// Number of the instruction.
        instruction: usize,
    },
    /// An atomic block contains a loop, a choice or another block, a jump enters or leaves one, or a `require`
    /// stands outside of one.
    #[error(
        "instruction {instruction} of thread {thread:?} does not go together with atomic blocks: it \
         loops, chooses or nests in one, jumps out of or into one, or requires outside one"
    )]
    NotInBlock {
        /// The thread.
        thread: String,
        /// Number of the instruction.
        instruction: usize,
    },
}

impl BuildError {
    pub(super) fn too_many(what: &'static str, most: usize) -> Self {
        Self::TooMany { what, most }
    }
}
