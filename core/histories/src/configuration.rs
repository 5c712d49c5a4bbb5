//! Configuration of a search: a state of the specification, and the set of events taken.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use hashbrown::HashTable;

use super::observed::{Action, Observed, State};

/// Progress of a thread ahead of its responses: the number of events taken that have not ended, and the delayed
/// events taken that have not taken effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ahead {
    pub lane: u32,
    pub taken: u32,
    pub pending: u32,
}

/// Configuration: a state of the specification, and the set of events taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Configuration<S> {
    pub state: S,
    /// Threads that are ahead, sorted, so that equal configurations are represented equally. Usually there is none,
    /// and nothing is allocated.
    ahead: Vec<Ahead>,
}

impl<S> Configuration<S> {
    pub fn new(state: S) -> Self {
        let ahead = Vec::new();
        Self { state, ahead }
    }

    pub fn ahead(&self, lane: u32) -> Ahead {
        let found = self.ahead.iter().find(|ahead| ahead.lane == lane);
        found.copied().unwrap_or(Ahead {
            lane,
            taken: 0,
            pending: 0,
        })
    }

    pub fn set(&mut self, ahead: Ahead) {
        let nothing = ahead.taken == 0 && ahead.pending == 0;
        match self
            .ahead
            .binary_search_by_key(&ahead.lane, |ahead| ahead.lane)
        {
            Ok(at) if nothing => drop(self.ahead.remove(at)),
            Ok(at) => self.ahead[at] = ahead,
            Err(_) if nothing => (),
            Err(at) => self.ahead.insert(at, ahead),
        }
    }

    /// Replaces the state.
    pub fn with_state<T>(&self, state: T) -> Configuration<T> {
        let ahead = self.ahead.clone();
        Configuration { state, ahead }
    }

    /// Threads that are ahead.
    pub fn all_ahead(&self) -> &[Ahead] {
        &self.ahead
    }
}

/// Path to a configuration: the latest recorded step.
pub(super) type Trail<A, S> = Option<Arc<Link<A, S>>>;

/// Path of a search to a configuration.
pub(super) type Way<O> = Trail<Action<O>, State<O>>;

/// Configurations of a search, each with a path to it.
pub(super) type Frontier<O> = Vec<(Configuration<State<O>>, Way<O>)>;

/// Recorded step on the path to a configuration.
#[derive(Debug)]
pub(super) struct Link<A, S> {
    pub before: Trail<A, S>,
    /// Number of steps up to and including this one.
    pub length: usize,
    pub step: Taken<A>,
    /// Target state.
    pub state: S,
}

/// Iterative drop: the path is as long as the search is deep, which would overflow the stack.
impl<A, S> Drop for Link<A, S> {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut link) = next.and_then(Arc::into_inner) {
            next = link.before.take();
        }
    }
}

/// Step of the path.
#[derive(Clone, Debug)]
pub(super) struct Taken<A> {
    pub kind: Kind,
    /// Number of the event in the history; `None` for an internal step.
    pub event: Option<u64>,
    /// Action of the specification; `None` if the state does not change.
    pub action: Option<A>,
}

/// Step with its target.
pub(super) struct Fresh<O: Observed> {
    pub step: Taken<Action<O>>,
    pub to: Configuration<State<O>>,
}

/// Kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// No step: the start of the recorded path.
    Start,
    /// An event takes effect, or takes place without an effect.
    Event,
    /// A delayed event takes place; its effect is still to come.
    Issue,
    /// A delayed event takes effect.
    Effect,
    /// The specification takes an internal step.
    Internal,
}

/// Set of configurations, in insertion order.
///
/// PERF: usually there are few. Up to [`FEW`] are compared linearly, and only larger sets are hashed: the history
/// of one thread is decided without hashing a state.
#[derive(Debug)]
pub(super) struct Set<S, A> {
    pub entries: Vec<(Configuration<S>, Trail<A, S>)>,
    places: HashTable<usize>,
    hasher: foldhash::fast::FixedState,
}

/// Greatest number of elements for linear comparison.
const FEW: usize = 4;

impl<S: Eq + Hash, A> Set<S, A> {
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            places: HashTable::new(),
            hasher: foldhash::fast::FixedState::default(),
        }
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.places.clear();
    }

    /// Index of a configuration.
    pub fn find(&self, configuration: &Configuration<S>) -> Option<usize> {
        let is_same = |(other, _): &(Configuration<S>, _)| other == configuration;
        if self.places.is_empty() {
            return self.entries.iter().position(is_same);
        }
        let hash = self.hasher.hash_one(configuration);
        let is_same = |place: &usize| is_same(&self.entries[*place]);
        self.places.find(hash, is_same).copied()
    }

    /// Inserts a configuration; returns whether it is new.
    pub fn insert(&mut self, configuration: Configuration<S>, trail: Trail<A, S>) -> bool {
        let Self {
            entries,
            places,
            hasher,
        } = self;
        let known = entries.len();
        if known < FEW {
            if entries.iter().any(|(other, _)| *other == configuration) {
                return false;
            }
            entries.push((configuration, trail));
            return true;
        }
        let hash = |configuration: &Configuration<S>| hasher.hash_one(configuration);
        if places.is_empty() {
            for (place, (other, _)) in entries.iter().enumerate() {
                places.insert_unique(hash(other), place, |place| hash(&entries[*place].0));
            }
        }
        let hashed = hash(&configuration);
        let same = |place: &usize| entries[*place].0 == configuration;
        if places.find(hashed, same).is_some() {
            return false;
        }
        places.insert_unique(hashed, known, |place| hash(&entries[*place].0));
        entries.push((configuration, trail));
        true
    }
}
