//! YRC refines "collect only garbage" over a heap with allocation.

mod design;
mod module;

pub use design::{
    DesignRefinement, counts, no_external_reference_condemned, no_freed_object_touched,
};
pub use module::{ModuleRefinement, cycle_invariant, rc_invariant, safety, type_ok};
