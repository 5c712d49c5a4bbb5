//! Errors of the litmus reader.

/// Error in a litmus test, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReadError {
    /// Line, from 1.
    pub line: usize,
    /// The error.
    pub problem: Problem,
}

/// Kind of error in a litmus test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Unexpected token.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// The token.
        found: String,
        /// What the reader expects.
        expected: &'static str,
    },
    /// Unsupported architecture.
    #[error("the architecture is {found}, expected X86 or X86_64")]
    Architecture {
        /// The architecture.
        found: String,
    },
    /// Character that is not part of any token.
    #[error("found the character {0:?}, which has no meaning here")]
    Character(char),
    /// Comment without an end.
    #[error("the comment that begins here does not end")]
    OpenComment,
    /// Number that does not fit 64 bits.
    #[error("the number {0} does not fit 64 bits")]
    Number(String),
    /// Unsupported instruction.
    #[error("the instruction {0:?} is not among those that are understood")]
    Instruction(String),
    /// Instruction with unsupported operands.
    #[error("{instruction:?} has operands that do not fit it: expected {expected}")]
    Operands {
        /// The instruction.
        instruction: String,
        /// Supported operands.
        expected: &'static str,
    },
    /// Unknown register, or one that is not permitted here.
    #[error("found {found:?}, expected {expected}")]
    Register {
        /// The text found.
        found: String,
        /// A permitted register.
        expected: &'static str,
    },
    /// Unsupported type.
    #[error("found the type {0:?}, expected int, char, short, long or one like uint64_t")]
    Type(String),
    /// Second value for one item, or a label placed twice.
    #[error("{0} is given twice")]
    Twice(String),
    /// Jump to a label that is not placed.
    #[error("there is no label {0:?} in this thread")]
    NoLabel(String),
    /// Unknown thread.
    #[error("there is no thread {0}")]
    NoThread(u64),
    /// More cells than threads.
    #[error("a row has {found} cells, expected at most {threads}, one a thread")]
    Cells {
        /// Number of cells.
        found: usize,
        /// Number of threads.
        threads: usize,
    },
    /// Condition that is nested too deeply.
    #[error("the condition is nested more than {most} deep")]
    TooDeep {
        /// Greatest depth.
        most: usize,
    },
    /// Pointer that may point to variables of different types, where the type matters.
    #[error("a pointer can lead to variables of different types, and the flags depend on the type")]
    PointerTypes,
    /// Exceeded limit.
    #[error("there are more than {most} {what}")]
    TooMany {
        /// Kind of item.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// Error of the program builder.
    #[error(transparent)]
    Build(#[from] crate::BuildError),
}

impl Problem {
    /// Attaches a line to the error.
    pub(super) fn on(self, line: usize) -> ReadError {
        ReadError {
            line,
            problem: self,
        }
    }
}
