//! The on-the-fly mark-sweep collector, on real threads.
//!
//! See [`native`](super) for its correctness argument. One file a concept: the collector is Fig. 2, a mutator
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
mod stage;
mod witness;
mod worklist;

pub use collector::{Collector, Mode};
pub use control::Phase;
pub use counts::Counts;
pub use error::{HeapError, Stale, Violation};
pub use fault::Fault;
pub use heap::{Heap, Shape, ShapeError};
pub use mutator::{Mutator, Root};
pub use reference::Reference;
pub use stage::Stage;
pub use witness::{Event, NoWitness, Place, Witness};
