//! Marks in the order of the places in a set where they belong.
//!
//! Looked up as they come, marks touch a large set all over, and each costs a miss of the cache and of the
//! processor's table of pages. Those of a wave are many: sorted by regions of the set, each region is
//! gone through once.
//!
//! Source: Boncz, Manegold & Kersten, *Database Architecture Optimized for the New Bottleneck: Memory
//! Access*, VLDB 1999, for the partitioning that does this to a join.

/// Marks of some candidates by bins, and in each bin in the order of the candidates.
#[derive(Default)]
pub(super) struct Bins {
    entries: Vec<Entry>,
    /// Where each bin begins, and where the last one ends.
    starts: Vec<u32>,
}

/// A mark, and which candidate's it is.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    pub mark: u64,
    pub position: u32,
}

impl Bins {
    /// Sorts the marks of the candidates from `first` on into `bins` bins.
    pub fn sort(
        &mut self,
        first: u32,
        marks: impl Iterator<Item = u64> + Clone,
        bins: usize,
        bin_of: impl Fn(u64) -> usize,
    ) {
        let starts = &mut self.starts;
        starts.clear();
        starts.resize(bins + 1, 0);
        for mark in marks.clone() {
            starts[bin_of(mark) + 1] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        self.entries.resize(sum as usize, Entry::default());
        for (position, mark) in (first..).zip(marks) {
            let at = &mut starts[bin_of(mark)];
            self.entries[*at as usize] = Entry { mark, position };
            *at += 1;
        }
        // Each has come to where the next bin begins.
        starts.rotate_right(1);
        starts[0] = 0;
    }

    /// What is in a bin.
    pub fn bin(&self, bin: usize) -> &[Entry] {
        &self.entries[self.starts[bin] as usize..self.starts[bin + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each bin has its marks in their order; a second use knows nothing of the first.
    #[test]
    fn bins_keep_the_order_of_what_is_in_them() {
        let mut bins = Bins::default();
        for count in [1, 3, 16] {
            for (first, marks) in [(0, 0u64), (7, 1), (100, 1000)] {
                let marks: Vec<u64> = (0..marks).map(|n| n * 7919 % 1009).collect();
                let bin_of = |mark: u64| mark as usize % count;
                bins.sort(first, marks.iter().copied(), count, bin_of);
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
