//! Pairs whose steps need not be taken: another one has the same state of the implementation, after a trace that is no longer, and fewer
//! abstract states.
//!
//! Those that are known at a level depend on the levels before alone, so that workers note pairs in any order.

use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::met::MetState;
use super::pairs::{Pairs, TracePair};
use super::sets::SetId;

/// Parts of the table, each with a lock of its own.
const SHARDS: usize = 64;

/// Pair that was met.
struct KnownPair {
    state: Arc<MetState>,
    set: SetId,
    /// Number of changes of what is observed until it is met.
    level: u32,
}

/// Pairs that were met, by their states of the implementation.
pub(super) struct MinimalPairs {
    shards: Vec<Mutex<HashTable<KnownPair>>>,
    hasher: FixedState,
    /// Number of states of the implementation.
    states: AtomicU64,
}

impl MinimalPairs {
    /// No pair yet.
    pub fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: FixedState::default(),
            states: AtomicU64::new(0),
        }
    }

    /// Number of states of the implementation that were met.
    pub fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }

    /// Notes a pair that is met at a level.
    pub fn note(&self, pair: &TracePair, level: u32) {
        let hash = self.hash(pair);
        let mut shard = self.shard(hash);
        let mut of_state = shard.iter_hash(hash).filter(|met| met.state == pair.state);
        let Some(first) = of_state.next() else {
            self.states.fetch_add(1, Ordering::Relaxed);
            self.insert(&mut shard, hash, pair, level);
            return;
        };
        if first.set != pair.set && of_state.all(|met| met.set != pair.set) {
            self.insert(&mut shard, hash, pair, level);
        }
    }

    /// True if another pair that is met before a level has the state of one, and a part of its set.
    pub fn is_needless(&self, pair: &TracePair, before: u32, pairs: &Pairs<'_>) -> bool {
        let hash = self.hash(pair);
        let shard = self.shard(hash);
        let mut of_state = shard.iter_hash(hash);
        of_state.any(|met| {
            met.level < before
                && met.set != pair.set
                && met.state == pair.state
                && pairs.is_less(met.set, pair.set)
        })
    }

    fn insert(&self, shard: &mut HashTable<KnownPair>, hash: u64, pair: &TracePair, level: u32) {
        let met = KnownPair {
            state: Arc::clone(&pair.state),
            set: pair.set,
            level,
        };
        shard.insert_unique(hash, met, |met| self.hash_of(&met.state));
    }

    fn hash(&self, pair: &TracePair) -> u64 {
        self.hash_of(&pair.state)
    }

    fn hash_of(&self, state: &impl Hash) -> u64 {
        self.hasher.hash_one(state)
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, HashTable<KnownPair>> {
        // The table itself goes by the lower bits, and by the upper seven.
        let shard = &self.shards[(hash >> 32) as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
