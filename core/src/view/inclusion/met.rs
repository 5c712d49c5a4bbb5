//! States of a system that are met, and their steps: the system is asked for those of a state once, however many pairs the state has, and
//! whatever is searched for.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::edge::StepLabel;
use super::explicit::LabelledStep;
use super::observations::Observations;
use crate::statement::asked::calls::Of;
use crate::statement::asked::model_call::named;
use crate::statement::asked::visit::{visit_initial, visit_steps};
use crate::statement::erased::{ErasedAction, ErasedState, ErasedSystem};
use crate::statement::system::TransitionSystem;
use crate::view::consistency::SystemName;

/// State of a system.
#[derive(Clone, Debug)]
pub(super) struct MetState {
    state: ErasedState,
    hash: u64,
    /// Label of what is observed of it; invisible where steps have labels of their own.
    pub shows: StepLabel,
}

impl Deref for MetState {
    type Target = ErasedState;

    fn deref(&self) -> &ErasedState {
        &self.state
    }
}

impl PartialEq for MetState {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.state == other.state
    }
}

impl Eq for MetState {}

impl Hash for MetState {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash);
    }
}

/// Step of a state.
pub(super) struct ShownTarget {
    pub label: StepLabel,
    pub to: Arc<MetState>,
}

/// Steps of a state, in the order in which the system visits them.
pub(super) type ShownTargets = Arc<[ShownTarget]>;

/// State that was expanded, and where its steps led.
pub(super) struct SampledState {
    pub state: Arc<MetState>,
    pub targets: Vec<Arc<MetState>>,
}

/// Labels of the steps of a system.
pub(super) enum Labelling {
    /// Those that they have.
    Own,
    /// Observations that they change. Workers number them as they turn up.
    Changes(Arc<Observations>),
}

/// Parts of the table, each with a lock of its own.
const SHARDS: usize = 64;

/// State of the table, with its steps if they were asked for.
struct MetEntry {
    state: Arc<MetState>,
    steps: Option<ShownTargets>,
}

/// States of a system that were met.
pub(super) struct MetStates<'a> {
    pub system: ErasedSystem<'a>,
    pub labelling: Labelling,
    hasher: FixedState,
    /// None if no state is to stay in memory: then the system is asked each time.
    shards: Option<Vec<Mutex<HashTable<MetEntry>>>>,
}

impl<'a> MetStates<'a> {
    /// No state yet, of a system; those that are met are kept, if so.
    pub fn new(system: ErasedSystem<'a>, labelling: Labelling, keeps: bool) -> Self {
        let shards = || (0..SHARDS).map(|_| Mutex::default()).collect();
        Self {
            system,
            labelling,
            hasher: FixedState::default(),
            shards: keeps.then(shards),
        }
    }

    /// A state that is met.
    pub fn meet(&self, state: ErasedState) -> Arc<MetState> {
        let hash = self.hasher.hash_one(&state);
        let new = |state: ErasedState| {
            let shows = match &self.labelling {
                Labelling::Own => StepLabel::INVISIBLE,
                Labelling::Changes(observations) => {
                    let name = self.name().observe;
                    let observation = named(name, || self.system.observe(&state));
                    observations.label(observation)
                }
            };
            Arc::new(MetState { state, hash, shows })
        };
        let Some(shards) = &self.shards else {
            return new(state);
        };
        let shard = shard(shards, hash);
        let known = shard.find(hash, |known| known.state.state == state);
        let known = known.map(|known| Arc::clone(&known.state));
        // Not with the lock: what is observed is asked of the model.
        drop(shard);
        known.unwrap_or_else(|| entry(shards, new(state), |known| Arc::clone(&known.state)))
    }

    /// Steps of a state.
    pub fn steps(&self, from: &Arc<MetState>) -> ShownTargets {
        let Some(shards) = &self.shards else {
            return self.ask(from);
        };
        let shard = shard(shards, from.hash);
        let known = shard.find(from.hash, |known| known.state == *from);
        let known = known.and_then(|known| known.steps.clone());
        drop(shard);
        known.unwrap_or_else(|| {
            let steps = self.ask(from);
            entry(shards, Arc::clone(from), |known| {
                Arc::clone(known.steps.get_or_insert(steps))
            })
        })
    }

    /// Visits the initial states.
    pub fn visit_initial(&self, visit: &mut impl FnMut(Arc<MetState>)) {
        let mut meet = |state| visit(self.meet(state));
        named(self.name().initial, || {
            visit_initial(&self.system, &mut meet)
        });
    }

    /// Names of the functions of the system.
    pub fn name(&self) -> SystemName {
        match self.system.1 {
            Of::Specification => SystemName::SPECIFICATION,
            Of::Implementation | Of::Model => SystemName::IMPLEMENTATION,
        }
    }

    fn ask(&self, from: &MetState) -> ShownTargets {
        let mut steps = Vec::new();
        let mut meet = |action: ErasedAction, to: &ErasedState| {
            let to = self.meet(to.clone());
            let label = match self.labelling {
                Labelling::Own => action.get::<LabelledStep>().label,
                Labelling::Changes(_) if to.shows == from.shows => StepLabel::INVISIBLE,
                Labelling::Changes(_) => to.shows,
            };
            steps.push(ShownTarget { label, to });
        };
        // A set is found while the other system's steps are taken, whose functions have the same names.
        named(self.name().next, || {
            visit_steps(&self.system, from, &mut meet)
        });
        Arc::from(steps)
    }
}

fn shard(shards: &[Mutex<HashTable<MetEntry>>], hash: u64) -> MutexGuard<'_, HashTable<MetEntry>> {
    // The table itself goes by the lower bits, and by the upper seven.
    let shard = &shards[(hash >> 32) as usize % SHARDS];
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks at the entry of a state, which is added if there is none.
fn entry<T>(
    shards: &[Mutex<HashTable<MetEntry>>],
    state: Arc<MetState>,
    look: impl FnOnce(&mut MetEntry) -> T,
) -> T {
    let mut shard = shard(shards, state.hash);
    let is_it = |known: &MetEntry| known.state == state;
    let entry = match shard.entry(state.hash, is_it, |known| known.state.hash) {
        Entry::Occupied(known) => known,
        Entry::Vacant(vacant) => {
            let steps = None;
            vacant.insert(MetEntry { state, steps })
        }
    };
    look(entry.into_mut())
}
