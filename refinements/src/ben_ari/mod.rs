//! Ben-Ari's collector refines "collect only garbage" in three steps.
//!
//! Source: Havelund & Shankar, section 6 and Appendix B.

pub mod broken;
mod level_1;
mod level_2;
mod level_3;

use refmap::{Composed, Process, Property, TransitionSystem, compose};
use refmap_systems::ben_ari::{Collector, Level, Memory, Mutant, Scope, Shared, process};

pub use level_1::Refinement1;
pub use level_2::Refinement2;
pub use level_3::Refinement3;

/// A level, as a refinement of the one above it.
pub struct Lowered<Lower, Upper> {
    implementation: Lower,
    specification: Upper,
    mutators: Vec<Process>,
}

impl<A: Collector, Upper: From<Scope>> Lowered<Level<A>, Upper> {
    /// The refinement for an instance.
    pub fn new(scope: Scope) -> Self {
        Self {
            implementation: Level::new(scope),
            specification: Upper::from(scope.fair()),
            mutators: mutators(&scope),
        }
    }

    /// The same with a fault planted in a rule of the implementation.
    pub fn with_mutant(scope: Scope, mutant: Mutant) -> Self {
        let mut refinement = Self::new(scope);
        refinement.implementation.mutant = Some(mutant);
        refinement
    }
}

/// The algorithm against the specification, by way of levels 1 and 2 [Appendix B.3, `ref`].
pub fn composed(scope: Scope) -> Composed<Refinement1, Composed<Refinement2, Refinement3>> {
    let lower = compose(Refinement2::new(scope), Refinement3::new(scope));
    compose(Refinement1::new(scope), lower)
}

/// The mutators, which no level may restrict [section 2].
fn mutators(scope: &Scope) -> Vec<Process> {
    (0..scope.mutators)
        .map(|mutator| process::mutator(mutator, scope.mutators))
        .collect()
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

/// A mutator is at rest at its first location.
fn at_rest(shared: &Shared, process: Process) -> bool {
    shared.at_rest(usize::from(process.number.unwrap_or(0)))
}
