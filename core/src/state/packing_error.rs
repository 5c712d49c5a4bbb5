//! Errors of packing: why a state cannot be written into bits.

use super::sink::Misfit;

/// Reason why a state cannot be kept packed: what its type says of its bits is wrong about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackingError {
    /// A field of a state has a value outside the range that it is said to have.
    #[error("`{field}` {misfit}")]
    OutsideRange {
        /// The field, or the one within it that has the value.
        field: String,
        /// The value, and what is allowed.
        misfit: Misfit,
    },
    /// A variable is left out, or read otherwise than it is written.
    #[error("what is read back is another state: {}", .changed.join(", "))]
    Lossy {
        /// Parts of the state that change, and how.
        changed: Vec<String>,
    },
    /// Bits of a state that are more than the shape of its type says.
    #[error("it takes {bits} bits, and the shape of its type says {most} at most")]
    TooLong {
        /// The bits that are written.
        bits: u32,
        /// The most that there are said to be.
        most: u32,
    },
    /// Asked twice, `write` writes different values, or `read` reads different states.
    #[error("what is written is not a function of the state: it is packed in two ways")]
    Unstable,
}
