//! Litmus tests in the format of the herd tools, for `X86` and `X86_64`.
//!
//! [`read`] parses a [`Test`] from text, and [`run`](Test::run) decides it under a memory model. `SFENCE` and `LFENCE`
//! order nothing. Of the older dialect of memevents, a `;` behind the initial state and blocks `<<…>>` behind the condition are passed over.
//!
//! # Widths
//!
//! Registers are held whole, with 32 bits for `X86` and 64 for `X86_64`, and instructions have the width that their
//! suffix or their registers tell: one of 32 bits clears the upper half of a 64-bit register, one of 16 or 8 leaves the
//! rest alone. An access is to a whole variable; one to a part of a variable is refused, or a fault if an address in a
//! register leads there.
//!
//! A type tells how an initial value is held and a final one is shown. Without one, a register is an `int`, or has 64
//! bits if it is used with them; a variable has the width of its accesses, and is an `int` if there are none. The herd
//! tools show both as an `int`, so that 2³² is shown as 0; here nothing is cut. A number fits a width with a sign or
//! without one, in code, in the initial state and in conditions, which ask for bits: `0:rax=-1` and
//! `0:rax=4294967295` are the same of an `int`. A number that does not fit is refused.
//!
//! An address is whole: one that is cut, or computed with beyond adding 0, is a fault, since the layout of variables is
//! unspecified.
//!
//! # Instructions
//!
//! `MOV` (`MOVABS`, `MOVZX`, `MOVSX` and their forms such as `movzbl`, `CLTQ`), `LEA`, `XCHG`, `XADD`, `CMPXCHG`, `ADD`,
//! `SUB`, `AND`, `OR`, `XOR`, `INC`, `DEC`, `NEG`, `NOT`, `SHL`, `SHR`, `SAR`, `CMP`, `TEST`, `JMP`, and `Jcc`, `SETcc`
//! and `CMOVcc` with every condition but parity; `MFENCE`; `RET`, which ends the thread; `NOP` in its long forms,
//! `ENDBR64` and `PAUSE`, which do nothing. Addresses are those of compilers: `x(%rip)`, `(%rsi,%rax,4)`, `%cs:(%rsi)`.
//! Everything else is refused, and so is reading a flag that an instruction leaves undefined.
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
mod flag_effects;
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
