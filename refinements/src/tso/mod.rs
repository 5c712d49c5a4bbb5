//! The x86-TSO on-the-fly collector collects only garbage [section 1.1], and the invariants on
//! which its proof rests [section 3.2]: the global ones, and those of program locations that it describes.

mod collector;
mod invariants;
mod local;

pub use collector::{AT_COARSE, AT_REDUCED, CollectorRefinement};
pub use invariants::{
    fa_rel, fm_rel, gc_w_empty, handshake_phase, mutators_phase, phase_rel, strong_tricolour,
    sys_phase, tso_store, valid_refs, valid_w, weak_tricolour,
};
pub use local::{swept_all_marked, swept_no_grey};
