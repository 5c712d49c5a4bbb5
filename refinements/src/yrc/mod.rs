//! YRC against "collect only garbage" over a heap with allocation.

mod module;

pub use module::{ModuleRefinement, cycle_invariant, rc_invariant, safety, type_ok};
