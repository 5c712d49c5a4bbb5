//! An index over the log: where a hash says to look, the numbers of the entries that have it.
//!
//! A cache line holds the numbers of twelve entries and a byte of the hash of each; an entry is
//! compared in full where its byte agrees, so the index is exact whatever the hash is worth. Lines
//! are probed linearly. Shards grow each on its own: what was forgotten for it is hashed again from
//! the log, so no shard is ever there twice.

use super::prefetch::prefetch;
use crate::walk::explore::memory::room_for;

const SHARD_BITS: u32 = 6;
/// Filled of a hundred slots before a shard grows.
const LOAD_PERCENT: usize = 90;
/// Entries of one line.
const SLOTS: usize = 12;
const EMPTY: u32 = u32::MAX;
/// Entries that are hashed again at a time. PERF: enough to overlap the misses of the log.
const BATCH: usize = 32;

/// Numbers of entries by the hashes of these. What is compared and hashed is the caller's to say.
pub(super) struct Index {
    shards: Vec<IndexShard>,
}

struct IndexShard {
    lines: Vec<IndexLine>,
    len: usize,
    /// True if there was no memory to grow.
    starved: bool,
}

/// PERF: one line of the cache, so that a search that finds nothing reads nothing else.
#[derive(Clone)]
#[repr(align(64))]
struct IndexLine {
    ids: [u32; SLOTS],
    /// The tag of each; the last ones are of no entry.
    tags: [u8; TAGS],
}

const TAGS: usize = 16;

const NO_LINE: IndexLine = IndexLine {
    ids: [EMPTY; SLOTS],
    tags: [0; TAGS],
};

impl IndexLine {
    /// The slots whose tag is this one, a byte each of which the highest bit is set; perhaps some more.
    ///
    /// PERF: all are compared at once, which takes a tenth of the instructions that one after the other takes.
    #[inline(always)]
    fn matches(&self, tag: u8) -> u128 {
        const LOW: u128 = u128::from_le_bytes([1; TAGS]);
        let differences = u128::from_le_bytes(self.tags) ^ (LOW * u128::from(tag));
        // A byte that is 0 borrows.
        differences.wrapping_sub(LOW) & !differences & LOW << 7
    }
}

/// The byte that is kept of a hash.
#[inline(always)]
fn tag(hash: u64) -> u8 {
    hash as u8
}

impl Index {
    pub fn new() -> Self {
        let shard = || IndexShard {
            lines: vec![NO_LINE],
            len: 0,
            starved: false,
        };
        Self {
            shards: (0..1 << SHARD_BITS).map(|_| shard()).collect(),
        }
    }

    #[inline(always)]
    fn shard(&self, hash: u64) -> &IndexShard {
        &self.shards[(hash >> (64 - SHARD_BITS)) as usize]
    }

    /// Asks for the memory at which an entry of this hash would be.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        let shard = self.shard(hash);
        prefetch(&shard.lines[shard.home(hash)]);
    }

    /// The entry of this hash that `is_it` recognises.
    #[inline(always)]
    pub fn find(&self, hash: u64, is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        self.shard(hash).find(hash, is_it)
    }

    /// True if there is room for an entry of this hash. There always is while there is memory.
    #[inline(always)]
    pub fn has_room(&self, hash: u64) -> bool {
        let shard = self.shard(hash);
        // One slot stays free, where a search ends that finds nothing.
        !shard.starved || shard.len + 1 < shard.lines.len() * SLOTS
    }

    /// True if there was no memory to grow.
    pub fn is_starved(&self) -> bool {
        self.shards.iter().any(|shard| shard.starved)
    }

    /// Adds an entry that is not there, and for which there is room; `hash_of` hashes those that are.
    pub fn insert(&mut self, hash: u64, id: u32, hash_of: impl Fn(u32) -> u64) {
        let shard = &mut self.shards[(hash >> (64 - SHARD_BITS)) as usize];
        shard.put(hash, id);
        if shard.len * 100 >= shard.lines.len() * SLOTS * LOAD_PERCENT && !shard.starved {
            shard.grow(hash_of);
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let lines: usize = self.shards.iter().map(|shard| shard.lines.capacity()).sum();
        (lines * size_of::<IndexLine>()) as u64
    }
}

impl IndexShard {
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        let rest = hash << SHARD_BITS;
        ((u128::from(rest) * self.lines.len() as u128) >> 64) as usize
    }

    #[inline(always)]
    fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut at = self.home(hash);
        loop {
            let line = &self.lines[at];
            let mut matches = line.matches(tag(hash));
            while matches != 0 {
                let slot = matches.trailing_zeros() as usize / 8;
                match line.ids.get(slot) {
                    Some(id) if *id != EMPTY && is_it(*id) => return Some(*id),
                    _ => matches &= matches - 1,
                }
            }
            if line.ids[SLOTS - 1] == EMPTY {
                return None;
            }
            // Some line has room, since the shard grows before it is full.
            at = if at + 1 == self.lines.len() {
                0
            } else {
                at + 1
            };
        }
    }

    fn put(&mut self, hash: u64, id: u32) {
        let mut at = self.home(hash);
        loop {
            let line = &mut self.lines[at];
            if let Some(slot) = line.ids.iter().position(|id| *id == EMPTY) {
                line.ids[slot] = id;
                line.tags[slot] = tag(hash);
                self.len += 1;
                return;
            }
            at = if at + 1 == self.lines.len() {
                0
            } else {
                at + 1
            };
        }
    }

    #[cold]
    fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        let count = self.lines.len() * 3 / 2 + 1;
        let (Some(mut ids), Some(lines)) = (room_for(self.len), room_for(count)) else {
            self.starved = true;
            return;
        };
        let entries = self.lines.iter();
        ids.extend(entries.flat_map(|line| line.ids.into_iter().take_while(|id| *id != EMPTY)));
        // Freed before the larger table is touched.
        self.lines = lines;
        self.lines.resize(count, NO_LINE);
        self.len = 0;
        for batch in ids.chunks(BATCH) {
            let mut hashes = [0; BATCH];
            for (hash, id) in hashes.iter_mut().zip(batch) {
                *hash = hash_of(*id);
                prefetch(&self.lines[self.home(*hash)]);
            }
            for (hash, id) in hashes.into_iter().zip(batch) {
                self.put(hash, *id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::walk::random::Generator;

    /// Entries with hashes as good or as bad as `hash` makes them, compared with a hash map.
    fn compare(hash: impl Fn(u64) -> u64) {
        let mut generator = Generator::new(7);
        let mut index = Index::new();
        let mut entries: Vec<u64> = Vec::new();
        let mut plain = HashMap::new();
        for _ in 0..20_000 {
            let entry = generator.below(15_000) as u64;
            let found = index.find(hash(entry), |id| entries[id as usize] == entry);
            assert_eq!(found, plain.get(&entry).copied());
            if found.is_none() {
                let id = entries.len() as u32;
                entries.push(entry);
                plain.insert(entry, id);
                index.insert(hash(entry), id, |id| hash(entries[id as usize]));
            }
        }
        for (entry, id) in plain {
            let found = index.find(hash(entry), |id| entries[id as usize] == entry);
            assert_eq!(found, Some(id));
        }
    }

    #[test]
    fn it_finds_what_a_hash_map_finds() {
        compare(|entry| entry.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }

    /// Bad hashes make it slow and nothing else: few homes, few tags.
    #[test]
    fn bad_hashes_lose_nothing() {
        compare(|entry| entry << 50);
        compare(|entry| entry % 3);
        // All are at home in the last line, behind which comes the first.
        compare(|entry| u64::MAX - entry % 2000);
    }

    #[test]
    fn a_line_fills_a_cache_line() {
        assert_eq!(size_of::<IndexLine>(), 64);
        assert_eq!(align_of::<IndexLine>(), 64);
    }
}
