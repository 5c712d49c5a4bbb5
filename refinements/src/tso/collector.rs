//! The collector against "collect only garbage" over store buffers [section 1.1].

use refmap::process::{Act, Granularity};
use refmap::{Invariant, Process, Refinement};
use refmap_systems::heap::mutator;
use refmap_systems::tso::specification::{
    Action, CollectOnlyGarbage, FieldStore, Pending, Program,
};
use refmap_systems::tso::{OnTheFly, State, Who};

use super::invariants;

/// What is decided at coarse granularity: all but the environment.
pub const AT_COARSE: [&str; 7] = [
    "observation",
    "initiality",
    "simulation",
    "agency",
    "invariant",
    "deadlock",
    "coverage",
];

/// The collector as a refinement of its purpose.
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

/// The mutator that a process is.
fn number(process: Process) -> u8 {
    process.number.unwrap_or(0) as u8
}

impl Refinement for CollectorRefinement {
    type Concrete = OnTheFly;
    type Abstract = CollectOnlyGarbage;

    fn implementation(&self) -> &OnTheFly {
        &self.implementation
    }

    fn specification(&self) -> &CollectOnlyGarbage {
        &self.specification
    }

    /// What programs can see.
    fn map(&self, state: &State) -> Program {
        state.program()
    }

    /// The operations of Fig. 6 answer with the step that completes them, a commit of a field and a
    /// freeing with themselves; what is done for the collector's sake answers nothing.
    fn answer(&self, from: &State, action: &Act, to: &State) -> Option<Action> {
        let mutator = number(action.process);
        let local = || from.mutator(mutator);
        match action.label.as_str() {
            "alloc" => {
                let mut places = (0..).zip(from.sys.heap.iter().zip(&to.sys.heap));
                let fresh = places.find(|(_, (before, after))| before.is_none() && after.is_some());
                // An allocation may find no room, and then does nothing.
                fresh.map(|(reference, _)| Action::Alloc { mutator, reference })
            }
            "discard" => Some(Action::Discard {
                mutator,
                kept: to.mutator(mutator).roots,
            }),
            "load" => Some(Action::Load {
                mutator,
                src: local().src,
                field: local().field,
            }),
            "store: src.field ← dst" => Some(Action::Store {
                mutator,
                store: FieldStore {
                    src: local().src,
                    field: local().field,
                    dst: local().dst,
                },
            }),
            "sweep: free" => Some(Action::Free {
                reference: from.gc.src,
            }),
            // Of the commits, those of a mutator's fields.
            _ if action.process == Process::new("sys") => committed(from, to),
            _ => None,
        }
    }

    fn invariants(&self) -> Vec<Invariant<OnTheFly>> {
        invariants::all(&self.implementation)
    }

    fn environment(&self) -> &[Process] {
        &self.mutators
    }

    /// At its top-level choice [Fig. 6].
    /// Quiet steps are run together for the sake of the other obligations.
    fn environment_undecidable(&self) -> Option<&'static str> {
        match self.implementation.scope.granularity {
            Granularity::Fine => None,
            Granularity::Coarse => Some(
                "steps are run together, and that this keeps every choice of the mutators open is not \
                 shown; it is decided at fine granularity",
            ),
        }
    }

    fn at_rest(&self, state: &State, process: Process) -> bool {
        self.implementation.is_at_rest(state, number(process))
    }
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
