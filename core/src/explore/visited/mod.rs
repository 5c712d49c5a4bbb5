//! The states already reached: three ways to remember them, behind one trait.
//!
//! A wave of the search first asks, with several threads, which targets were there before it, and
//! then adds those that were not, each once, in the order in which a sequential search meets them. So
//! a state has the same number for any number of threads, and nobody reads while somebody writes.

mod bins;
mod fingerprint;
mod index;
mod prefetch;
mod quotient;
mod scatter;

use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;

use bins::Bins;
use fingerprint::fingerprint;
pub(crate) use fingerprint::omission_probability;

use super::StateId;
use super::log::Log;
use crate::workers::together;
use index::Index;
pub(super) use prefetch::prefetch;
use quotient::{Part, Quotient};
use scatter::Scatter;

/// A target that was not there before the wave.
pub(super) struct Candidate<K> {
    /// How the state is kept.
    pub key: K,
    /// By what it is looked for.
    pub mark: u64,
    /// The step that leads to it.
    pub origin: Origin,
}

/// A step, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// The state from which it is taken.
    pub source: StateId,
    /// Which of that state's steps, in the order of `next`.
    pub step: u32,
}

/// Whether a state is there, and under which number if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    Absent,
    Present(Option<StateId>),
}

/// What became of a candidate.
pub(super) struct Met {
    /// In which of the wave's lists it was.
    pub list: usize,
    /// Its number, if that is known; none for lack of room.
    pub number: Option<StateId>,
    /// The step that leads to it, if it is new.
    pub new: Option<Origin>,
}

/// The states reached, kept as `K`.
pub(super) trait Visited<K>: Sync {
    /// Whether keys of one mark are one key to this set.
    fn marks_are_keys(&self) -> bool;
    /// Whether candidates are to be looked up before they are added.
    fn looks_up_first(&self) -> bool {
        true
    }

    /// By what a key is looked for.
    fn mark(&self, key: &K) -> u64;
    /// Asks for the memory at which the key of a mark would be.
    fn prefetch(&self, mark: u64);
    fn find(&self, log: &Log<K>, mark: u64, key: &K) -> Lookup;
    /// Adds the candidates that are not there to the set and, in order, to the log, as long as that
    /// has fewer than `room` entries. Tells `met` of each candidate that is new, and if numbers are known of
    /// each at all, in order; says whether there was room for all.
    fn add_all(
        &mut self,
        log: &mut Log<K>,
        wave: Vec<Vec<Candidate<K>>>,
        room: usize,
        threads: usize,
        met: impl FnMut(Met),
    ) -> bool;
    /// Bytes held.
    fn bytes(&self) -> u64;
}

/// Exact, for keys of one word: membership alone, in some 5 to 12 bytes a state.
pub(super) struct Exact {
    scatter: Scatter,
    set: Quotient,
    /// Per thread, what it sorts with.
    bins: Vec<Bins>,
}

impl Exact {
    /// For keys of `bits` bits.
    pub fn new(bits: u32) -> Self {
        Self {
            scatter: Scatter::new(bits),
            set: Quotient::new(bits),
            bins: Vec::new(),
        }
    }
}

impl Visited<[u64; 1]> for Exact {
    fn marks_are_keys(&self) -> bool {
        true
    }

    /// PERF: the marks of a wave are sorted, which does more than to ask for their memory ahead.
    fn looks_up_first(&self) -> bool {
        false
    }

    #[inline(always)]
    fn mark(&self, key: &[u64; 1]) -> u64 {
        self.scatter.of(key[0])
    }

    #[inline(always)]
    fn prefetch(&self, mark: u64) {
        self.set.prefetch(mark);
    }

    #[inline(always)]
    fn find(&self, _log: &Log<[u64; 1]>, mark: u64, _key: &[u64; 1]) -> Lookup {
        match self.set.contains(mark) {
            true => Lookup::Present(None),
            false => Lookup::Absent,
        }
    }

    fn add_all(
        &mut self,
        log: &mut Log<[u64; 1]>,
        wave: Vec<Vec<Candidate<[u64; 1]>>>,
        room: usize,
        threads: usize,
        met: impl FnMut(Met),
    ) -> bool {
        add_to_quotient(&mut self.set, &mut self.bins, log, wave, room, threads, met)
    }

    fn bytes(&self) -> u64 {
        self.set.bytes()
    }
}

/// 64 bits of a hash in the place of a state, which may leave states out.
pub(super) struct Fingerprints(Quotient);

impl Fingerprints {
    pub fn new() -> Self {
        Self(Quotient::new(64))
    }
}

impl<T: Clone + Hash + Send + Sync> Visited<T> for Fingerprints {
    fn marks_are_keys(&self) -> bool {
        true
    }

    fn mark(&self, key: &T) -> u64 {
        fingerprint(key)
    }

    fn prefetch(&self, mark: u64) {
        self.0.prefetch(mark);
    }

    fn find(&self, _log: &Log<T>, mark: u64, _key: &T) -> Lookup {
        match self.0.contains(mark) {
            true => Lookup::Present(None),
            false => Lookup::Absent,
        }
    }

    fn add_all(
        &mut self,
        log: &mut Log<T>,
        wave: Vec<Vec<Candidate<T>>>,
        room: usize,
        threads: usize,
        met: impl FnMut(Met),
    ) -> bool {
        add_to_quotient(&mut self.0, &mut Vec::new(), log, wave, room, threads, met)
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// Candidates ahead of the one being added whose memory is asked for.
const AHEAD: usize = 16;
/// Candidates that it is worth sorting, and having several threads add.
const WORTH_SORTING: usize = 4096;
/// Bytes of a set for which it is worth it for one thread.
const LARGE: u64 = 1 << 20;
/// Bytes of a set that are gone through at a time. PERF: what a processor's second cache has room for.
const REGION: u64 = 1 << 19;

/// Adds the candidates that are not there, as [`Visited::add_all`] says.
fn add_to_quotient<K: Clone + Send + Sync>(
    set: &mut Quotient,
    bins: &mut Vec<Bins>,
    log: &mut Log<K>,
    wave: Vec<Vec<Candidate<K>>>,
    room: usize,
    threads: usize,
    mut met: impl FnMut(Met),
) -> bool {
    let candidates = wave.iter().map(Vec::len).sum();
    if candidates < WORTH_SORTING || threads <= 1 && set.bytes() < LARGE {
        let mut set = set.whole();
        for (list, candidates) in wave.into_iter().enumerate() {
            let mut candidates = candidates.into_iter();
            while let Some(candidate) = candidates.next() {
                if let Some(ahead) = candidates.as_slice().get(AHEAD) {
                    set.prefetch(ahead.mark);
                }
                if !set.insert(candidate.mark) {
                    continue;
                }
                if log.len() >= room {
                    return false;
                }
                log.push(candidate.key);
                met(Met {
                    list,
                    number: None,
                    new: Some(candidate.origin),
                });
            }
        }
        return true;
    }
    let new = new_candidates(set, bins, &wave, candidates, threads);
    let mut first = 0;
    for (list, candidates) in wave.into_iter().enumerate() {
        let end = first + candidates.len();
        for position in new.between(first, end) {
            if log.len() >= room {
                return false;
            }
            let Candidate { key, origin, .. } = &candidates[position - first];
            log.push(key.clone());
            met(Met {
                list,
                number: None,
                new: Some(*origin),
            });
        }
        first = end;
    }
    true
}

/// Which candidates are new. The threads sort a run of the lists each, and then each adds what belongs into
/// its shards, region by region and in each in the order of the candidates, so that of equal ones
/// the first is the new one.
fn new_candidates<K: Send + Sync>(
    set: &mut Quotient,
    bins: &mut Vec<Bins>,
    wave: &[Vec<Candidate<K>>],
    candidates: usize,
    threads: usize,
) -> Bits {
    let threads = threads.max(1);
    let regions = set.in_regions(REGION);
    bins.resize_with(threads, Bins::default);
    let mut first = 0;
    let runs = wave.chunks(wave.len().div_ceil(threads)).zip(&mut *bins);
    let runs: Vec<_> = runs
        .map(|(lists, bins)| {
            let run = (first, lists, bins);
            first += lists.iter().map(Vec::len).sum::<usize>() as u32;
            run
        })
        .collect();
    let sorted = runs.len();
    together(runs, |(first, lists, bins)| {
        let marks = lists.iter().flatten().map(|candidate| candidate.mark);
        bins.sort(first, marks, regions.count(), |mark| regions.of(mark));
    });
    let bins = &bins[..sorted];
    let work = |mut part: Part<'_>| {
        let mut new = Bits::new(candidates);
        for region in part.regions(regions) {
            for entries in bins.iter().map(|bins| bins.bin(region)) {
                let soon = &entries[..entries.len().min(AHEAD)];
                soon.iter().for_each(|entry| part.prefetch(entry.mark));
                for (index, entry) in entries.iter().enumerate() {
                    if let Some(ahead) = entries.get(index + AHEAD) {
                        part.prefetch(ahead.mark);
                    }
                    if part.insert(entry.mark) {
                        new.add(entry.position as usize);
                    }
                }
            }
        }
        new
    };
    let mut of_parts = together(set.parts(threads), work).into_iter();
    let mut new = of_parts.next().expect("there is a part");
    for of_part in of_parts {
        new.unite(&of_part);
    }
    new
}

/// A set of small numbers.
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn add(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Those from `first` on that are below `end`, in order.
    fn between(&self, first: usize, end: usize) -> impl Iterator<Item = usize> {
        let mut at = first;
        std::iter::from_fn(move || {
            while at < end {
                let rest = self.0[at / 64] >> (at % 64);
                if rest != 0 {
                    at += rest.trailing_zeros() as usize + 1;
                    return (at <= end).then_some(at - 1);
                }
                at = (at / 64 + 1) * 64;
            }
            None
        })
    }

    fn unite(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
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
    hasher.hash_one(key).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<K: Eq + Hash + Send + Sync> Visited<K> for Numbered {
    fn marks_are_keys(&self) -> bool {
        false
    }

    #[inline(always)]
    fn mark(&self, key: &K) -> u64 {
        hash(&self.hasher, key)
    }

    #[inline(always)]
    fn prefetch(&self, mark: u64) {
        self.index.prefetch(mark);
    }

    #[inline(always)]
    fn find(&self, log: &Log<K>, mark: u64, key: &K) -> Lookup {
        let is_it = |id: StateId| log.get(id.0 as usize) == key;
        match self.index.find(mark, is_it) {
            Some(id) => Lookup::Present(Some(id)),
            None => Lookup::Absent,
        }
    }

    fn add_all(
        &mut self,
        log: &mut Log<K>,
        wave: Vec<Vec<Candidate<K>>>,
        room: usize,
        _threads: usize,
        mut met: impl FnMut(Met),
    ) -> bool {
        let mut room_for_all = true;
        for (list, mut candidates) in wave.into_iter().enumerate() {
            let marks: Vec<_> = candidates.iter().map(|candidate| candidate.mark).collect();
            for (index, candidate) in candidates.drain(..).enumerate() {
                if let Some(ahead) = marks.get(index + AHEAD) {
                    self.index.prefetch(*ahead);
                }
                let mut number = None;
                let mut new = None;
                match self.find(log, candidate.mark, &candidate.key) {
                    Lookup::Present(known) => number = known,
                    Lookup::Absent if log.len() < room => {
                        let id = StateId(log.len() as u32);
                        log.push(candidate.key);
                        let hash_of = |id: StateId| hash(&self.hasher, log.get(id.0 as usize));
                        self.index.insert(candidate.mark, id, hash_of);
                        (number, new) = (Some(id), Some(candidate.origin));
                    }
                    Lookup::Absent => room_for_all = false,
                }
                met(Met { list, number, new });
            }
        }
        room_for_all
    }

    fn bytes(&self) -> u64 {
        self.index.bytes()
    }
}

/// States that are kept whole, remembered exactly or by their fingerprints.
///
/// One type for both, so that the search is compiled once for a system that is not packed.
pub(super) enum Unpacked {
    Exact(Numbered),
    Fingerprints(Fingerprints),
}

impl<T: Clone + Eq + Hash + Send + Sync> Visited<T> for Unpacked {
    fn marks_are_keys(&self) -> bool {
        matches!(self, Self::Fingerprints(_))
    }

    fn mark(&self, key: &T) -> u64 {
        match self {
            Self::Exact(set) => set.mark(key),
            Self::Fingerprints(set) => set.mark(key),
        }
    }

    fn prefetch(&self, mark: u64) {
        match self {
            Self::Exact(set) => Visited::<T>::prefetch(set, mark),
            Self::Fingerprints(set) => Visited::<T>::prefetch(set, mark),
        }
    }

    fn find(&self, log: &Log<T>, mark: u64, key: &T) -> Lookup {
        match self {
            Self::Exact(set) => set.find(log, mark, key),
            Self::Fingerprints(set) => set.find(log, mark, key),
        }
    }

    fn add_all(
        &mut self,
        log: &mut Log<T>,
        wave: Vec<Vec<Candidate<T>>>,
        room: usize,
        threads: usize,
        met: impl FnMut(Met),
    ) -> bool {
        match self {
            Self::Exact(set) => set.add_all(log, wave, room, threads, met),
            Self::Fingerprints(set) => set.add_all(log, wave, room, threads, met),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Exact(set) => Visited::<T>::bytes(set),
            Self::Fingerprints(set) => Visited::<T>::bytes(set),
        }
    }
}
