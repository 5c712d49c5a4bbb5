//! The x86-TSO on-the-fly collector collects only garbage [section 1.1], and the invariants on
//! which its proof rests [section 3.2]: the global ones, and those of program locations that it states; and
//! that garbage is freed within two cycles [section 4].

mod any_number;
mod collector;
mod cycles;
mod invariants;
mod local;

pub use any_number::AnyCollector;
pub use collector::{AT_COARSE, AT_REDUCED, CollectorRefinement};
pub use cycles::{CycleEnds, CyclesRefinement, Survived, freed_in_time};
pub use invariants::{
    fa_rel, fm_rel, handshake_phase, mutators_phase, phase_rel, strong_tricolour, sys_phase,
    tso_store, valid_refs, valid_w, weak_tricolour,
};
pub use local::{gc_w_empty, swept_all_marked, swept_no_grey, tso_lock};
