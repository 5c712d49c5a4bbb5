//! Adding the candidates of a wave to a set of marks: one by one, or sorted, by several threads.

use super::bins::Bins;
use super::quotient::{Part, Quotient};
use super::{Candidate, Met};
use crate::explore::log::Log;
use crate::workers::together;

/// Candidates ahead of the one being added whose memory is asked for.
pub(super) const AHEAD: usize = 16;
/// Candidates that it is worth sorting, and having several threads add.
const WORTH_SORTING: usize = 4096;
/// Bytes of a set for which it is worth it for one thread.
const LARGE: u64 = 1 << 20;
/// Bytes of a set that are gone through at a time. PERF: what a processor's second cache has room for.
const REGION: u64 = 1 << 19;

/// Adds the candidates that are not there, as [`Visited::add_all`](super::Visited::add_all) says.
pub(super) fn add_to_quotient<K: Clone + Send + Sync>(
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
            let count = lists.iter().map(Vec::len).sum();
            let run = ((first, count), lists, bins);
            first += count as u32;
            run
        })
        .collect();
    let sorted = runs.len();
    together(runs, |(run, lists, bins)| {
        let marks = lists.iter().flatten().map(|candidate| candidate.mark);
        bins.sort(run, marks, regions.count(), |mark| regions.of(mark));
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
