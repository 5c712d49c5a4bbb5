//! Marks in the order of the places in a set where they belong.
//!
//! Looked up as they come, marks touch a large set all over, and each costs a miss of the cache and of the
//! processor's table of pages. Those of a wave are many: sorted by regions of the set, each region is
//! gone through once.
//!
//! Source: Boncz, Manegold & Kersten, *Database Architecture Optimized for the New Bottleneck: Memory
//! Access*, VLDB 1999, for the partitioning that does this to a join.

/// Of how many standard deviations a bin may be larger than the others, about, and by how many entries.
const SLACK: u32 = 8;

/// Marks of some candidates by bins, and in each bin in the order of the candidates.
#[derive(Default)]
pub(super) struct Bins {
    entries: Vec<Entry>,
    /// Where each bin begins, and where the last one has to end.
    starts: Vec<u32>,
    /// Where what is in each bin ends.
    ends: Vec<u32>,
}

/// A mark, and which candidate's it is.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    pub mark: u64,
    pub position: u32,
}

impl Bins {
    /// Sorts the marks of the candidates from `first` on, `count` of them, into `bins` bins.
    ///
    /// PERF: marks are spread evenly, so they are not counted for each bin first, unless one is too small.
    pub fn sort(
        &mut self,
        (first, count): (u32, usize),
        marks: impl Iterator<Item = u64> + Clone,
        bins: usize,
        bin_of: impl Fn(u64) -> usize,
    ) {
        let each = (count / bins) as u32;
        let room = each + SLACK * each.isqrt() + SLACK;
        self.starts.clear();
        self.starts.extend((0..=bins as u32).map(|bin| bin * room));
        if self.fill(first, marks.clone(), &bin_of) {
            return;
        }
        self.starts.fill(0);
        for mark in marks.clone() {
            self.starts[bin_of(mark) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        assert!(self.fill(first, marks, bin_of), "there is room for as many");
    }

    /// Puts the marks into their bins, and says whether there is room for all.
    fn fill(
        &mut self,
        first: u32,
        marks: impl Iterator<Item = u64>,
        bin_of: impl Fn(u64) -> usize,
    ) -> bool {
        let (room, starts) = self.starts.split_last().expect("the last bin ends");
        if self.entries.len() < *room as usize {
            self.entries.resize(*room as usize, Entry::default());
        }
        self.ends.clear();
        self.ends.extend(starts);
        for (position, mark) in (first..).zip(marks) {
            let bin = bin_of(mark);
            let end = &mut self.ends[bin];
            if *end == self.starts[bin + 1] {
                return false;
            }
            self.entries[*end as usize] = Entry { mark, position };
            *end += 1;
        }
        true
    }

    /// What is in a bin.
    pub fn bin(&self, bin: usize) -> &[Entry] {
        &self.entries[self.starts[bin] as usize..self.ends[bin] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each bin has its marks in their order, however they are spread; a second use knows nothing of the
    /// first.
    #[test]
    fn bins_keep_the_order_of_what_is_in_them() {
        let mut bins = Bins::default();
        let evenly: fn(u64, usize) -> usize = |mark, count| mark as usize % count;
        let in_one: fn(u64, usize) -> usize = |_, count| count - 1;
        let in_few: fn(u64, usize) -> usize = |mark, count| mark as usize % 3 % count;
        for (count, spread) in [1, 3, 16, 64]
            .into_iter()
            .flat_map(|count| [evenly, in_one, in_few].map(|spread| (count, spread)))
        {
            for (first, marks) in [(0, 0u64), (7, 1), (100, 1000), (5, 20)] {
                let marks: Vec<u64> = (0..marks).map(|n| n * 7919 % 1009).collect();
                let bin_of = |mark: u64| spread(mark, count);
                let all = (first, marks.len());
                bins.sort(all, marks.iter().copied(), count, bin_of);
                for bin in 0..count {
                    let found = bins.bin(bin).iter();
                    let found: Vec<_> = found.map(|entry| (entry.mark, entry.position)).collect();
                    let mut expected: Vec<_> = marks.iter().copied().zip(first..).collect();
                    expected.retain(|(mark, _)| bin_of(*mark) == bin);
                    assert_eq!(found, expected, "{bin} of {count}");
                }
            }
        }
    }
}
