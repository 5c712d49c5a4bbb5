//! A level of Ben-Ari's collector, as a refinement of the one above it: what the three refinements have alike.

use refmap::Process;
use refmap_systems::ben_ari::{Collector, Level, Mutant, Scope, Shared, process};

/// A level, as a refinement of the one above it.
pub struct Lowered<Lower, Upper> {
    pub(super) implementation: Lower,
    pub(super) specification: Upper,
    pub(super) mutators: Vec<Process>,
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

/// The mutators, which no level may restrict [section 2].
pub(super) fn mutators(scope: &Scope) -> Vec<Process> {
    (0..scope.mutators)
        .map(|mutator| process::mutator(mutator, scope.mutators))
        .collect()
}

/// A mutator is at rest at its first location.
pub(super) fn at_rest(shared: &Shared, process: Process) -> bool {
    shared.at_rest(usize::from(process.number.unwrap_or(0)))
}
