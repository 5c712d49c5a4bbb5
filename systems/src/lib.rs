//! Models of systems, one module a family, and in [`native`] implementations on real threads. A system
//! names neither its specification nor its implementations; the refinements do.

pub mod ben_ari;
pub mod copying;
pub mod dekker;
pub mod heap;
pub mod litmus;
pub mod native;
pub mod published;
pub mod tso;
pub mod yrc;
