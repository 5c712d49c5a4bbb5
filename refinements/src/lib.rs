//! Refinements: one file each, with the mapping, the abstract actions that steps simulate, and the invariants.

pub mod ben_ari;
pub mod copying;
pub mod native;
pub mod published;
pub mod tso;
pub mod yrc;
