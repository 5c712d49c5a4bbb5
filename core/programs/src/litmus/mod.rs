//! Litmus tests in the format of the herd tools, for `X86` and `X86_64`.
//!
//! [`read`] parses a [`Test`] from text, and [`run`](Test::run) decides it under a memory model. Values are signed
//! 32-bit integers unless a type is given, an access is to a whole location, and `SFENCE` and `LFENCE` order
//! nothing.
//!
//! Deviation. D1: a `CMPXCHG` without `LOCK` is a load and, behind a branch, a store, and no instruction is fetched
//! past an undecided branch. A processor has no branch there, so under RMO it could perform later accesses before
//! the load; here they wait for it. This may hide behaviours of such tests, and adds none.
//!
//! ```
//! use refmap_programs::{MemoryModel, litmus};
//!
//! let text = "
//!     X86 SB
//!     { }
//!      P0          | P1          ;
//!      MOV [x],$1  | MOV [y],$1  ;
//!      MOV EAX,[y] | MOV EAX,[x] ;
//!     exists (0:EAX=0 /\\ 1:EAX=0)";
//! let test = litmus::read(text).expect("it is a litmus test");
//! let verdict = |model| test.run(model, &litmus::Bounds::default()).unwrap().verdict;
//! assert_eq!(verdict(MemoryModel::Sc), litmus::Verdict::No);
//! assert_eq!(verdict(MemoryModel::Tso), litmus::Verdict::Ok);
//! ```

mod error;
mod instruction;
mod parser;
mod proposition;
mod register;
mod run;
mod text;
mod token;
mod translate;

pub use error::{Problem, ReadError};
pub use proposition::Quantifier;
pub use run::{Answer, Bounds, Observation, RunError, Verdict};
pub use text::Report;

use super::Program;
use proposition::Proposition;
use translate::Column;

/// Greatest length of a text, in bytes.
pub const MOST_BYTES: usize = 1 << 20;
/// Greatest number of variables of a litmus test. Every state holds all of them.
pub const MOST_LOCATIONS: usize = 128;
/// Greatest number of instructions of a thread of a litmus test.
pub const MOST_INSTRUCTIONS: usize = 256;
/// Number of backward jumps after which a thread of a litmus test is cut off.
pub const BACKWARD_JUMPS: u8 = 16;

/// Litmus test: a program, and a condition on its final states.
#[derive(Clone, Debug)]
pub struct Test {
    /// Name.
    pub name: String,
    /// The program.
    pub program: Program,
    /// Quantifier of the condition.
    pub quantifier: Quantifier,
    condition: Proposition,
    /// Source text of the condition, with normalized spaces.
    condition_text: String,
    filter: Option<Proposition>,
    /// Columns of a final state: those that are printed, followed by those that only the filter reads.
    columns: Vec<Column>,
    shown: usize,
}

/// Reads a litmus test.
///
/// # Errors
///
/// If the text is not a supported test: the line, the token found and what was expected.
pub fn read(text: &str) -> Result<Test, ReadError> {
    if text.len() > MOST_BYTES {
        return Err(Problem::TooMany {
            what: "bytes",
            most: MOST_BYTES,
        }
        .on(1));
    }
    translate::test(parser::parse(text)?)
}
