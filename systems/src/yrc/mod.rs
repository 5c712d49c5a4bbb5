//! YRC, the thread-safe cycle collector of Nim.
//!
//! Source: the TLA+ module `yrc_proof`. Its comments describe a design; its formulas state
//! something else. [`design`] is the design of the comments, with its variants, and [`module`] is
//! the system of the formulas.

pub mod design;
pub mod module;
