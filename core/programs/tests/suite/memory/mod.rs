//! Tests of the semantics of memory models against each other.

mod agreement;
mod fences;
mod generator;
mod widths;
