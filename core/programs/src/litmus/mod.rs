//! Litmus tests in the format of the herd tools, for `X86` and `X86_64`.
//!
//! A [`Test`] is read from text, and [`run`](Test::run) decides it under a memory model. Values are
//! signed 32-bit integers unless a type says otherwise, an access is to a whole location, and `SFENCE`
//! and `LFENCE` order nothing.
//!
//! Deviation. D1: a `CMPXCHG` without `LOCK` is a load and, behind a branch, a store, and nothing is
//! fetched past a branch that is not decided. A processor decides nothing there and goes on, so under
//! RMO later accesses could be performed before the load; here they wait for it. This may hide
//! behaviours of such tests, and adds none.
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

/// The longest text that is read, in bytes.
pub const MOST_BYTES: usize = 1 << 20;
/// The most variables of a litmus test. Every state holds all of them.
pub const MOST_LOCATIONS: usize = 128;
/// The most instructions of a thread of a litmus test.
pub const MOST_INSTRUCTIONS: usize = 256;
/// How often a thread of a litmus test may jump back before it is cut off.
pub const BACKWARD_JUMPS: u8 = 16;

/// A litmus test: a program, and a question about its final states.
#[derive(Clone, Debug)]
pub struct Test {
    /// What it is called.
    pub name: String,
    /// The program.
    pub program: Program,
    /// What is asked of the final states.
    pub quantifier: Quantifier,
    condition: Proposition,
    /// The condition as it was written, its spaces made one.
    condition_text: String,
    filter: Option<Proposition>,
    /// What is looked at of a final state: first what is shown, then what only the filter asks for.
    columns: Vec<Column>,
    shown: usize,
}

/// Reads a litmus test.
///
/// # Errors
///
/// If the text is not a test that can be run here: with its line, what was found there and what was
/// expected.
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
