//! The set of states that are kept as they are, or in several words: an index of their numbers over the log.

use std::hash::{Hash, Hasher};
use std::mem::needs_drop;

use foldhash::fast::FixedState;

use super::candidate::Candidate;
use super::hasher::Gather;
use super::index::Index;
use super::insert::AHEAD;
use super::partition::Partition;
use super::visited::{InsertSink, Lookup, Visited};
use crate::statement::asked::calls::calls_back;
use crate::statement::asked::model_call::named;
use crate::walk::explore::graph::NodeId;
use crate::walk::explore::keys::EQ;
use crate::walk::explore::segments::SegmentedVec;

/// Exact, for keys of any size: the log holds the keys, and the index the numbers, at some 7 bytes a
/// state besides, or 15 where hashes are kept.
pub(in crate::walk::explore) struct NumberedSet<H> {
    hasher: H,
    index: Index,
    /// The hash of each entry of the log, where keys own memory. PERF: to hash one again costs several misses of the
    /// cache.
    hashes: SegmentedVec<u64>,
}

/// Hash function of keys.
pub(in crate::walk::explore) trait KeyHasher<K>: Sync {
    fn hash(&self, key: &K) -> u64;
}

/// Keys of any kind are hashed.
#[derive(Default)]
pub(in crate::walk::explore) struct OfAnyKind(FixedState);

impl<K: Hash> KeyHasher<K> for OfAnyKind {
    /// The index goes by the upper bits of a hash, which the hasher mixes least.
    #[inline(always)]
    fn hash(&self, key: &K) -> u64 {
        let mut gather = Gather::new(&self.0);
        named("`hash` of a state", || key.hash(&mut gather));
        gather.finish().wrapping_mul(GOLDEN)
    }
}

/// Keys of a few words are hashed. PERF: a hasher would be told how many they are, and copy them.
pub(in crate::walk::explore) struct OfWords;

impl<const N: usize> KeyHasher<[u64; N]> for OfWords {
    #[inline(always)]
    fn hash(&self, key: &[u64; N]) -> u64 {
        let fold = |hash: u64, word: &u64| {
            let product = u128::from(hash ^ word) * u128::from(FACTOR);
            product as u64 ^ (product >> u64::BITS) as u64
        };
        key.iter().fold(FACTOR, fold).wrapping_mul(GOLDEN)
    }
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
const FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;

impl<H> NumberedSet<H> {
    pub fn new(hasher: H) -> Self {
        Self {
            hasher,
            index: Index::new(),
            hashes: SegmentedVec::new(),
        }
    }
}

impl<K: Eq + Send + Sync, H: KeyHasher<K>> Visited<K> for NumberedSet<H> {
    /// The last number means none.
    fn most(&self) -> u64 {
        u32::MAX.into()
    }

    #[inline(always)]
    fn hash(&self, key: &K) -> u64 {
        self.hasher.hash(key)
    }

    #[inline(always)]
    fn prefetch(&self, hash: u64) {
        self.index.prefetch(hash);
    }

    #[inline(always)]
    fn find(&self, log: &SegmentedVec<K>, hash: u64, key: &K) -> Lookup {
        let is_it = |id: u32| named(EQ, || log.get(id as usize) == key);
        match self.index.find(hash, is_it) {
            Some(id) => Lookup::Present(Some(NodeId(id))),
            None => Lookup::Absent,
        }
    }

    fn add_all(
        &mut self,
        log: &mut SegmentedVec<K>,
        wave: Vec<Vec<Candidate<K>>>,
        _sorted: &[&Partition],
        room: usize,
        met: &mut impl InsertSink,
    ) -> bool {
        let mut room_for_all = true;
        for (list, mut candidates) in wave.into_iter().enumerate() {
            // Where the model compares them it goes on.
            calls_back();
            let hashes: Vec<_> = candidates.iter().map(|candidate| candidate.hash).collect();
            for (index, candidate) in candidates.drain(..).enumerate() {
                if let Some(ahead) = hashes.get(index + AHEAD) {
                    self.index.prefetch(*ahead);
                }
                let number = match self.find(log, candidate.hash, &candidate.key) {
                    Lookup::Present(known) => known,
                    Lookup::Absent if log.len() < room && self.index.has_room(candidate.hash) => {
                        let id = log.len() as u32;
                        log.push(candidate.key);
                        if needs_drop::<K>() {
                            self.hashes.push(candidate.hash);
                            let hash_of = |id: u32| *self.hashes.get(id as usize);
                            self.index.insert(candidate.hash, id, hash_of);
                        } else {
                            let hash_of = |id: u32| self.hasher.hash(log.get(id as usize));
                            self.index.insert(candidate.hash, id, hash_of);
                        }
                        met.added(list, 1);
                        Some(NodeId(id))
                    }
                    Lookup::Absent => {
                        room_for_all = false;
                        None
                    }
                };
                met.numbered(number);
            }
        }
        room_for_all
    }

    fn is_starved(&self) -> bool {
        self.index.is_starved()
    }

    fn bytes(&self) -> u64 {
        self.index.bytes() + self.hashes.bytes()
    }
}
