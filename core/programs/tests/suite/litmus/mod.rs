//! Litmus tests with known results, and texts that are not litmus tests.

mod answers;
mod mutation;
mod reading;
mod widths;
