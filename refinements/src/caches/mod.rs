//! Protocols that keep caches coherent refine coherence, for any number of caches.

mod german;
mod mesi;

pub use german::GermanRefinement;
pub use mesi::MesiRefinement;
