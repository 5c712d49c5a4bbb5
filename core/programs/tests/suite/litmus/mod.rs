//! Litmus tests with known answers, and texts that are no litmus tests.

mod answers;
mod mutation;
mod reading;
