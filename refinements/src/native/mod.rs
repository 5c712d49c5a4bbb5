//! Validation of recorded histories of the native collectors: the correspondence of events to steps of each
//! specification.

mod ben_ari;
mod collector;
mod event_text;
mod model;
mod sizes;

pub use ben_ari::ObservedMemory;
pub use collector::ObservedHeap;
pub use model::ObservedModel;
