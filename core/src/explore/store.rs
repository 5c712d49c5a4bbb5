//! The states reached, each once, and how each was first reached.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::StateId;

const BLOCK_BITS: u32 = 16;
const BLOCK: usize = 1 << BLOCK_BITS;

/// The distinct states in the order of their numbers, with an index over them.
pub(super) struct Store<T> {
    /// Blocks of equal size, so that growing moves no state.
    blocks: Vec<Vec<T>>,
    index: HashTable<Entry>,
    hasher: FixedState,
}

/// Where a state is, and enough of its hash to find a new place for it when the index grows.
struct Entry {
    hash: u32,
    id: u32,
}

/// Spreads the 32 bits that are kept of a hash over the 64 that the index wants.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<T: Eq + Hash> Store<T> {
    pub(super) fn new() -> Self {
        Self {
            blocks: vec![Vec::new()],
            index: HashTable::new(),
            hasher: FixedState::default(),
        }
    }

    pub(super) fn hash(&self, state: &T) -> u32 {
        let hash = self.hasher.hash_one(state);
        (hash ^ (hash >> 32)) as u32
    }

    /// The number of `state`, whose hash is `hash`, if it is there.
    pub(super) fn find(&self, hash: u32, state: &T) -> Option<StateId> {
        self.index
            .find(spread(hash), |entry| {
                entry.hash == hash && self.get(StateId(entry.id)) == state
            })
            .map(|entry| StateId(entry.id))
    }

    /// Adds a state that is not there.
    pub(super) fn push(&mut self, hash: u32, state: T) -> StateId {
        let id = self.len() as u32;
        if self.blocks[self.blocks.len() - 1].len() == BLOCK {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        let last = self.blocks.len() - 1;
        self.blocks[last].push(state);
        self.index
            .insert_unique(spread(hash), Entry { hash, id }, |entry| spread(entry.hash));
        StateId(id)
    }
}

impl<T> Store<T> {
    pub(super) fn len(&self) -> usize {
        (self.blocks.len() - 1) * BLOCK + self.blocks[self.blocks.len() - 1].len()
    }

    pub(super) fn get(&self, id: StateId) -> &T {
        &self.blocks[(id.0 >> BLOCK_BITS) as usize][id.0 as usize & (BLOCK - 1)]
    }

    /// An estimate of the bytes held, for systems that do not say.
    pub(super) fn bytes(&self) -> u64 {
        let states = self.blocks.iter().map(Vec::capacity).sum::<usize>() * size_of::<T>();
        (states + self.index.allocation_size()) as u64
    }
}

/// The state from which each state was first reached.
pub(super) struct Parents(Vec<u32>);

/// Marks an initial state.
const NONE: u32 = u32::MAX;

impl Parents {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn push(&mut self, parent: Option<StateId>) {
        self.0.push(parent.map_or(NONE, |id| id.0));
    }

    pub(super) fn of(&self, id: StateId) -> Option<StateId> {
        let parent = self.0[id.0 as usize];
        (parent != NONE).then_some(StateId(parent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two states with one hash stay two states: the hash only says where to look.
    #[test]
    fn equal_hashes_do_not_merge_states() {
        let mut store = Store::new();
        let first = store.push(7, "one");
        let second = store.push(7, "two");
        assert_eq!(store.find(7, &"one"), Some(first));
        assert_eq!(store.find(7, &"two"), Some(second));
        assert_eq!(store.find(7, &"three"), None);
    }

    #[test]
    fn states_keep_their_numbers_across_blocks() {
        let mut store = Store::new();
        for n in 0..3 * BLOCK as u64 + 5 {
            let id = store.push(store.hash(&n), n);
            assert_eq!(u64::from(id.0), n);
        }
        for n in 0..3 * BLOCK as u64 + 5 {
            assert_eq!(store.find(store.hash(&n), &n), Some(StateId(n as u32)));
        }
        assert_eq!(store.len(), 3 * BLOCK + 5);
    }
}
