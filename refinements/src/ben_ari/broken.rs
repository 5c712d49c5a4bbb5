//! Wrong implementations and a wrong mapping, each of which satisfies `simulation`.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Process, Property, Refinement};
use refmap_systems::ben_ari::broken::{Broken, BrokenAction, Fault};
use refmap_systems::ben_ari::{Level0, Memory, Scope, level_0};

/// Refinement mappings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// Each state to itself.
    Identity,
    /// Every state to the initial one: then every step is a stutter.
    OneState,
}

/// A wrong implementation of the specification, with abstract actions that make it pass `simulation`.
pub struct BrokenRefinement {
    implementation: Broken,
    specification: Level0,
    mapping: Mapping,
    mutators: Vec<Process>,
}

impl BrokenRefinement {
    /// The specification with a fault, as a refinement of itself without.
    pub fn new(scope: Scope, fault: Fault, mapping: Mapping) -> Self {
        Self {
            implementation: Broken::new(scope, fault),
            specification: Level0::new(scope.fair()),
            mapping,
            mutators: super::lowered::mutators(&scope),
        }
    }
}

impl Refinement for BrokenRefinement {
    between!(Broken, Level0);

    fn map(&self, state: &Memory) -> Memory {
        match self.mapping {
            Mapping::Identity => *state,
            Mapping::OneState => Memory::null_array(state.shape),
        }
    }

    fn abstract_steps(
        &self,
        _: &Memory,
        action: &BrokenAction,
        _: &Memory,
    ) -> AbstractSteps<level_0::Action> {
        match (self.mapping, *action) {
            (Mapping::OneState, _) => Stutter,
            (Mapping::Identity, BrokenAction::Sound(action)) => One(action),
            // Claims that it simulates a mutation of the first mutator.
            (Mapping::Identity, BrokenAction::Overwrite { n, i }) => One(level_0::Action::Mutate {
                mutator: 0,
                n,
                i,
                k: 0,
            }),
        }
    }

    /// Every node in the end: more than fairness of *append* says.
    fn liveness(&self) -> Vec<Property<Broken>> {
        super::collected::collected(&self.specification.scope)
    }

    fn environment(&self) -> &[Process] {
        &self.mutators
    }
}
