//! Shares: the states of one process, level by level, those of each in the order of their keys.

use std::ops::Range;

use crate::explore::segments::SegmentedVec;

/// The states of one process.
pub(in crate::explore) struct Share<K> {
    keys: SegmentedVec<K>,
    /// The place of the first state of each level.
    levels: Vec<u32>,
}

impl<K: Ord + Clone> Share<K> {
    /// `levels` are the places of the first states of the levels, of which each is sorted.
    pub fn new(keys: SegmentedVec<K>, levels: Vec<u32>) -> Self {
        Self { keys, levels }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Places of the states of a level.
    pub fn level(&self, level: usize) -> Range<usize> {
        let place = |level: usize| {
            let first = self.levels.get(level);
            first.map_or(self.keys.len(), |first| *first as usize)
        };
        place(level)..place(level + 1)
    }

    /// The level of the state at a place.
    pub fn level_of(&self, place: u32) -> usize {
        self.levels.partition_point(|first| *first <= place) - 1
    }

    /// The key at a place.
    pub fn key(&self, place: usize) -> &K {
        self.keys.get(place)
    }

    /// The keys at places, in runs.
    pub fn runs(&self, places: Range<usize>) -> impl Iterator<Item = (usize, &[K])> {
        self.keys.runs(places)
    }

    /// Number of states of a level whose keys are less.
    pub fn before(&self, level: usize, key: &K) -> u64 {
        (self.first_at_least(level, key) - self.level(level).start) as u64
    }

    fn first_at_least(&self, level: usize, key: &K) -> usize {
        let Range {
            mut start, mut end, ..
        } = self.level(level);
        while start < end {
            let middle = start + (end - start) / 2;
            if self.keys.get(middle) < key {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        start
    }

    /// Places of the states of a level from one key on and before another, if these are given.
    pub fn between(&self, level: usize, from: Option<&K>, to: Option<&K>) -> Range<usize> {
        let all = self.level(level);
        let place = |key: &K| self.first_at_least(level, key);
        from.map_or(all.start, place)..to.map_or(all.end, place)
    }

    /// Every so manyth state of each level, but for the first: its level and key.
    pub fn every(&self, step: usize) -> impl Iterator<Item = (u32, &K)> {
        (0..self.levels()).flat_map(move |level| {
            let places = self.level(level).step_by(step).skip(1);
            places.map(move |place| (level as u32, self.keys.get(place)))
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.keys.bytes()
    }

    /// Bytes of all keys, as `bytes` counts those of some.
    pub fn key_bytes(&self, bytes: impl Fn(&[K]) -> usize) -> u64 {
        let runs = self.keys.runs(0..self.keys.len());
        runs.map(|(_, keys)| bytes(keys) as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_finds_its_keys_again() {
        let levels: [&[u64]; 5] = [&[7], &[], &[1, 3, 5, 9], &[2, 4], &[]];
        let mut keys = SegmentedVec::new();
        let mut starts = Vec::new();
        for level in levels {
            starts.push(keys.len() as u32);
            keys.extend(level);
        }
        let share = Share::new(keys, starts);
        for (level, expected) in levels.into_iter().enumerate() {
            let all: Vec<_> = share.level(level).map(|place| *share.key(place)).collect();
            assert_eq!(all, expected);
            for from in 0..11 {
                let less = expected.iter().filter(|key| **key < from).count() as u64;
                assert_eq!(share.before(level, &from), less);
                for to in from..11 {
                    let places = share.between(level, Some(&from), Some(&to));
                    let found: Vec<_> = places.map(|place| *share.key(place)).collect();
                    let within = |key: &&u64| (from..to).contains(*key);
                    let wanted: Vec<_> = expected.iter().filter(within).copied().collect();
                    assert_eq!(found, wanted);
                }
            }
            assert_eq!(share.between(level, None, None), share.level(level));
        }
        assert_eq!(
            (0..7)
                .map(|place| share.level_of(place))
                .collect::<Vec<_>>(),
            [0, 2, 2, 2, 2, 3, 3]
        );
        let every: Vec<_> = share.every(2).map(|(level, key)| (level, *key)).collect();
        assert_eq!(every, [(2, 5)]);
    }
}
