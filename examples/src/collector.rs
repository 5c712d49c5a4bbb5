//! The x86-TSO on-the-fly collector at a size that is checked in a moment.

use refmap::obligation::{Selection, Symmetry};
use refmap::{Report, Settings};
use refmap_refinements::Checked;
use refmap_refinements::tso::{AT_REDUCED, CollectorRefinement};
use refmap_systems::tso::{Granularity, OnTheFly, Scope, Variant};

/// Checks that the collector collects only garbage under one mutator, which holds object 0; object 0
/// refers to object 1.
///
/// Lipton reduction and symmetry reduction both preserve what is freed.
pub fn collector(variant: Variant) -> Report {
    let scope = Scope::new(1, 2, Granularity::Reduced);
    let system = OnTheFly::new(scope, variant).expect("the instance is in range");
    let settings = Settings {
        obligations: Selection::only(AT_REDUCED),
        symmetry: Symmetry::Full,
        ..Settings::default()
    };
    let refinement = CollectorRefinement::new(system);
    let report = refinement.checker().check(&settings);
    report.expect("every obligation can be decided")
}
