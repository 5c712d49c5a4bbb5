//! Explorations under each scheduler.

mod loom;
mod shuttle;
