//! Bounded garbage retention: a history variable that counts, for each object, the cycles of the
//! collector's loop that have ended since it became unreachable.
//!
//! Source: Gammie et al., section 4, Connection With Reality, which claims it without a proof: garbage is
//! collected within two cycles, if mutators and the hardware make progress. That cycles end under this fairness is a
//! property of the collector's own refinement.

use refmap::auxiliary::{History, Recording, Remembering, WithHistory};
use refmap::{AbstractSteps, BoundedVec, Invariant, Process, Refinement, State as Kept, Waiver};
use refmap_systems::tso::specification::{Action, CollectOnlyGarbage, Program};
use refmap_systems::tso::{
    Act, Label, MAX_REFS, OnTheFly, Phase, REFERENCES, Scope, ScopeError, State, Variant,
};

use super::collector::CollectorRefinement;

/// History variable: counts the cycles that ended while an object was garbage.
#[derive(Clone, Copy, Debug)]
pub struct CycleEnds {
    /// Saturation bound of the counts.
    pub most: u8,
}

/// For each reference, the number of cycles that ended since its object became unreachable; 0 if it is reachable or
/// free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, Kept)]
#[state(system = OnTheFly)]
pub struct Survived(
    #[state(symmetric = REFERENCES, len = system.scope.refs)] pub BoundedVec<u8, MAX_REFS>,
);

/// The last step of the collector's loop [Fig. 2, line 45].
const END_OF_CYCLE: Label = Label::StorePhase(Phase::Idle);

impl History<OnTheFly> for CycleEnds {
    type Value = Survived;

    fn initial(&self, system: &OnTheFly, _state: &State) -> Survived {
        Survived((0..system.scope.refs).map(|_| 0).collect())
    }

    fn after(
        &self,
        _system: &OnTheFly,
        Survived(before): &Survived,
        _from: &State,
        action: &Act,
        to: &State,
    ) -> Survived {
        let reachable = to.program().reachable();
        let ended = u8::from(action.label == END_OF_CYCLE);
        let cells = (0..).zip(&to.sys.heap).zip(before);
        let after = cells.map(|((reference, cell), before)| {
            if cell.is_some() && !reachable.contains(reference) {
                (before + ended).min(self.most)
            } else {
                0
            }
        });
        Survived(after.collect())
    }
}

/// The collector with that variable, and the invariant that it frees all garbage in time.
pub struct CyclesRefinement {
    refinement: CollectorRefinement,
    implementation: WithHistory<OnTheFly, CycleEnds>,
}

type Counting = Remembering<State, Survived>;

impl CyclesRefinement {
    /// The refinement for an instance, in which no object survives the end of `cycles` cycles as garbage.
    ///
    /// # Errors
    ///
    /// If the instance is empty or too large.
    pub fn new(scope: Scope, variant: Variant, cycles: u8) -> Result<Self, ScopeError> {
        Ok(Self {
            refinement: CollectorRefinement::new(OnTheFly::new(scope, variant)?),
            implementation: WithHistory {
                system: OnTheFly::new(scope, variant)?,
                history: CycleEnds { most: cycles },
            },
        })
    }
}

/// No object still exists when so many cycles have ended since it became unreachable.
pub fn freed_in_time(cycles: u8) -> Invariant<WithHistory<OnTheFly, CycleEnds>> {
    Invariant::new(
        "freed_in_time",
        "Gammie et al., section 4, Connection With Reality",
        move |s: &Counting| s.history.0.iter().all(|ends| *ends < cycles),
    )
    .when(|s: &Counting| !garbage_is_absent(&s.state))
}

/// Whether every object is reachable.
fn garbage_is_absent(state: &State) -> bool {
    let reachable = state.program().reachable();
    let mut objects = (0..).zip(&state.sys.heap);
    objects.all(|(reference, cell)| cell.is_none() || reachable.contains(reference))
}

impl Refinement for CyclesRefinement {
    type Implementation = WithHistory<OnTheFly, CycleEnds>;
    type Specification = CollectOnlyGarbage;

    fn implementation(&self) -> &Self::Implementation {
        &self.implementation
    }

    fn specification(&self) -> &CollectOnlyGarbage {
        self.refinement.specification()
    }

    fn map(&self, s: &Counting) -> Program {
        self.refinement.map(&s.state)
    }

    fn abstract_steps(
        &self,
        from: &Counting,
        Recording(action): &Recording<Act>,
        to: &Counting,
    ) -> AbstractSteps<Action> {
        self.refinement
            .abstract_steps(&from.state, action, &to.state)
    }

    /// Only the invariant of the history variable; those of the collector belong to its own refinement.
    fn invariants(&self) -> Vec<Invariant<Self::Implementation>> {
        vec![freed_in_time(self.implementation.history.most)]
    }

    fn environment(&self) -> &[Process] {
        self.refinement.environment()
    }

    fn at_rest(&self, s: &Counting, process: Process) -> bool {
        self.refinement.at_rest(&s.state, process)
    }

    fn waivers(&self) -> Vec<Waiver> {
        self.refinement.waivers()
    }
}
