//! The x86-TSO on-the-fly collector.

mod collector;
mod colours;
mod handshakes;
mod marking;
mod memory;
mod mutator;
mod packing;
mod request;
mod scope;
pub mod specification;
mod state;
mod system;

pub use colours::{Heap, pointed_to, reach};
pub use scope::{
    Allocate, Barriers, Flip, Initial, MAX_BUFFER, MAX_FIELDS, MAX_MUTATORS, MAX_REFS, Memory,
    Part, Remains, Scope, Variant, Without,
};
pub use state::{
    Buffer, Gc, HandshakePhase, HandshakeType, Mark, Marking, Mutator, Mutators, Object, Phase,
    State, Store, Sys, Who, place_of,
};
pub use system::{OnTheFly, ScopeError};
