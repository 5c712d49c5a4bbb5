//! Shares: the states of one process, level by level, those of each in the order of their keys.

use std::ops::Range;

use crate::walk::explore::segments::SegmentedVec;

/// Consecutive states of one level, in the order of their keys, up to the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::walk::explore) struct Run {
    pub level: u32,
    /// The place of the first of them.
    pub first: u64,
}

/// The states of one process. A level has one run of them, or two if the search was resumed in its midst.
pub(in crate::walk::explore) struct Share<K> {
    keys: SegmentedVec<K>,
    runs: Vec<Run>,
}

impl<K: Ord + Clone> Share<K> {
    pub fn new(keys: SegmentedVec<K>, runs: Vec<Run>) -> Self {
        Self { keys, runs }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.runs.last().map_or(0, |run| run.level as usize + 1)
    }

    /// Places of the runs of a level.
    pub fn level(&self, level: u32) -> impl Iterator<Item = Range<usize>> {
        let first = self.runs.partition_point(|run| run.level < level);
        let runs = self.runs[first..].iter().enumerate();
        let runs = runs.take_while(move |(_, run)| run.level == level);
        runs.map(move |(number, run)| {
            let next = self.runs.get(first + number + 1);
            let end = next.map_or(self.keys.len(), |next| next.first as usize);
            run.first as usize..end
        })
    }

    /// Number of states of a level.
    pub fn size(&self, level: u32) -> u64 {
        self.level(level).map(|run| run.len() as u64).sum()
    }

    /// The keys at places, in pieces.
    pub fn pieces(&self, places: Range<usize>) -> impl Iterator<Item = &[K]> {
        self.keys.runs(places).map(|(_, keys)| keys)
    }

    /// Number of states of a level whose keys are less.
    pub fn before(&self, level: u32, key: &K) -> u64 {
        let runs = self.level(level);
        runs.map(|run| (self.first_at_least(&run, key) - run.start) as u64)
            .sum()
    }

    fn first_at_least(&self, run: &Range<usize>, key: &K) -> usize {
        let Range { mut start, mut end } = run.clone();
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

    /// Pieces of the keys of a level from one key on and before another, if these are given.
    pub fn between(
        &self,
        level: u32,
        from: Option<&K>,
        to: Option<&K>,
    ) -> impl Iterator<Item = &[K]> {
        self.level(level).flat_map(move |run| {
            let place = |key: &K| self.first_at_least(&run, key);
            let places = from.map_or(run.start, place)..to.map_or(run.end, place);
            self.pieces(places)
        })
    }

    /// Every so manyth state of each run, but for the first: its level and key.
    pub fn every(&self, step: usize) -> impl Iterator<Item = (u32, &K)> {
        (0..self.levels() as u32).flat_map(move |level| {
            let runs = self.level(level);
            runs.flat_map(move |run| {
                let places = run.step_by(step).skip(1);
                places.map(move |place| (level, self.keys.get(place)))
            })
        })
    }

    /// The state of a level with the least key that passes a test, and what that says: `test` finds the first of some keys that does.
    pub fn first<T>(
        &self,
        level: u32,
        mut test: impl FnMut(&[K]) -> Option<(usize, T)>,
    ) -> Option<(&K, T)> {
        let runs = self.level(level).filter_map(|run| {
            self.pieces(run).find_map(|keys| {
                let (place, found) = test(keys)?;
                Some((&keys[place], found))
            })
        });
        runs.min_by(|(one, _), (other, _)| one.cmp(other))
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
        let runs: [(u32, &[u64]); 6] = [
            (0, &[7]),
            (1, &[]),
            (2, &[1, 3, 5, 9]),
            (2, &[2, 4]),
            (3, &[6, 8]),
            (4, &[]),
        ];
        let mut keys = SegmentedVec::new();
        let mut starts = Vec::new();
        for (level, run) in runs {
            starts.push(Run {
                level,
                first: keys.len() as u64,
            });
            keys.extend(run);
        }
        let share = Share::new(keys, starts);
        assert_eq!(share.levels(), 5);
        for level in 0..5 {
            let own = runs.iter().filter(|(of, _)| *of == level);
            let mut expected: Vec<u64> = own.flat_map(|(_, run)| *run).copied().collect();
            expected.sort_unstable();
            assert_eq!(share.size(level), expected.len() as u64);
            for from in 0..11 {
                let less = expected.iter().filter(|key| **key < from).count() as u64;
                assert_eq!(share.before(level, &from), less);
                for to in from..11 {
                    let pieces = share.between(level, Some(&from), Some(&to));
                    let mut found: Vec<_> = pieces.flatten().copied().collect();
                    found.sort_unstable();
                    let within = |key: &&u64| (from..to).contains(*key);
                    let wanted: Vec<_> = expected.iter().filter(within).copied().collect();
                    assert_eq!(found, wanted);
                }
                let large = |keys: &[u64]| {
                    let place = keys.iter().position(|key| *key > from)?;
                    Some((place, keys[place]))
                };
                let first = share.first(level, large).map(|(key, _)| *key);
                assert_eq!(first, expected.iter().find(|key| **key > from).copied());
            }
            assert_eq!(
                share.between(level, None, None).flatten().count(),
                expected.len()
            );
        }
        assert_eq!(share.first(9, |_| Some((0, ()))), None);
        let every: Vec<_> = share.every(2).map(|(level, key)| (level, *key)).collect();
        assert_eq!(every, [(2, 5)]);
    }
}
