//! What recorded histories of the native collector are validated against.

mod collector;

pub use collector::{HeaderError, ObservedHeap};
