//! A radix partition of hashes, by the places in a set where they belong.
//!
//! Looked up as they come, hashes touch a large set all over, and each costs a miss of the cache and of the
//! processor's table of pages. Those of a wave are many: sorted by regions of the set, each region is
//! gone through once.
//!
//! Source: Boncz, Manegold & Kersten, *Database Architecture Optimized for the New Bottleneck: Memory
//! Access*, VLDB 1999, for the partitioning that does this to a join.

use super::candidate::Candidate;

/// Number of standard deviations by which a bin may be larger than the others, about, and number of entries besides.
const SLACK: u32 = 8;

/// Hashes of some candidates by bins, and in each bin in the order of the candidates.
#[derive(Default)]
pub(crate) struct Partition {
    entries: Vec<HashEntry>,
    /// Beginning of each bin, and the position at which the last one has to end.
    starts: Vec<u32>,
    /// End of what is in each bin.
    ends: Vec<u32>,
    /// Number of hashes.
    len: usize,
}

/// A hash, and which candidate's it is.
#[derive(Clone, Copy, Default)]
pub(super) struct HashEntry {
    pub hash: u64,
    pub position: CandidatePosition,
}

/// Position of one of a wave's candidates: the number of its list, and its place in that.
///
/// PERF: one word, so that comparing two takes one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CandidatePosition(u64);

impl CandidatePosition {
    pub const AFTER_ALL: Self = Self(u64::MAX);

    pub fn new(list: u32, index: usize) -> Self {
        Self(u64::from(list) << 32 | index as u64)
    }

    pub fn list(self) -> usize {
        (self.0 >> 32) as usize
    }

    pub fn index(self) -> usize {
        self.0 as u32 as usize
    }
}

impl Partition {
    /// Forgets all hashes.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Number of hashes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Sorts the hashes of the candidates of `lists`, which come with their numbers in ascending order, into
    /// `bins` bins.
    ///
    /// PERF: hashes are spread evenly, so they are not counted for each bin first, unless one is too small.
    pub fn sort<'c, K: 'c>(
        &mut self,
        lists: impl Iterator<Item = (u32, &'c [Candidate<K>])> + Clone,
        bins: usize,
        bin_of: impl Fn(u64) -> usize,
    ) {
        self.len = lists.clone().map(|(_, candidates)| candidates.len()).sum();
        let each = (self.len / bins) as u32;
        let room = each + SLACK * each.isqrt() + SLACK;
        self.starts.clear();
        self.starts.extend((0..=bins as u32).map(|bin| bin * room));
        if self.fill(lists.clone(), &bin_of) {
            return;
        }
        self.starts.fill(0);
        for candidate in lists.clone().flat_map(|(_, candidates)| candidates) {
            self.starts[bin_of(candidate.hash) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        assert!(self.fill(lists, bin_of), "there is room for as many");
    }

    /// Puts the hashes into their bins, and says whether there is room for all.
    fn fill<'c, K: 'c>(
        &mut self,
        lists: impl Iterator<Item = (u32, &'c [Candidate<K>])>,
        bin_of: impl Fn(u64) -> usize,
    ) -> bool {
        let (room, starts) = self.starts.split_last().expect("the last bin ends");
        if self.entries.len() < *room as usize {
            self.entries.resize(*room as usize, HashEntry::default());
        }
        self.ends.clear();
        self.ends.extend(starts);
        for (list, candidates) in lists {
            for (index, candidate) in candidates.iter().enumerate() {
                let bin = bin_of(candidate.hash);
                let end = &mut self.ends[bin];
                if *end == self.starts[bin + 1] {
                    return false;
                }
                self.entries[*end as usize] = HashEntry {
                    hash: candidate.hash,
                    position: CandidatePosition::new(list, index),
                };
                *end += 1;
            }
        }
        true
    }

    /// Entries of a bin.
    pub(super) fn bin(&self, bin: usize) -> &[HashEntry] {
        &self.entries[self.starts[bin] as usize..self.ends[bin] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each bin has its hashes in their order, however they are spread; a second use knows nothing of the
    /// first.
    #[test]
    fn bins_keep_the_order_of_what_is_in_them() {
        let mut bins = Partition::default();
        let evenly: fn(u64, usize) -> usize = |hash, count| hash as usize % count;
        let in_one: fn(u64, usize) -> usize = |_, count| count - 1;
        let in_few: fn(u64, usize) -> usize = |hash, count| hash as usize % 3 % count;
        for (count, spread) in [1, 3, 16, 64]
            .into_iter()
            .flat_map(|count| [evenly, in_one, in_few].map(|spread| (count, spread)))
        {
            for (first, length, lists) in [(0, 0, 0), (7, 1, 1), (3, 10, 100), (5, 4, 5)] {
                let hash = |n: u64| n * 7919 % 1009;
                let candidate = |n: u64| Candidate {
                    key: (),
                    hash: hash(n),
                };
                // Every other list is another's, and the first of all is empty.
                let numbers = (first..).step_by(2).take(lists);
                let lists: Vec<(u32, Vec<_>)> = numbers
                    .map(|list| {
                        let from = u64::from(list) * 1000;
                        let length = if list == first { 0 } else { length };
                        (list, (from..from + length).map(candidate).collect())
                    })
                    .collect();
                let bin_of = |hash: u64| spread(hash, count);
                let shown = lists.iter().map(|(list, all)| (*list, &**all));
                bins.sort(shown.clone(), count, bin_of);
                assert_eq!(bins.len(), shown.clone().flat_map(|(_, all)| all).count());
                for bin in 0..count {
                    let found = bins.bin(bin).iter();
                    let found: Vec<_> = found.map(|entry| (entry.hash, entry.position)).collect();
                    let expected = shown.clone().flat_map(|(list, all)| {
                        let all = all.iter().enumerate();
                        all.map(move |(index, one)| (one.hash, CandidatePosition::new(list, index)))
                    });
                    let expected = expected.filter(|(hash, _)| bin_of(*hash) == bin);
                    assert_eq!(found, expected.collect::<Vec<_>>(), "{bin} of {count}");
                }
            }
        }
    }
}
