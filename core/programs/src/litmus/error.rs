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
        /// Text that the reader expects.
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
    /// Block of memevents without an end.
    #[error("the block <<…>> that begins here does not end")]
    OpenBlock,
    /// Number that does not fit 64 bits.
    #[error("the number {0} does not fit 64 bits")]
    Number(String),
    /// Number that does not fit where it stands.
    #[error("the number {number} does not fit {bits} bits")]
    Width {
        /// The number.
        number: String,
        /// The width.
        bits: u32,
    },
    /// Access to a variable of another width.
    #[error(
        "the access is {bits} bits wide, and {variable} has {variable_bits}: a part of a variable is no variable"
    )]
    Access {
        /// The variable.
        variable: String,
        /// Width of the variable.
        variable_bits: u32,
        /// Width of the access.
        bits: u32,
    },
    /// Access through a pointer that fits nothing it may point to.
    #[error(
        "the access is {bits} bits wide, and no variable has this width whose address is taken"
    )]
    PointerAccess {
        /// Width of the access.
        bits: u32,
    },
    /// Register whose type does not have its width.
    #[error("{register} is used with {used} bits, and its type has {bits}")]
    RegisterType {
        /// The register.
        register: String,
        /// Width of the type.
        bits: u32,
        /// Greatest width of a use, or the width of the register.
        used: u32,
    },
    /// Two types for one item.
    #[error("{0} is given two types")]
    TwoTypes(String),
    /// Comparison of values of different widths.
    #[error("{left} has {left_bits} bits, and {right} {right_bits}: they cannot be compared")]
    Compared {
        /// The left value.
        left: String,
        /// Its width.
        left_bits: u32,
        /// The right value.
        right: String,
        /// Its width.
        right_bits: u32,
    },
    /// Address beside a variable.
    #[error("the address is {0} bytes beside a variable: the layout of variables is unspecified")]
    Offset(String),
    /// Address relative to the next instruction.
    #[error("the address has no variable: that of an instruction is unspecified")]
    Relative,
    /// Segment with a base of its own.
    #[error("the segment {0:?} has a base, which is unspecified")]
    Segment(String),
    /// Flag that is read and undefined.
    #[error("the flag {0} is undefined behind this instruction, and is read later")]
    Flag(&'static str),
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
    /// Array.
    #[error("arrays are not understood: every variable is a location of its own")]
    Array,
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
    /// Access without a width through a pointer that may point to variables of different widths.
    #[error("a pointer can lead to variables of different widths, and the instruction tells none")]
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
