//! What is wrong with a text that is no litmus test.

/// What is wrong with a litmus test, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReadError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a litmus test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something else than what has to stand there.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// What stands there.
        found: String,
        /// What has to.
        expected: &'static str,
    },
    /// An architecture whose tests are not read.
    #[error("the architecture is {found}, expected X86 or X86_64")]
    Architecture {
        /// The architecture.
        found: String,
    },
    /// A character that is part of no word.
    #[error("found the character {0:?}, which has no meaning here")]
    Character(char),
    /// A comment without an end.
    #[error("the comment that begins here does not end")]
    OpenComment,
    /// A number that does not fit 64 bits.
    #[error("the number {0} does not fit 64 bits")]
    Number(String),
    /// An instruction that is not understood.
    #[error("the instruction {0:?} is not among those that are understood")]
    Instruction(String),
    /// An instruction with operands that do not fit it.
    #[error("{instruction:?} has operands that do not fit it: expected {expected}")]
    Operands {
        /// The instruction.
        instruction: String,
        /// What fits.
        expected: &'static str,
    },
    /// A register that there is not, or not in this place.
    #[error("found {found:?}, expected {expected}")]
    Register {
        /// What stands there.
        found: String,
        /// What would be one.
        expected: &'static str,
    },
    /// A type that is not understood.
    #[error("found the type {0:?}, expected int, char, short, long or one like uint64_t")]
    Type(String),
    /// Something that has a value twice, or a label that stands twice.
    #[error("{0} is given twice")]
    Twice(String),
    /// A jump to where there is nothing.
    #[error("there is no label {0:?} in this thread")]
    NoLabel(String),
    /// A thread that there is not.
    #[error("there is no thread {0}")]
    NoThread(u64),
    /// More cells than there are threads.
    #[error("a row has {found} cells, expected at most {threads}, one a thread")]
    Cells {
        /// How many there are.
        found: usize,
        /// How many threads there are.
        threads: usize,
    },
    /// A condition nested too deeply.
    #[error("the condition is nested more than {most} deep")]
    TooDeep {
        /// How deep it may be.
        most: usize,
    },
    /// A pointer that can lead to variables of different types, where the type matters.
    #[error("a pointer can lead to variables of different types, and the flags depend on the type")]
    PointerTypes,
    /// More than fits.
    #[error("there are more than {most} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// A program that the builder refuses.
    #[error(transparent)]
    Build(#[from] crate::BuildError),
}

impl Problem {
    /// The problem, on this line.
    pub(super) fn on(self, line: usize) -> ReadError {
        ReadError {
            line,
            problem: self,
        }
    }
}
