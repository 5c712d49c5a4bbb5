//! Models of systems, one module a family, and in [`native`] implementations on real threads. A system
//! names neither its specification nor its implementations; the refinements do.
//!
//! A system is a value: here Ben-Ari's collector as first refined, for two nodes of one son and one root.
//!
//! ```
//! use refmap::TransitionSystem;
//! use refmap_systems::ben_ari::{Level1, Scope};
//!
//! let collector = Level1::new(Scope::new(2, 1, 1));
//! let mut initial = Vec::new();
//! collector.initial(&mut |state| initial.push(state));
//! // Every colouring of the two nodes.
//! assert_eq!(initial.len(), 4);
//! ```
//!
//! The case studies of the book (`examples/book/src/case-studies`) tell what each family taught.

#![expect(
    missing_docs,
    reason = "a field or a variant of which there is no more to say than its name has no comment"
)]

pub mod auxiliary;
pub mod barriers;
pub mod ben_ari;
pub mod caches;
pub mod copying;
pub mod dekker;
pub mod heap;
pub mod litmus;
pub mod locks;
pub mod native;
pub mod published;
pub mod stacks;
mod subsets;
pub mod tso;
mod unnumbered;
mod vectors;
pub mod yrc;

pub use unnumbered::Unnumbered;
