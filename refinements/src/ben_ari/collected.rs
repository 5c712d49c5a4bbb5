//! Liveness of Ben-Ari's collector.

use refmap::{Property, TransitionSystem};
use refmap_systems::ben_ari::{Memory, Scope};

/// Garbage is collected in the end, of a system whose states are memories: a property for each node that is no root. Only
/// the collector makes an inaccessible node accessible, by appending it to the free list.
pub(super) fn collected<S: TransitionSystem<State = Memory>>(scope: &Scope) -> Vec<Property<S>> {
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
