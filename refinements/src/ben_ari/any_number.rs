//! The collector with any number of mutators.

use std::sync::Arc;

use refmap::crowd::{CrowdInvariant, CrowdRefinement, Moment};
use refmap::{AbstractSteps, Composed, Refinement};
use refmap_systems::Unnumbered;
use refmap_systems::ben_ari::level_3::State;
use refmap_systems::ben_ari::{
    AnyLevel0, AnyLevel3, Locals, Memory, Scope, Step, level_0, level_3,
};

use super::{Refinement1, Refinement2, Refinement3, composed};

/// The algorithm against the specification, with any number of mutators: the composed refinement, of one mutator at a time.
#[derive(Clone)]
pub struct AnyMutators {
    scope: Scope,
    of_one: Arc<Composed<Refinement1, Composed<Refinement2, Refinement3>>>,
    implementation: AnyLevel3,
    specification: AnyLevel0,
}

/// Invariants by which some mutator is there, whichever: of one alone they are no invariants.
const OF_ALL: [&str; 2] = ["bw_behind_scan_is_pending", "scanned_without_targets"];

impl AnyMutators {
    /// The refinement for an instance, whose number of mutators does not matter.
    pub fn new(scope: Scope) -> Self {
        let of_one = Scope {
            mutators: 1,
            ..scope
        };
        Self {
            scope,
            of_one: Arc::new(composed(of_one)),
            implementation: AnyLevel3::new(scope),
            specification: AnyLevel0::new(scope),
        }
    }

    /// The composed refinement of so many mutators.
    pub fn composed(
        &self,
        mutators: usize,
    ) -> Composed<Refinement1, Composed<Refinement2, Refinement3>> {
        composed(Scope {
            mutators: mutators as u8,
            ..self.scope
        })
    }
}

impl CrowdRefinement for AnyMutators {
    type Implementation = AnyLevel3;
    type Specification = AnyLevel0;

    fn implementation(&self) -> AnyLevel3 {
        self.implementation.clone()
    }

    fn specification(&self) -> AnyLevel0 {
        self.specification.clone()
    }

    fn map(&self, shared: &State) -> Memory {
        self.of_one.map(shared)
    }

    fn map_member(&self, _: &State, _: &Locals) {}

    fn abstract_steps(
        &self,
        from: Moment<'_, AnyLevel3>,
        Unnumbered(step): &Unnumbered<Step<level_3::Action>>,
        to: Moment<'_, AnyLevel3>,
    ) -> AbstractSteps<Unnumbered<level_0::Action>> {
        let [from, to] = [from, to].map(|moment| AnyLevel3::with(moment.shared, moment.me));
        self.of_one.abstract_steps(&from, step, &to).map(Unnumbered)
    }

    fn environment(&self) -> Option<&'static str> {
        Some(self.of_one.environment()[0].name)
    }

    fn at_rest(&self, shared: &State, mutator: &Locals) -> bool {
        let state = AnyLevel3::with(shared, Some(mutator));
        let process = self.of_one.environment()[0];
        self.of_one.at_rest(&state, process)
    }

    /// Those of the composed refinement that are so of each mutator.
    fn invariants(&self) -> Vec<CrowdInvariant<AnyLevel3>> {
        let mut invariants = self.of_one.invariants();
        invariants.retain(|invariant| !OF_ALL.contains(&invariant.name()));
        let invariants = invariants.into_iter().map(|invariant| {
            let premise = invariant.has_premise().then(|| invariant.clone());
            let (name, source) = (invariant.name().to_owned(), invariant.source().to_owned());
            let of_each = CrowdInvariant::of_members(name, source, move |shared, [me]| {
                invariant.concludes(&AnyLevel3::with(shared, Some(me)))
            });
            match premise {
                None => of_each,
                Some(premise) => of_each
                    .when(move |shared, [me]| premise.applies(&AnyLevel3::with(shared, Some(me)))),
            }
        });
        invariants.collect()
    }
}
