//! How far a search has come: a state of the specification, and which of the events in the window
//! have been taken on the way to it.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use hashbrown::HashTable;

/// How far ahead of its responses a thread is: the events taken of those that have not ended, and the
/// delayed events taken that have not taken effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ahead {
    pub lane: u32,
    pub taken: u32,
    pub pending: u32,
}

/// A state of the specification, and which events have been taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Configuration<S> {
    pub state: S,
    /// Of the threads of which something is to be said, sorted, so that equal configurations are
    /// equal. Mostly there is none, and nothing is allocated.
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

    /// What is ahead, with another state.
    pub fn with_state<T>(&self, state: T) -> Configuration<T> {
        let ahead = self.ahead.clone();
        Configuration { state, ahead }
    }

    /// All that is ahead.
    pub fn all_ahead(&self) -> &[Ahead] {
        &self.ahead
    }
}

/// How a configuration was reached: the latest of the steps that are remembered.
pub(super) type Trail<A, S> = Option<Arc<Link<A, S>>>;

/// A step on the way to a configuration.
#[derive(Debug)]
pub(super) struct Link<A, S> {
    pub before: Trail<A, S>,
    /// How many steps there are, this one included.
    pub length: usize,
    pub step: Taken<A>,
    /// The state reached.
    pub state: S,
}

/// One after the other: a chain is as long as a search is deep, and deeper than any stack.
impl<A, S> Drop for Link<A, S> {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut link) = next.and_then(Arc::into_inner) {
            next = link.before.take();
        }
    }
}

/// What was taken.
#[derive(Clone, Debug)]
pub(super) struct Taken<A> {
    pub kind: Kind,
    /// The event, by its number in the history; none if the step is internal.
    pub event: Option<u64>,
    /// The action of the specification, unless nothing changed.
    pub action: Option<A>,
}

/// What kind of step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// No step: here the memory of steps begins.
    Start,
    /// An event takes effect, or takes place without one.
    Event,
    /// A delayed event takes place; its effect is still to come.
    Issue,
    /// A delayed event takes effect.
    Effect,
    /// The specification moves by itself.
    Internal,
}

/// Configurations, each once, in the order in which they were found.
///
/// PERF: mostly there is one, or a handful. Those are compared, and only more are hashed: a history of
/// one thread is decided without hashing a state.
#[derive(Debug)]
pub(super) struct Set<S, A> {
    pub entries: Vec<(Configuration<S>, Trail<A, S>)>,
    places: HashTable<usize>,
    hasher: foldhash::fast::FixedState,
}

/// As many are compared one by one.
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

    /// Where it is.
    pub fn find(&self, configuration: &Configuration<S>) -> Option<usize> {
        let is_same = |(other, _): &(Configuration<S>, _)| other == configuration;
        if self.places.is_empty() {
            return self.entries.iter().position(is_same);
        }
        let hash = self.hasher.hash_one(configuration);
        let is_same = |place: &usize| is_same(&self.entries[*place]);
        self.places.find(hash, is_same).copied()
    }

    /// Puts it in, and says whether it was new.
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
