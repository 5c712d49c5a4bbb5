//! The on-the-fly mark-sweep collector, on real threads.
//!
//! See [`native`](super) for what it rests on. One file a concept: the collector is Fig. 2, a mutator
//! Fig. 6, marking Fig. 5, handshakes Fig. 4.

use super::primitives;

mod collector;
mod control;
mod counts;
mod error;
mod fault;
mod handshake;
mod heap;
mod marking;
mod mutator;
mod pool;
mod reference;
mod witness;

pub use collector::{Collector, Mode};
pub use counts::Counts;
pub use error::{HeapError, Stale, Violation};
pub use fault::Fault;
pub use handshake::Stage;
pub use heap::{Heap, Shape, ShapeError};
pub use mutator::{Mutator, Root};
pub use reference::Reference;
pub use witness::{Event, Place, Unseen, Witness};

// For tests that take in this source; those of the library itself have no use for it.
#[cfg(test)]
#[allow(
    unused_imports,
    reason = "Loom's tests, which include this folder, set the phase"
)]
pub(crate) use control::Phase;
