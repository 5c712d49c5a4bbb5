//! Temporary.
#[path = "suite/liveness/large.rs"]
mod large;
