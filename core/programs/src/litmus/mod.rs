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
mod flags;
mod instruction;
mod limits;
mod names;
mod number;
mod operand;
mod parser;
mod proposition;
mod register;
mod run;
mod test;
mod text;
mod thread;
mod token;
mod translate;

pub use error::{Problem, ReadError};
pub use limits::{BACKWARD_JUMPS, MOST_BYTES, MOST_INSTRUCTIONS, MOST_LOCATIONS};
pub use proposition::Quantifier;
pub use run::{Answer, Bounds, Observation, RunError, Verdict};
pub use test::Test;
pub use text::Report;

/// Reads a litmus test.
///
/// # Errors
///
/// If the text is not a supported test: the line, the token found and what was expected.
pub fn read(text: &str) -> Result<Test, ReadError> {
    translate::test(parser::parse(text)?)
}
