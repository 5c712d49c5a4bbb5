//! The collector against "collect only garbage" over store buffers [section 1.1].

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Process, Property, Refinement};
use refmap_systems::heap::mutator;
use refmap_systems::tso::specification::{
    Action, CollectOnlyGarbage, FieldStore, Pending, Program,
};
use refmap_systems::tso::{
    Act, Granularity, Label, MutatorStep, OnTheFly, Phase, State, SweepStep, SysStep, Who,
};

use super::invariants;

/// Obligations that Lipton reduction preserves.
pub const AT_REDUCED: [&str; 5] = [
    "observation",
    "initiality",
    "simulation",
    "agency",
    "deadlock",
];

/// Obligations that local fusion preserves: all but `environment`.
pub const AT_COARSE: [&str; 7] = [
    "observation",
    "initiality",
    "simulation",
    "agency",
    "invariant",
    "deadlock",
    "coverage",
];

/// The collector as a refinement of "collect only garbage".
pub struct CollectorRefinement {
    implementation: OnTheFly,
    specification: CollectOnlyGarbage,
    mutators: Vec<Process>,
}

impl CollectorRefinement {
    /// The refinement for an instance.
    pub fn new(system: OnTheFly) -> Self {
        let mutators = system.scope.mutators;
        Self {
            specification: system.specification(),
            mutators: (0..mutators).map(|m| mutator(m, mutators)).collect(),
            implementation: system,
        }
    }
}

/// Number of the mutator that a process is.
fn number(process: Process) -> u8 {
    process.number.unwrap_or(0) as u8
}

impl Refinement for CollectorRefinement {
    between!(OnTheFly, CollectOnlyGarbage);

    /// The observable state of programs.
    fn map(&self, state: &State) -> Program {
        state.program()
    }

    /// The last step of an operation of Fig. 6 simulates the operation, a commit of a field and a freeing simulate
    /// themselves, and every other step is a stutter.
    fn abstract_steps(&self, from: &State, action: &Act, to: &State) -> AbstractSteps<Action> {
        let mutator = number(action.process);
        let local = || from.mutator(mutator);
        let granularity = self.implementation.scope.granularity;
        // In a transaction the visible step need not be the first.
        let of_transaction = || match granularity {
            Granularity::Reduced => by_difference(mutator_of(action), from, to).into(),
            Granularity::Fine | Granularity::Coarse => Stutter,
        };
        match action.label {
            Label::Mutator(step) => match step {
                MutatorStep::Alloc => {
                    let mut places = (0..).zip(from.sys.heap.iter().zip(&to.sys.heap));
                    let fresh =
                        places.find(|(_, (before, after))| before.is_none() && after.is_some());
                    // An allocation may find no room, and then does nothing.
                    let alloc = |(reference, _)| Action::Alloc { mutator, reference };
                    fresh.map(alloc).into()
                }
                MutatorStep::Discard => One(Action::Discard {
                    mutator,
                    kept: to.mutator(mutator).roots,
                }),
                // If the choice is fused with this step, the state change shows what was chosen.
                MutatorStep::Load | MutatorStep::Store if granularity == Granularity::Coarse => {
                    by_difference(mutator_of(action), from, to).into()
                }
                MutatorStep::Load => One(Action::Load {
                    mutator,
                    src: local().src,
                    field: local().field,
                }),
                MutatorStep::Store => One(Action::Store {
                    mutator,
                    store: FieldStore {
                        src: local().src,
                        field: local().field,
                        dst: local().dst,
                    },
                }),
                MutatorStep::ChooseLoad
                | MutatorStep::ChooseStore
                | MutatorStep::ChooseDst
                | MutatorStep::LoadDeleted
                | MutatorStep::RootsUnmarked
                | MutatorStep::TakeInserted
                | MutatorStep::Fence => of_transaction(),
            },
            Label::Sweep(step) => match step {
                SweepStep::Free => One(Action::Free {
                    reference: from.gc.src,
                }),
                SweepStep::LoadFm
                | SweepStep::AllRefs
                | SweepStep::RefToLookAt
                | SweepStep::ChooseRef
                | SweepStep::LoadMark
                | SweepStep::IsWhite
                | SweepStep::RefDone => of_transaction(),
            },
            // Of the commits, only those of fields are visible.
            Label::Sys(SysStep::Commit(_) | SysStep::Answer) => committed(from, to).into(),
            Label::Round(..)
            | Label::Flip(_)
            | Label::SetFa(_)
            | Label::StorePhase(_)
            | Label::MarkLoop(_)
            | Label::Answer(_)
            | Label::Marking(..) => of_transaction(),
        }
    }

    fn invariants(&self) -> Vec<Invariant<OnTheFly>> {
        invariants::all(&self.implementation)
    }

    fn liveness(&self) -> Vec<Property<OnTheFly>> {
        liveness(&self.implementation)
    }

    fn environment(&self) -> &[Process] {
        &self.mutators
    }

    /// At its top-level choice [Fig. 6].
    fn at_rest(&self, state: &State, process: Process) -> bool {
        self.implementation.is_at_rest(state, number(process))
    }
}

/// The collector sweeps again and again, and what is garbage is freed.
fn liveness(system: &OnTheFly) -> Vec<Property<OnTheFly>> {
    let source = "Gammie et al., section 4, Connection With Reality";
    let sweeps =
        Property::always_eventually("sweeps", source, |s: &State| s.sys.phase == Phase::Sweep);
    let rests =
        Property::always_eventually("idles", source, |s: &State| s.sys.phase == Phase::Idle);
    let freed = |reference| {
        let exists = move |s: &State| s.sys.heap[usize::from(reference)].is_some();
        Property::leads_to(
            format!("freed({reference})"),
            source,
            move |s: &State| exists(s) && !s.program().reachable().contains(reference),
            move |s: &State| !exists(s),
        )
    };
    let mut properties = vec![sweeps, rests];
    properties.extend((0..system.scope.refs).map(freed));
    properties
}

/// The mutator that takes a step, if it is no step of the collector.
fn mutator_of(action: &Act) -> Option<u8> {
    (action.process != Process::new("gc")).then(|| number(action.process))
}

/// The abstract action of fused steps of a mutator or of the collector, by the state change.
fn by_difference(mutator: Option<u8>, from: &State, to: &State) -> Option<Action> {
    let Some(mutator) = mutator else {
        let mut places = (0..).zip(from.sys.heap.iter().zip(&to.sys.heap));
        let freed = places.find(|(_, (before, after))| before.is_some() && after.is_none());
        return freed.map(|(reference, _)| Action::Free { reference });
    };
    if from.sys.heap == to.sys.heap
        && from.sys.buffers == to.sys.buffers
        && from.mutator(mutator).roots == to.mutator(mutator).roots
    {
        return None;
    }
    let (from, to) = (from.program(), to.program());
    from.stored(&to, mutator)
        .map(|store| Action::Store { mutator, store })
        .or_else(|| from.loaded(&to, mutator))
}

/// The field store that is pending before and no longer after.
fn committed(from: &State, to: &State) -> Option<Action> {
    from.numbers().find_map(|mutator| {
        let pending = |state: &State| -> Pending {
            let stores = state.sys.pending_stores(Who::Mutator(mutator)).iter();
            stores.filter_map(FieldStore::of).collect()
        };
        let (before, after) = (pending(from), pending(to));
        let gone = (0..before.len()).find(|place| before.get(*place) != after.get(*place))?;
        Some(Action::Commit {
            mutator,
            store: before[gone],
        })
    })
}
