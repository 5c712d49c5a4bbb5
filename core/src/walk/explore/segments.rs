//! A segmented vector: appending moves no entry, and whole segments can be freed.

use std::cmp::Ordering;
use std::ops::Range;

const BLOCK_BITS: u32 = 16;
/// Entries of a block.
pub(super) const BLOCK: usize = 1 << BLOCK_BITS;

/// Entries in the order in which they came.
#[derive(Debug)]
pub(super) struct SegmentedVec<T> {
    /// Blocks of equal size, those that are not in memory empty.
    blocks: Vec<Vec<T>>,
}

impl<T> SegmentedVec<T> {
    pub fn new() -> Self {
        Self {
            blocks: vec![Vec::new()],
        }
    }

    /// Number of entries, those that are not in memory included.
    pub fn len(&self) -> usize {
        (self.blocks.len() - 1) * BLOCK + self.blocks[self.blocks.len() - 1].len()
    }

    #[inline]
    pub fn push(&mut self, entry: T) {
        if self.blocks[self.blocks.len() - 1].len() == BLOCK {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        let last = self.blocks.len() - 1;
        self.blocks[last].push(entry);
    }

    /// Adds all of `entries`.
    pub fn extend(&mut self, mut entries: &[T])
    where
        T: Clone,
    {
        while let Some((first, rest)) = entries.split_first() {
            // This makes room, of which the rest of the block then needs no more.
            self.push(first.clone());
            let last = self.blocks.last_mut().expect("there is a block");
            let (here, beyond) = rest.split_at(rest.len().min(BLOCK - last.len()));
            last.extend_from_slice(here);
            entries = beyond;
        }
    }

    /// Gives back what the last block has room for and does not hold.
    pub fn shrink(&mut self) {
        let last = self.blocks.last_mut().expect("there is a block");
        last.shrink_to_fit();
    }

    /// Forgets all entries but so many of the first ones.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        self.blocks.truncate((len >> BLOCK_BITS) + 1);
        let last = self.blocks.last_mut().expect("there is a block");
        last.truncate(len & (BLOCK - 1));
    }

    /// Sorts the entries from one place on, which are in memory.
    pub fn sort_from(&mut self, place: usize, order: impl Fn(&T, &T) -> Ordering)
    where
        T: Clone,
    {
        let runs = self.runs(place..self.len());
        let mut entries: Vec<_> = runs.flat_map(|(_, run)| run).cloned().collect();
        entries.sort_unstable_by(order);
        self.truncate(place);
        self.extend(&entries);
    }

    #[inline]
    pub fn get(&self, place: usize) -> &T {
        &self.blocks[place >> BLOCK_BITS][place & (BLOCK - 1)]
    }

    /// The entries at `places`, which are next to each other: between two multiples of a power of two up to a block's length.
    #[inline]
    pub fn within(&self, places: Range<usize>) -> &[T] {
        let first = places.start & (BLOCK - 1);
        &self.blocks[places.start >> BLOCK_BITS][first..first + places.len()]
    }

    /// The entries at `places`, in runs that are next to each other, each with the place of its first.
    pub fn runs(&self, places: Range<usize>) -> impl Iterator<Item = (usize, &[T])> {
        let mut at = places.start;
        std::iter::from_fn(move || {
            let start = at;
            if start >= places.end {
                return None;
            }
            at = places.end.min((start | (BLOCK - 1)) + 1);
            let within = start & (BLOCK - 1);
            let block = &self.blocks[start >> BLOCK_BITS];
            Some((start, &block[within..within + (at - start)]))
        })
    }

    /// Leaves out places, so that the next one is the first of a block. Fewer than a block are there.
    #[cfg(test)]
    pub fn leave_gap(&mut self, blocks: usize) {
        self.blocks
            .resize_with(self.blocks.len().max(blocks + 1), Vec::new);
    }

    /// Number of blocks that are full, and after which another one has begun.
    pub fn whole_blocks(&self) -> usize {
        self.blocks.len() - 1
    }

    /// Entries of a block.
    pub fn block(&self, block: usize) -> &[T] {
        &self.blocks[block]
    }

    /// True if the entries of a block are in memory.
    pub fn is_loaded(&self, block: usize) -> bool {
        !self.blocks[block].is_empty()
    }

    /// Frees the memory of a whole block, and says whether there was any. Its entries are to be loaded before they are asked for.
    pub fn unload(&mut self, block: usize) -> bool {
        debug_assert!(
            block + 1 < self.blocks.len(),
            "the last block tells the length"
        );
        !std::mem::take(&mut self.blocks[block]).is_empty()
    }

    /// Has the entries of a block that was unloaded.
    pub fn load(&mut self, block: usize, entries: Vec<T>) {
        self.blocks[block] = entries;
    }

    /// Bytes by which it grows.
    pub fn block_bytes(&self) -> u64 {
        (BLOCK * size_of::<T>()) as u64
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let entries: usize = self.blocks.iter().map(Vec::capacity).sum();
        (entries * size_of::<T>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_places_across_blocks() {
        let mut log = SegmentedVec::new();
        for n in 0..3 * BLOCK + 5 {
            assert_eq!(log.len(), n);
            log.push(n);
        }
        for n in 0..3 * BLOCK + 5 {
            assert_eq!(*log.get(n), n);
        }
        for places in [0..0, 3..3, 0..5, BLOCK - 1..BLOCK, BLOCK - 2..3 * BLOCK + 5] {
            let mut found = Vec::new();
            for (first, run) in log.runs(places.clone()) {
                assert_eq!(first, places.start + found.len());
                found.extend_from_slice(run);
            }
            assert_eq!(found, places.collect::<Vec<_>>());
        }
    }

    #[test]
    fn runs_of_any_length_are_added() {
        let mut log = SegmentedVec::new();
        let mut plain: Vec<usize> = Vec::new();
        for length in [0, 1, 5, BLOCK - 6, 1, BLOCK, 3 * BLOCK + 2, 7] {
            let more: Vec<_> = (plain.len()..plain.len() + length).collect();
            log.extend(&more);
            plain.extend(more);
            assert_eq!(log.len(), plain.len());
        }
        let kept: Vec<_> = log.runs(0..plain.len()).flat_map(|(_, run)| run).collect();
        assert!(kept.into_iter().eq(&plain));
    }

    #[test]
    fn the_last_entries_are_sorted() {
        for (first, count) in [
            (0, 0),
            (0, 9),
            (5, 9),
            (9, 9),
            (3, 2 * BLOCK + 5),
            (BLOCK, 2 * BLOCK),
        ] {
            let mut log = SegmentedVec::new();
            let entries: Vec<_> = (0..count).map(|n| n * 7919 % 10_007).collect();
            log.extend(&entries);
            log.sort_from(first, usize::cmp);
            let mut sorted = entries;
            sorted[first..].sort_unstable();
            let found: Vec<_> = log
                .runs(0..count)
                .flat_map(|(_, run)| run)
                .copied()
                .collect();
            assert_eq!(found, sorted);
        }
    }
}
