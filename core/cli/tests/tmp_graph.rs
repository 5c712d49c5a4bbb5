//! Temporary.
#[path = "suite/graph/mod.rs"]
mod graph;
