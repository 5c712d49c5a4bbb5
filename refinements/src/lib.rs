//! Who refines whom: one file a refinement, holding its mapping, its step correspondence and its
//! invariants.

pub mod ben_ari;
pub mod copying;
pub mod native;
pub mod tso;
pub mod yrc;
