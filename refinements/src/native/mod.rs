//! What recorded histories of the native collectors are validated against.

mod ben_ari;
mod collector;
mod header;
mod model;
mod words;

pub use ben_ari::ObservedMemory;
pub use collector::ObservedHeap;
pub use header::HeaderError;
pub use model::ObservedModel;
