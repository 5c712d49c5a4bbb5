//! The states already reached: three ways to remember them, behind one trait.
//!
//! A wave of the search first asks, with several threads, which targets were there before it, unless the
//! set would rather sort them, and then adds those that were not, each once, in the order in which a
//! sequential search meets them. So a state has the same number for any number of threads, and the
//! set is never read while it is written.

mod compact;
mod fingerprint;
mod hasher;
mod index;
mod insert;
mod mixer;
mod partition;
mod prefetch;
#[cfg(test)]
mod schedules;

use std::hash::{Hash, Hasher};
use std::iter;

use foldhash::fast::FixedState;

use insert::{AHEAD, add_to_compact_set, sort_for_compact_set};
pub(super) use partition::Partition;

pub(crate) use fingerprint::{BITS as FINGERPRINT_BITS, fingerprint, omission_probability};

use super::StateId;
use super::memory::room_for;
use super::segments::SegmentedVec;
use compact::CompactSet;
use hasher::Gather;
use index::Index;
use mixer::BitMixer;
pub(super) use prefetch::prefetch;

/// A target that is new, or may be.
#[derive(Clone)]
pub(super) struct Candidate<K> {
    /// How the state is kept.
    pub key: K,
    /// By what it is looked for.
    pub hash: u64,
    /// The step that leads to it.
    pub predecessor: Predecessor,
}

/// A step, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Predecessor {
    /// The state from which it is taken.
    pub source: StateId,
    /// Which of that state's steps, in the order of `next`.
    pub step: u32,
}

impl Predecessor {
    /// That of an initial state, to which no step leads.
    pub const NONE: Self = Self {
        source: StateId(u32::MAX),
        step: u32::MAX,
    };
}

/// Whether a state is there, and under which number if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    Absent,
    Present(Option<StateId>),
}

/// Who is told what became of the candidates of a wave, in order.
pub(super) trait InsertSink {
    /// So many candidates of a list are new, and were added to the log; these are the steps that lead to them. Lists
    /// come in order.
    fn added(&mut self, list: usize, count: usize, steps: impl Iterator<Item = Predecessor>);
    /// The next candidate has this number; none for lack of room. Told only where numbers are known.
    fn numbered(&mut self, number: Option<StateId>);
}

/// The states reached, kept as `K`.
pub(super) trait Visited<K>: Sync {
    /// Whether keys of one hash are one key to this set.
    fn hashes_are_keys(&self) -> bool;
    /// Whether candidates are to be looked up before they are added.
    fn looks_up_first(&self) -> bool {
        true
    }

    /// By what a key is looked for.
    fn hash(&self, key: &K) -> u64;
    /// How many bits, from the lowest on, a hash may have.
    fn hash_bits(&self) -> u32 {
        u64::BITS
    }
    /// Asks for the memory at which the key of a hash would be.
    fn prefetch(&self, hash: u64);
    fn find(&self, log: &SegmentedVec<K>, hash: u64, key: &K) -> Lookup;
    /// Sorts the candidates of some lists of a wave, which one of the threads has met, if that helps to add
    /// them; `of` is how many states the wave has and how many threads work through it.
    fn sort<'c>(
        &self,
        _of: (usize, usize),
        _lists: impl Iterator<Item = (u32, &'c [Candidate<K>])> + Clone,
        _sorted: &mut Partition,
    ) where
        K: 'c,
    {
    }
    /// Adds the candidates that are not there to the set and, in order, to the log, as long as that
    /// has fewer than `room` entries; `sorted` is what each thread has made of those it met. Says whether there was
    /// room for all.
    fn add_all(
        &mut self,
        log: &mut SegmentedVec<K>,
        wave: Vec<Vec<Candidate<K>>>,
        sorted: &[&Partition],
        room: usize,
        met: &mut impl InsertSink,
    ) -> bool;
    /// Whether there was no memory to grow. States may be missing then.
    fn is_starved(&self) -> bool;
    /// Bytes held.
    fn bytes(&self) -> u64;
}

/// Exact, for keys of one word: membership alone, in some 5 to 12 bytes a state.
pub(super) struct Exact {
    mixer: BitMixer,
    set: CompactSet,
}

impl Exact {
    /// For keys of `bits` bits.
    pub fn new(bits: u32) -> Self {
        Self {
            mixer: BitMixer::new(bits),
            set: CompactSet::new(bits),
        }
    }
}

impl Visited<[u64; 1]> for Exact {
    fn hashes_are_keys(&self) -> bool {
        true
    }

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
        match self.set.contains(hash) {
            true => Lookup::Present(None),
            false => Lookup::Absent,
        }
    }

    fn sort<'c>(
        &self,
        of: (usize, usize),
        lists: impl Iterator<Item = (u32, &'c [Candidate<[u64; 1]>])> + Clone,
        sorted: &mut Partition,
    ) {
        sort_for_compact_set(&self.set, of, lists, sorted);
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

/// 64 bits of a hash in the place of a state, which may leave states out.
pub(super) struct Fingerprints(CompactSet);

impl Fingerprints {
    pub fn new() -> Self {
        Self(CompactSet::new(fingerprint::BITS))
    }
}

impl<T: Clone + Hash + Send + Sync> Visited<T> for Fingerprints {
    fn hashes_are_keys(&self) -> bool {
        true
    }

    fn hash(&self, key: &T) -> u64 {
        fingerprint(key)
    }

    fn prefetch(&self, hash: u64) {
        self.0.prefetch(hash);
    }

    fn find(&self, _log: &SegmentedVec<T>, hash: u64, _key: &T) -> Lookup {
        match self.0.contains(hash) {
            true => Lookup::Present(None),
            false => Lookup::Absent,
        }
    }

    fn sort<'c>(
        &self,
        of: (usize, usize),
        lists: impl Iterator<Item = (u32, &'c [Candidate<T>])> + Clone,
        sorted: &mut Partition,
    ) where
        T: 'c,
    {
        sort_for_compact_set(&self.0, of, lists, sorted);
    }

    fn add_all(
        &mut self,
        log: &mut SegmentedVec<T>,
        wave: Vec<Vec<Candidate<T>>>,
        sorted: &[&Partition],
        room: usize,
        met: &mut impl InsertSink,
    ) -> bool {
        add_to_compact_set(&mut self.0, log, wave, sorted, room, met)
    }

    fn is_starved(&self) -> bool {
        self.0.is_starved()
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// Exact, for keys of any size: the log holds the keys, and the index the numbers, at some 7 bytes a
/// state besides.
pub(super) struct Numbered {
    hasher: FixedState,
    index: Index,
}

impl Numbered {
    pub fn new() -> Self {
        Self {
            hasher: FixedState::default(),
            index: Index::new(),
        }
    }
}

/// The index goes by the upper bits of a hash, which the hasher mixes least.
#[inline(always)]
fn hash<K: Hash>(hasher: &FixedState, key: &K) -> u64 {
    let mut gather = Gather::new(hasher);
    key.hash(&mut gather);
    gather.finish().wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<K: Eq + Hash + Send + Sync> Visited<K> for Numbered {
    fn hashes_are_keys(&self) -> bool {
        false
    }

    #[inline(always)]
    fn hash(&self, key: &K) -> u64 {
        hash(&self.hasher, key)
    }

    #[inline(always)]
    fn prefetch(&self, hash: u64) {
        self.index.prefetch(hash);
    }

    #[inline(always)]
    fn find(&self, log: &SegmentedVec<K>, hash: u64, key: &K) -> Lookup {
        let is_it = |id: StateId| log.get(id.0 as usize) == key;
        match self.index.find(hash, is_it) {
            Some(id) => Lookup::Present(Some(id)),
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
            let hashes: Vec<_> = candidates.iter().map(|candidate| candidate.hash).collect();
            for (index, candidate) in candidates.drain(..).enumerate() {
                if let Some(ahead) = hashes.get(index + AHEAD) {
                    self.index.prefetch(*ahead);
                }
                let number = match self.find(log, candidate.hash, &candidate.key) {
                    Lookup::Present(known) => known,
                    Lookup::Absent if log.len() < room && self.index.has_room(candidate.hash) => {
                        let id = StateId(log.len() as u32);
                        log.push(candidate.key);
                        let hash_of = |id: StateId| hash(&self.hasher, log.get(id.0 as usize));
                        self.index.insert(candidate.hash, id, hash_of);
                        met.added(list, 1, iter::once(candidate.predecessor));
                        Some(id)
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
        self.index.bytes()
    }
}

/// Keys that do not fit into a word, remembered exactly or by their fingerprints.
///
/// One type for both, so that the search is compiled once for a system and a size of its keys.
pub(super) enum Hashed {
    Exact(Numbered),
    Fingerprints(Fingerprints),
}

impl<T: Clone + Eq + Hash + Send + Sync> Visited<T> for Hashed {
    fn hashes_are_keys(&self) -> bool {
        matches!(self, Self::Fingerprints(_))
    }

    fn hash(&self, key: &T) -> u64 {
        match self {
            Self::Exact(set) => set.hash(key),
            Self::Fingerprints(set) => set.hash(key),
        }
    }

    fn prefetch(&self, hash: u64) {
        match self {
            Self::Exact(set) => Visited::<T>::prefetch(set, hash),
            Self::Fingerprints(set) => Visited::<T>::prefetch(set, hash),
        }
    }

    fn find(&self, log: &SegmentedVec<T>, hash: u64, key: &T) -> Lookup {
        match self {
            Self::Exact(set) => set.find(log, hash, key),
            Self::Fingerprints(set) => set.find(log, hash, key),
        }
    }

    fn sort<'c>(
        &self,
        of: (usize, usize),
        lists: impl Iterator<Item = (u32, &'c [Candidate<T>])> + Clone,
        sorted: &mut Partition,
    ) where
        T: 'c,
    {
        match self {
            Self::Exact(set) => set.sort(of, lists, sorted),
            Self::Fingerprints(set) => set.sort(of, lists, sorted),
        }
    }

    fn add_all(
        &mut self,
        log: &mut SegmentedVec<T>,
        wave: Vec<Vec<Candidate<T>>>,
        sorted: &[&Partition],
        room: usize,
        met: &mut impl InsertSink,
    ) -> bool {
        match self {
            Self::Exact(set) => set.add_all(log, wave, sorted, room, met),
            Self::Fingerprints(set) => set.add_all(log, wave, sorted, room, met),
        }
    }

    fn is_starved(&self) -> bool {
        match self {
            Self::Exact(set) => Visited::<T>::is_starved(set),
            Self::Fingerprints(set) => Visited::<T>::is_starved(set),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Exact(set) => Visited::<T>::bytes(set),
            Self::Fingerprints(set) => Visited::<T>::bytes(set),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sink that drops what is added to a set.
    struct Untold;

    impl InsertSink for Untold {
        fn added(&mut self, _: usize, _: usize, steps: impl Iterator<Item = Predecessor>) {
            steps.for_each(drop);
        }

        fn numbered(&mut self, _: Option<StateId>) {}
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
            let predecessor = Predecessor {
                source: StateId(0),
                step: 0,
            };
            let key = K::from(0);
            let wave = vec![vec![Candidate {
                key,
                hash,
                predecessor,
            }]];
            let fits = self
                .0
                .add_all(&mut self.1, wave, &[], usize::MAX, &mut Untold);
            assert!(fits);
            self.1.len() > before
        }
    }

    #[test]
    fn every_bit_of_a_fingerprint_counts() {
        tells_marks_apart::<u64>(|| Box::new((Fingerprints::new(), SegmentedVec::new())));
        // The hashes themselves use all bits: each is 0 in about half of them.
        let hashes = (0..1000u32).map(|state| Visited::hash(&Fingerprints::new(), &state));
        let ones = hashes.fold([0; 64], |mut ones, hash| {
            (0..64).for_each(|bit| ones[bit] += hash >> bit & 1);
            ones
        });
        assert!(
            ones.iter().all(|ones| (400..600).contains(ones)),
            "{ones:?}"
        );
    }

    /// A word as it is packed.
    #[derive(Clone)]
    struct Key([u64; 1]);

    impl From<u8> for Key {
        fn from(word: u8) -> Self {
            Self([word.into()])
        }
    }

    /// The set of words, by their hashes.
    struct OfWords(Exact);

    impl Visited<Key> for OfWords {
        fn hashes_are_keys(&self) -> bool {
            self.0.hashes_are_keys()
        }

        fn hash(&self, key: &Key) -> u64 {
            self.0.hash(&key.0)
        }

        fn hash_bits(&self) -> u32 {
            self.0.hash_bits()
        }

        fn prefetch(&self, hash: u64) {
            self.0.prefetch(hash);
        }

        fn find(&self, _: &SegmentedVec<Key>, hash: u64, key: &Key) -> Lookup {
            self.0.find(&SegmentedVec::new(), hash, &key.0)
        }

        fn add_all(
            &mut self,
            log: &mut SegmentedVec<Key>,
            wave: Vec<Vec<Candidate<Key>>>,
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
            tells_marks_apart::<Key>(|| Box::new((OfWords(Exact::new(bits)), SegmentedVec::new())));
        }
    }

    /// Each bit of a state changes about half of those of its fingerprint.
    #[test]
    fn a_fingerprint_depends_on_all_of_a_state() {
        let words = [0u64; 4];
        for bit in 0..256 {
            let mut other = words;
            other[bit / 64] ^= 1 << (bit % 64);
            let changed = (fingerprint(&words) ^ fingerprint(&other)).count_ones();
            assert!((10..=54).contains(&changed), "bit {bit}: {changed}");
        }
    }
}
