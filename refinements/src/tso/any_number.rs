//! The collector with any number of mutators.

use std::sync::Arc;

use refmap::crowd::{CrowdInvariant, CrowdRefinement, Moment};
use refmap::{AbstractSteps, Invariant, Refinement};
use refmap_systems::Unnumbered;
use refmap_systems::tso::specification::Action;
use refmap_systems::tso::{
    AnyAct, AnyCollectOnlyGarbage, AnyOnTheFly, HeldProgram, OnTheFly, OneMutator, Scope,
    ScopeError, Shared, SharedProgram, State, Variant,
};

use super::CollectorRefinement;

/// The collector against "collect only garbage", with any number of mutators: the refinement of one mutator at a time.
#[derive(Clone)]
pub struct AnyCollector {
    of_one: Arc<CollectorRefinement>,
    implementation: AnyOnTheFly,
    specification: AnyCollectOnlyGarbage,
}

/// Invariants by which something is grey, or black, whichever mutator makes it so: of few mutators alone they are no invariants.
const OF_ALL: [&str; 7] = [
    "strong_tricolour",
    "weak_tricolour",
    "sys_phase_IdleInit",
    "sys_phase_InitMark",
    "mutators_phase_IdleInit",
    "reachable_snapshot",
    "gc_W_empty",
];

/// Invariants of the mutator that holds the bus lock. Which one that is cannot be asked of a mutator.
const OF_HOLDER: [&str; 3] = ["valid_W_marked", "valid_W_pending", "tso_lock"];

/// Invariants of two mutators.
const OF_TWO: [&str; 2] = ["valid_W_disjoint", "swept_all_marked"];

impl AnyCollector {
    /// The refinement for an instance, whose number of mutators does not matter.
    ///
    /// # Errors
    ///
    /// If the instance is empty or too large, or its steps move several mutators.
    pub fn new(scope: Scope, variant: Variant) -> Result<Self, ScopeError> {
        let implementation = AnyOnTheFly::new(scope, variant)?;
        let one = Scope {
            mutators: 1,
            ..scope
        };
        Ok(Self {
            of_one: Arc::new(CollectorRefinement::new(OnTheFly::new(one, variant)?)),
            specification: AnyCollectOnlyGarbage::new(&implementation),
            implementation,
        })
    }
}

impl CrowdRefinement for AnyCollector {
    type Implementation = AnyOnTheFly;
    type Specification = AnyCollectOnlyGarbage;

    fn implementation(&self) -> AnyOnTheFly {
        self.implementation.clone()
    }

    fn specification(&self) -> AnyCollectOnlyGarbage {
        self.specification.clone()
    }

    fn map(&self, shared: &Shared) -> SharedProgram {
        AnyCollectOnlyGarbage::of(shared)
    }

    fn map_member(&self, shared: &Shared, mutator: &OneMutator) -> HeldProgram {
        AnyOnTheFly::held(shared, mutator)
    }

    fn abstract_steps(
        &self,
        from: Moment<'_, AnyOnTheFly>,
        AnyAct(act): &AnyAct,
        to: Moment<'_, AnyOnTheFly>,
    ) -> AbstractSteps<Unnumbered<Action>> {
        let [from, to] = [from, to].map(|moment| state(moment.shared, moment.me.as_slice()));
        self.of_one.abstract_steps(&from, act, &to).map(Unnumbered)
    }

    /// Those of the refinement that are so of each mutator, or of each two.
    fn invariants(&self) -> Vec<CrowdInvariant<AnyOnTheFly>> {
        let mut invariants = self.of_one.invariants();
        let is_left_out = |name: &str| OF_ALL.contains(&name) || OF_HOLDER.contains(&name);
        invariants.retain(|invariant| !is_left_out(invariant.name()));
        let invariants = invariants.into_iter().map(|invariant| {
            if OF_TWO.contains(&invariant.name()) {
                of_each::<2>(invariant)
            } else {
                of_each::<1>(invariant)
            }
        });
        invariants.collect()
    }
}

/// The state with these mutators alone.
fn state(shared: &Shared, mutators: &[&OneMutator]) -> State {
    AnyOnTheFly::with(shared, mutators)
}

/// An invariant of so many mutators, whichever.
fn of_each<const N: usize>(invariant: Invariant<OnTheFly>) -> CrowdInvariant<AnyOnTheFly> {
    let premise = invariant.has_premise().then(|| invariant.clone());
    let (name, source) = (invariant.name().to_owned(), invariant.source().to_owned());
    let of_each = CrowdInvariant::of_members(name, source, move |shared, mutators: [_; N]| {
        invariant.concludes(&state(shared, &mutators))
    });
    match premise {
        None => of_each,
        Some(premise) => {
            of_each.when(move |shared, mutators: [_; N]| premise.applies(&state(shared, &mutators)))
        }
    }
}
