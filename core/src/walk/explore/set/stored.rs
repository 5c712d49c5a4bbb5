//! The set of keys that it keeps itself, without their numbers: what a search needs whose list of states is on disk.

use std::hash::Hash;

use hashbrown::HashTable;

use super::candidate::Candidate;
use super::numbered::KeyHasher;
use super::partition::Partition;
use super::visited::{Drain, InsertSink, Lookup, Visited};
use crate::statement::asked::model_call::named;
use crate::walk::explore::keys::EQ;
use crate::walk::explore::segments::SegmentedVec;

/// The tables are 2 to this power many, so that not all grow at once.
const TABLE_BITS: u32 = 6;

/// Exact, for keys of any kind.
pub(in crate::walk::explore) struct Stored<K, H> {
    hasher: H,
    /// By the first bits of the hash.
    tables: Vec<HashTable<(u64, K)>>,
    /// True if there was no memory to grow.
    starved: bool,
}

impl<K, H> Stored<K, H> {
    pub fn new(hasher: H) -> Self {
        Self {
            hasher,
            tables: (0..1 << TABLE_BITS).map(|_| HashTable::new()).collect(),
            starved: false,
        }
    }

    fn table_of(hash: u64) -> usize {
        (hash >> (u64::BITS - TABLE_BITS)) as usize
    }
}

impl<K, H> Visited<K> for Stored<K, H>
where
    K: Clone + Eq + Hash + Send + Sync,
    H: KeyHasher<K>,
{
    fn hash(&self, key: &K) -> u64 {
        self.hasher.hash(key)
    }

    fn prefetch(&self, _: u64) {}

    fn find(&self, _: &SegmentedVec<K>, hash: u64, key: &K) -> Lookup {
        let is_it = |(_, other): &(u64, K)| named(EQ, || other == key);
        // The table goes by the last bits and the first seven, of which some are those of all in it.
        match self.tables[Self::table_of(hash)].find(hash.rotate_left(TABLE_BITS), is_it) {
            Some(_) => Lookup::Present(None),
            None => Lookup::Absent,
        }
    }

    fn add_all(
        &mut self,
        log: &mut SegmentedVec<K>,
        wave: Vec<Vec<Candidate<K>>>,
        _: &[&Partition],
        room: usize,
        met: &mut impl InsertSink,
    ) -> bool {
        for (list, candidates) in wave.into_iter().enumerate() {
            for candidate in candidates {
                let hash = candidate.hash;
                if self.find(log, hash, &candidate.key) != Lookup::Absent {
                    continue;
                }
                if log.len() >= room {
                    return false;
                }
                let table = &mut self.tables[Self::table_of(hash)];
                let hash_of = |(hash, _): &(u64, K)| hash.rotate_left(TABLE_BITS);
                if table.try_reserve(1, hash_of).is_err() {
                    self.starved = true;
                    return true;
                }
                log.push(candidate.key.clone());
                table.insert_unique(hash.rotate_left(TABLE_BITS), (hash, candidate.key), hash_of);
                met.added(list, 1);
            }
        }
        true
    }

    fn is_starved(&self) -> bool {
        self.starved
    }

    fn bytes(&self) -> u64 {
        let slots: usize = self.tables.iter().map(HashTable::capacity).sum();
        (slots * (size_of::<(u64, K)>() + 1)) as u64
    }
}

impl<K, H> Drain<K> for Stored<K, H>
where
    K: Clone + Eq + Hash + Send + Sync,
    H: KeyHasher<K>,
{
    fn drain<E>(&mut self, mut take: impl FnMut(&[(u64, K)]) -> Result<(), E>) -> Result<(), E> {
        for table in &mut self.tables {
            let mut keys: Vec<_> = std::mem::take(table).into_iter().collect();
            keys.sort_unstable_by_key(|(hash, _)| *hash);
            take(&keys)?;
        }
        Ok(())
    }
}
