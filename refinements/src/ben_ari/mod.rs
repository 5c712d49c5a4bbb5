//! Ben-Ari's collector refines "collect only garbage" in three steps.
//!
//! Source: Havelund & Shankar, section 6 and Appendix B.

mod any_number;
pub mod broken;
mod level_1;
mod level_2;
mod level_3;
mod lowered;
mod scan;
mod several;

use refmap::{Composed, Property, TransitionSystem, compose};
use refmap_systems::ben_ari::{Memory, Scope};

pub use any_number::AnyMutators;
pub use level_1::Refinement1;
pub use level_2::Refinement2;
pub use level_3::Refinement3;
pub use lowered::Lowered;

/// The algorithm against the specification, by way of levels 1 and 2 [Appendix B.3, `ref`].
pub fn composed(scope: Scope) -> Composed<Refinement1, Composed<Refinement2, Refinement3>> {
    let lower = compose(Refinement2::new(scope), Refinement3::new(scope));
    compose(Refinement1::new(scope), lower)
}

/// Garbage is collected in the end, of a system whose states are memories: a property for each node that is no root. Only
/// the collector makes an inaccessible node accessible, by appending it to the free list.
fn collected<S: TransitionSystem<State = Memory>>(scope: &Scope) -> Vec<Property<S>> {
    let property = |n| {
        Property::leads_to(
            format!("collected({n})"),
            "section 1: garbage is eventually collected",
            move |m: &Memory| !m.is_accessible(n),
            move |m: &Memory| m.is_accessible(n),
        )
    };
    let nodes = scope.shape.roots..scope.shape.nodes;
    nodes.map(property).collect()
}
