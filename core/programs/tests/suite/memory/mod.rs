//! Tests of the semantics of memory models against each other.

mod agreement;
mod control;
mod fences;
pub(crate) mod generator;
mod widths;
