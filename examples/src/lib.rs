//! Tutorials on refinement, numbered, the smallest first: the programs in the folder `examples` of
//! this crate. In the library itself is what several of them use.

mod collector;
mod page;

pub use collector::collector;
pub use page::quoted;
