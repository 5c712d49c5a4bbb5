//! Every bit of a hash counts, whatever the set.

use super::candidate::Candidate;
use super::exact::ExactSet;
use super::insert::add_to_compact_set;
use super::partition::Partition;
use super::visited::{InsertSink, Lookup, Visited};
use crate::walk::explore::graph::NodeId;
use crate::walk::explore::segments::SegmentedVec;

/// A sink that drops what is added to a set.
struct Untold;

impl InsertSink for Untold {
    fn added(&mut self, _: usize, _: usize) {}

    fn numbered(&mut self, _: Option<NodeId>) {}
}

/// Hashes that differ in one bit are two, whichever bit it is: none of those that a set asks for is left out.
fn tells_marks_apart<K: Clone + From<u8>>(new: impl Fn() -> Box<dyn AnySet<K>>) {
    let mut set = new();
    let bits = set.bits();
    for hash in [
        0,
        u64::MAX >> (64 - bits),
        0x0123_4567_89AB_CDEF & u64::MAX >> (64 - bits),
    ] {
        set = new();
        assert!(set.add(hash), "{hash:#x}");
        for bit in 0..bits {
            let other = hash ^ 1 << bit;
            assert!(!set.has(other), "bit {bit} of {hash:#x}");
            assert!(set.add(other), "bit {bit} of {hash:#x}");
            assert!(set.has(other) && set.has(hash));
        }
    }
}

/// A set, whatever it is of.
trait AnySet<K> {
    fn bits(&self) -> u32;
    fn has(&self, hash: u64) -> bool;
    fn add(&mut self, hash: u64) -> bool;
}

impl<K: From<u8>, V: Visited<K>> AnySet<K> for (V, SegmentedVec<K>) {
    fn bits(&self) -> u32 {
        self.0.hash_bits()
    }

    fn has(&self, hash: u64) -> bool {
        self.0.find(&self.1, hash, &K::from(0)) != Lookup::Absent
    }

    fn add(&mut self, hash: u64) -> bool {
        let before = self.1.len();
        let key = K::from(0);
        let wave = vec![vec![Candidate { key, hash }]];
        let fits = self
            .0
            .add_all(&mut self.1, wave, &[], usize::MAX, &mut Untold);
        assert!(fits);
        self.1.len() > before
    }
}

/// A word as it is packed.
#[derive(Clone)]
struct OneWord([u64; 1]);

impl From<u8> for OneWord {
    fn from(word: u8) -> Self {
        Self([word.into()])
    }
}

/// The set of words, by their hashes.
struct OfWords(ExactSet);

impl Visited<OneWord> for OfWords {
    fn is_same(&self, one: &OneWord, other: &OneWord) -> bool {
        one.0 == other.0
    }

    fn hash(&self, key: &OneWord) -> u64 {
        self.0.hash(&key.0)
    }

    fn hash_bits(&self) -> u32 {
        self.0.hash_bits()
    }

    fn prefetch(&self, hash: u64) {
        self.0.prefetch(hash);
    }

    fn find(&self, _: &SegmentedVec<OneWord>, hash: u64, key: &OneWord) -> Lookup {
        self.0.find(&SegmentedVec::new(), hash, &key.0)
    }

    fn add_all(
        &mut self,
        log: &mut SegmentedVec<OneWord>,
        wave: Vec<Vec<Candidate<OneWord>>>,
        sorted: &[&Partition],
        room: usize,
        met: &mut impl InsertSink,
    ) -> bool {
        add_to_compact_set(&mut self.0.set, log, wave, sorted, room, met)
    }

    fn is_starved(&self) -> bool {
        self.0.is_starved()
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

#[test]
fn every_bit_of_a_packed_word_counts() {
    for bits in 1..=64 {
        tells_marks_apart::<OneWord>(|| {
            Box::new((OfWords(ExactSet::new(bits)), SegmentedVec::new()))
        });
    }
}
