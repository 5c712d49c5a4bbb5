//! Insertion of the candidates of a wave into a set of hashes: one by one, or partitioned, by several threads.

use std::iter;
use std::sync::Mutex;

use super::candidate::Candidate;
use super::compact::{CompactSet, ShardSlice};
use super::partition::{CandidatePosition, HashEntry, Partition};
use super::visited::InsertSink;
use crate::walk::explore::segments::SegmentedVec;
use crate::walk::parallel::run_in_parallel;

/// Candidates ahead of the one being added whose memory is asked for.
pub(super) const AHEAD: usize = 16;
/// States of a wave whose candidates it is worth sorting, and having several threads add.
const WORTH_SORTING: usize = 2048;
/// Parts of a set that there are for each thread to take. PERF: so that all have done at about the same time.
const PARTS_A_THREAD: usize = 8;
/// Bytes of a set for which it is worth it for one thread.
const LARGE: u64 = 1 << 20;
/// Bytes of a set that are gone through at a time. PERF: what a processor's second cache has room for.
const REGION: u64 = 1 << 19;

/// Sorts candidates as [`Visited::sort`](super::Visited::sort) says.
pub(super) fn sort_for_compact_set<'c, K: 'c>(
    set: &CompactSet,
    states: usize,
    threads: usize,
    lists: impl Iterator<Item = (u32, &'c [Candidate<K>])> + Clone,
    sorted: &mut Partition,
) {
    if states >= WORTH_SORTING && (threads > 1 || set.bytes() >= LARGE) {
        let regions = set.in_regions(REGION);
        sorted.sort(lists, regions.count(), |hash| regions.of(hash));
    }
}

/// Adds the candidates that are not there, as [`Visited::add_all`](super::Visited::add_all) says.
pub(super) fn add_to_compact_set<K: Clone + Send + Sync>(
    set: &mut CompactSet,
    log: &mut SegmentedVec<K>,
    wave: Vec<Vec<Candidate<K>>>,
    sorted: &[&Partition],
    room: usize,
    met: &mut impl InsertSink,
) -> bool {
    let candidates: usize = wave.iter().map(Vec::len).sum();
    let in_bins: usize = sorted.iter().map(|bins| bins.len()).sum();
    if candidates == 0 || candidates != in_bins {
        return add_one_by_one(set, log, wave, room, met);
    }
    let new = new_candidates(set, sorted, &wave);
    let mut add = |list: usize, keys: &[K]| {
        let fit = keys.len().min(room - log.len());
        log.extend(&keys[..fit]);
        met.added(list, fit);
        fit == keys.len()
    };
    let keys = |list: usize| {
        let candidates = &wave[list];
        new.of(list).map(|index| candidates[index].key.clone())
    };
    let mut lists = 0..wave.len();
    if let [_] = sorted {
        let mut of_list = Vec::new();
        return lists.all(|list| {
            of_list.clear();
            of_list.extend(keys(list));
            add(list, &of_list)
        });
    }
    // PERF: most candidates are not new, and to find those that are takes longer than to add them.
    let each = wave.len().div_ceil(sorted.len());
    let runs = lists.step_by(each);
    let runs = runs.map(|first| first..wave.len().min(first + each));
    let of_runs = run_in_parallel(runs, |run| -> Vec<Vec<K>> {
        run.map(|list| keys(list).collect()).collect()
    });
    let mut of_lists = of_runs.iter().flatten().enumerate();
    of_lists.all(|(list, keys)| add(list, keys))
}

fn add_one_by_one<K>(
    set: &mut CompactSet,
    log: &mut SegmentedVec<K>,
    wave: Vec<Vec<Candidate<K>>>,
    room: usize,
    met: &mut impl InsertSink,
) -> bool {
    let mut set = set.whole();
    for (list, candidates) in wave.into_iter().enumerate() {
        let mut candidates = candidates.into_iter();
        while let Some(candidate) = candidates.next() {
            if let Some(ahead) = candidates.as_slice().get(AHEAD) {
                set.prefetch(ahead.hash);
            }
            if !set.insert(candidate.hash) {
                continue;
            }
            if log.len() >= room {
                return false;
            }
            log.push(candidate.key);
            met.added(list, 1);
        }
    }
    true
}

/// New ones of the candidates. As many threads as have sorted them add what belongs into their shards, region by
/// region and in each in the order of the candidates, so that of equal ones the first is the new one.
fn new_candidates<K: Sync>(
    set: &mut CompactSet,
    sorted: &[&Partition],
    wave: &[Vec<Candidate<K>>],
) -> CandidateSubset {
    let regions = set.in_regions(REGION);
    let threads = sorted.len();
    let add = |mut part: ShardSlice<'_>, new: &mut CandidateSubset| {
        let mut left = Vec::with_capacity(threads);
        for region in part.regions(regions) {
            left.clear();
            left.extend(sorted.iter().map(|bins| bins.bin(region)));
            for entries in &left {
                let soon = &entries[..entries.len().min(AHEAD)];
                soon.iter().for_each(|entry| part.prefetch(entry.hash));
            }
            while let Some((whose, end)) = next_run(&left) {
                let entries = left[whose];
                let mut taken = 0;
                while let Some(entry) = entries.get(taken)
                    && entry.position < end
                {
                    if let Some(ahead) = entries.get(taken + AHEAD) {
                        part.prefetch(ahead.hash);
                    }
                    if part.insert(entry.hash) {
                        new.add(entry.position);
                    }
                    taken += 1;
                }
                left[whose] = &entries[taken..];
            }
        }
    };
    let parts = Mutex::new(set.parts(PARTS_A_THREAD * threads));
    let take = || parts.lock().expect("no holder of this lock panics").next();
    let of_threads = run_in_parallel(0..threads, |_| {
        let mut new = CandidateSubset::none_of(wave);
        while let Some(part) = take() {
            add(part, &mut new);
        }
        new
    });
    let mut new = CandidateSubset::none_of(wave);
    of_threads.iter().for_each(|found| new.unite(found));
    new
}

/// List with the first of the entries left, and the position of the others' first one, before which its entries are next.
fn next_run(left: &[&[HashEntry]]) -> Option<(usize, CandidatePosition)> {
    let mut first = None;
    let mut second = CandidatePosition::AFTER_ALL;
    for (whose, entries) in left.iter().enumerate() {
        let Some(HashEntry { position, .. }) = entries.first() else {
            continue;
        };
        match first {
            Some((_, least)) if least < *position => second = second.min(*position),
            Some((_, least)) => {
                second = least;
                first = Some((whose, *position));
            }
            None => first = Some((whose, *position)),
        }
    }
    first.map(|(whose, _)| (whose, second))
}

/// Some of a wave's candidates.
struct CandidateSubset {
    /// Per list, the word that has the bits of its first candidates.
    starts: Vec<usize>,
    bits: Vec<u64>,
}

impl CandidateSubset {
    fn none_of<K>(wave: &[Vec<Candidate<K>>]) -> Self {
        let mut words = 0;
        let starts = wave.iter().map(|candidates| {
            let start = words;
            words += candidates.len().div_ceil(64);
            start
        });
        Self {
            starts: starts.collect(),
            bits: vec![0; words],
        }
    }

    fn add(&mut self, position: CandidatePosition) {
        let index = position.index();
        self.bits[self.starts[position.list()] + index / 64] |= 1 << (index % 64);
    }

    /// The places of those of a list, in order.
    fn of(&self, list: usize) -> impl Iterator<Item = usize> {
        let end = self.starts.get(list + 1).copied();
        let words = &self.bits[self.starts[list]..end.unwrap_or(self.bits.len())];
        words.iter().enumerate().flat_map(|(word, bits)| {
            let mut rest = *bits;
            iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros());
                rest &= rest.wrapping_sub(1);
                bit.map(|bit| word * 64 + bit as usize)
            })
        })
    }

    fn unite(&mut self, other: &Self) {
        for (word, other) in self.bits.iter_mut().zip(&other.bits) {
            *word |= other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::explore::graph::NodeId;
    use crate::walk::random::Generator;

    /// The list of each candidate that is new.
    #[derive(Default, PartialEq, Debug)]
    struct Told(Vec<usize>);

    impl InsertSink for Told {
        fn added(&mut self, list: usize, count: usize) {
            self.0.extend(iter::repeat_n(list, count));
        }

        fn numbered(&mut self, _: Option<NodeId>) {
            unreachable!("a set of hashes knows no numbers");
        }
    }

    /// The log and what is told are the same for candidates that were sorted, by whatever threads, and for such as
    /// were not; many are there already, and many are twice in a wave, in one thread's lists and in another's.
    #[test]
    fn sorted_candidates_are_added_as_unsorted_ones() {
        const BITS: u32 = 24;
        for (threads, room, longest) in [
            (1, usize::MAX, 200),
            (2, usize::MAX, 200),
            (3, usize::MAX, 200),
            (1, 9000, 200),
            (3, 9000, 200),
            // Lists of which thousands are new, and which end at no bound of a word.
            (2, usize::MAX, 3000),
            (4, usize::MAX, 3000),
            (2, 20_001, 3000),
        ] {
            let mut generator = Generator::new(threads as u64);
            let mut plain = (CompactSet::new(BITS), SegmentedVec::new(), Told::default());
            let mut other = (CompactSet::new(BITS), SegmentedVec::new(), Told::default());
            for wave in 0..4u32 {
                let mut lists: Vec<Vec<Candidate<u64>>> = Vec::new();
                let mut of_threads: Vec<Vec<u32>> = vec![Vec::new(); threads];
                for list in 0..40 {
                    let length = generator.bits() % longest;
                    let candidate = |generator: &mut Generator| {
                        let number =
                            generator.bits() % (30 * longest) + u64::from(wave) * (15 * longest);
                        Candidate {
                            key: number,
                            hash: number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS),
                        }
                    };
                    lists.push((0..length).map(|_| candidate(&mut generator)).collect());
                    of_threads[(generator.bits() % threads as u64) as usize].push(list);
                }
                let sorted: Vec<Partition> = of_threads
                    .iter()
                    .map(|taken| {
                        let taken = taken.iter().map(|list| (*list, &*lists[*list as usize]));
                        let mut bins = Partition::default();
                        sort_for_compact_set(&other.0, WORTH_SORTING, 2, taken, &mut bins);
                        bins
                    })
                    .collect();
                let sorted: Vec<_> = sorted.iter().collect();
                let (set, log, told) = &mut plain;
                let fit = add_to_compact_set(set, log, lists.clone(), &[], room, told);
                let (set, log, told) = &mut other;
                assert_eq!(
                    fit,
                    add_to_compact_set(set, log, lists, &sorted, room, told)
                );
                let of = |log: &SegmentedVec<u64>| -> Vec<u64> {
                    let all = log.runs(0..log.len());
                    all.flat_map(|(_, run)| run.to_vec()).collect()
                };
                assert_eq!(of(&plain.1), of(&other.1));
                assert_eq!(plain.2, other.2);
                if !fit {
                    assert_eq!(plain.1.len(), room);
                    break;
                }
            }
            assert!(plain.1.len() > 8000, "{}", plain.1.len());
            assert_eq!(plain.1.len() == room, room < usize::MAX);
        }
    }
}
