//! The set of states that are packed into a word.

use super::candidate::Candidate;
use super::compact::CompactSet;
use super::insert::{add_to_compact_set, sort_for_compact_set};
use super::mixer::BitMixer;
use super::partition::Partition;
use super::visited::{Drain, InsertSink, Lookup, Visited};
use crate::walk::explore::segments::SegmentedVec;

/// Exact, for keys of one word: membership alone, in some 5 to 12 bytes a state.
pub(in crate::walk::explore) struct ExactSet {
    mixer: BitMixer,
    pub(super) set: CompactSet,
}

impl ExactSet {
    /// Empty set for keys of `bits` bits.
    pub fn new(bits: u32) -> Self {
        Self {
            mixer: BitMixer::new(bits),
            set: CompactSet::new(bits),
        }
    }
}

impl Visited<[u64; 1]> for ExactSet {
    /// PERF: the hashes of a wave are sorted, which does more than to ask for their memory ahead.
    fn looks_up_first(&self) -> bool {
        false
    }

    #[inline(always)]
    fn hash(&self, key: &[u64; 1]) -> u64 {
        self.mixer.of(key[0])
    }

    fn hash_bits(&self) -> u32 {
        self.mixer.bits()
    }

    #[inline(always)]
    fn prefetch(&self, hash: u64) {
        self.set.prefetch(hash);
    }

    #[inline(always)]
    fn find(&self, _log: &SegmentedVec<[u64; 1]>, hash: u64, _key: &[u64; 1]) -> Lookup {
        if self.set.contains(hash) {
            Lookup::Present(None)
        } else {
            Lookup::Absent
        }
    }

    fn sort<'c>(
        &self,
        states: usize,
        threads: usize,
        lists: impl Iterator<Item = (u32, &'c [Candidate<[u64; 1]>])> + Clone,
        sorted: &mut Partition,
    ) {
        sort_for_compact_set(&self.set, states, threads, lists, sorted);
    }

    fn add_all(
        &mut self,
        log: &mut SegmentedVec<[u64; 1]>,
        wave: Vec<Vec<Candidate<[u64; 1]>>>,
        sorted: &[&Partition],
        room: usize,
        met: &mut impl InsertSink,
    ) -> bool {
        add_to_compact_set(&mut self.set, log, wave, sorted, room, met)
    }

    fn is_starved(&self) -> bool {
        self.set.is_starved()
    }

    fn bytes(&self) -> u64 {
        self.set.bytes()
    }
}

impl Drain<[u64; 1]> for ExactSet {
    /// PERF: of numbers only the hash is asked for, which stands for the key.
    fn drain<E>(
        &mut self,
        mut take: impl FnMut(&[(u64, [u64; 1])]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.set.drain(|numbers| {
            let keys: Vec<_> = numbers.iter().map(|number| (*number, [*number])).collect();
            take(&keys)
        })
    }
}
