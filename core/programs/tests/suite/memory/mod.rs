//! Tests of the semantics of memory models against each other.

mod agreement;
mod fences;
pub(crate) mod generator;
mod widths;
