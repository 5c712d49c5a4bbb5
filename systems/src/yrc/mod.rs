//! YRC, the thread-safe cycle collector of Nim.
//!
//! Source: the TLA+ module `yrc_proof`. Its comments describe a design; its formulas describe
//! something else. [`design`] is what the comments describe, with its variants, and [`module`] is
//! what the formulas say.

pub mod design;
pub mod module;
