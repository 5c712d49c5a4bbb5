//! A set of indices below 64 in one word, which is part of a state or as small as one. A set of the states of a graph, of which there are
//! many, is `liveness::Bits`, with a bound that is known at run time.

use std::fmt::{self, Debug, Formatter};

use serde::{Serialize, Serializer};

use crate::state::limits::LimitsFault;
use crate::state::{
    Changes, Drawn, Exact, Kept, Limits, Misfit, NameVisitor, Names, Shape, Sink, Source, State,
};

/// A set of indices from 0 to 63, kept as a bit for each.
///
/// In reports and in `Debug` it is the set of its elements. In a state it takes as many bits as its range has values:
/// `#[state(range = 0..system.nodes)]`, or 64.
///
/// ```
/// use refmap::IndexSet;
///
/// let mut seen = IndexSet::from_iter([2, 5]);
/// assert!(seen.insert(3) && !seen.insert(5));
/// assert_eq!(format!("{seen:?}"), "{2, 3, 5}");
/// assert!(seen.is_subset(IndexSet::below(6)));
/// assert_eq!(seen.difference(IndexSet::below(3)).iter().collect::<Vec<_>>(), [3, 5]);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexSet(u64);

impl IndexSet {
    /// The set of nothing.
    pub const EMPTY: Self = Self(0);

    /// The indices below `count`.
    ///
    /// # Panics
    ///
    /// If there are more than 64.
    #[inline]
    pub fn below(count: usize) -> Self {
        assert!(count <= 64, "{count} indices are more than 64");
        Self(u64::MAX.checked_shr(64 - count as u32).unwrap_or(0))
    }

    /// The bit of an index.
    #[inline]
    fn bit(index: usize) -> u64 {
        assert!(index < 64, "{index} is not an index from 0 to 63");
        1 << index
    }

    /// Adds an index, and says whether it is new.
    ///
    /// # Panics
    ///
    /// If it is more than 63.
    #[inline]
    pub fn insert(&mut self, index: usize) -> bool {
        let before = self.0;
        self.0 |= Self::bit(index);
        self.0 != before
    }

    /// Removes an index, and says whether it was there.
    #[inline]
    pub fn remove(&mut self, index: usize) -> bool {
        let there = self.contains(index);
        if there {
            self.0 &= !Self::bit(index);
        }
        there
    }

    /// True if an index is there.
    #[inline]
    pub fn contains(self, index: usize) -> bool {
        index < 64 && self.0 & Self::bit(index) != 0
    }

    /// Number of indices.
    #[inline]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// True if there is none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Indices that are in one of both.
    #[must_use]
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Indices that are in both.
    #[must_use]
    #[inline]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Indices that are not in `other`.
    #[must_use]
    #[inline]
    pub fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// True if all are in `other`.
    #[inline]
    pub fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The indices, the least first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let index = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(index)
        })
    }
}

impl FromIterator<usize> for IndexSet {
    fn from_iter<I: IntoIterator<Item = usize>>(indices: I) -> Self {
        let mut set = Self::EMPTY;
        for index in indices {
            set.insert(index);
        }
        set
    }
}

impl Debug for IndexSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for IndexSet {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// The least and the greatest index that there may be.
fn bounds(limits: Limits) -> (i128, i128) {
    limits.or(0, 63)
}

/// A bit for each of the indices that there may be, from the least one on.
#[inline(always)]
fn mask(limits: Limits) -> u64 {
    let (low, high) = bounds(limits);
    let count = (high - low + 1).clamp(0, 64);
    u64::MAX.checked_shr(64 - count as u32).unwrap_or(0)
}

impl<S: ?Sized> State<S> for IndexSet {
    const KEPT: Kept = Kept::Encoded;
    const EXACT: Exact<Self> = Exact::of_parts(&[]);
    const DRAWN: Drawn = Drawn::Set;

    fn shape(_: &S, limits: Limits) -> Shape {
        let of = "IndexSet";
        if let Some(fault) = limits.length_of(of) {
            return Shape::wrong(fault);
        }
        if limits.is_varint() {
            return Shape::wrong(LimitsFault::NoVarint { of });
        }
        let (low, high) = bounds(limits);
        // A set of no indices has one value.
        if low > high + 1 {
            return Shape::wrong(LimitsFault::Empty { low, high });
        }
        if low < 0 || high > 63 {
            return Shape::wrong(LimitsFault::Beyond {
                low,
                high,
                of,
                least: 0,
                most: 63,
            });
        }
        Shape::number(mask(limits)).with_integers()
    }

    #[inline(always)]
    fn write(&self, _: &S, limits: Limits, sink: &mut impl Sink) {
        let (low, high) = bounds(limits);
        let mask = mask(limits);
        let within = self.0.checked_shr(low as u32).unwrap_or(0);
        if within & !mask != 0 || within.checked_shl(low as u32).unwrap_or(0) != self.0 {
            let outside = self.iter().map(|index| index as i128);
            let mut outside = outside.filter(|index| *index < low || *index > high);
            let value = outside.next().unwrap_or(low);
            return sink.misfit(Misfit::Integer { value, low, high });
        }
        sink.number(mask, within);
    }

    #[inline(always)]
    fn read(_: &S, limits: Limits, source: &mut impl Source) -> Self {
        let (low, _) = bounds(limits);
        Self(
            source
                .number(mask(limits))
                .checked_shl(low as u32)
                .unwrap_or(0),
        )
    }

    #[inline(always)]
    fn width(_: &S, limits: Limits) -> u32 {
        mask(limits).count_ones()
    }

    #[inline(always)]
    fn write_changes(
        &self,
        from: &Self,
        system: &S,
        limits: Limits,
        at: impl Fn() -> u32 + Copy,
        changes: &mut Changes<'_>,
    ) {
        if self != from {
            changes.replace((self, at()), system, limits);
        }
    }
}

impl Names for IndexSet {
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
        visit.members(group, &mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::walk::random::Generator;

    /// Each function is that of a set of numbers, up to the last bit.
    #[test]
    fn it_is_a_set() {
        let random = &mut Generator::new(1);
        for _ in 0..200 {
            let mut draw = |most: usize| -> BTreeSet<usize> {
                let count = random.below(70);
                (0..count).map(|_| random.below(most)).collect()
            };
            let [one, other] = [draw(64), draw(64)];
            let of = |set: &BTreeSet<usize>| IndexSet::from_iter(set.iter().copied());
            let [packed, beside] = [of(&one), of(&other)];
            assert!(packed.iter().eq(one.iter().copied()));
            assert_eq!(
                (packed.len(), packed.is_empty()),
                (one.len(), one.is_empty())
            );
            assert_eq!(packed.union(beside), of(&(&one | &other)));
            assert_eq!(packed.intersection(beside), of(&(&one & &other)));
            assert_eq!(packed.difference(beside), of(&(&one - &other)));
            assert_eq!(packed.is_subset(beside), one.is_subset(&other));
            for index in 0..70 {
                assert_eq!(packed.contains(index), one.contains(&index), "{index}");
                let (mut fewer, mut without) = (packed, one.clone());
                assert_eq!(fewer.remove(index), without.remove(&index), "{index}");
                assert_eq!(fewer, of(&without));
            }
            for index in 0..64 {
                let (mut more, mut with) = (packed, one.clone());
                assert_eq!(more.insert(index), with.insert(index), "{index}");
                assert_eq!(more, of(&with));
            }
        }
        for count in 0..=64 {
            assert!(IndexSet::below(count).iter().eq(0..count));
        }
        let listed = serde_json::to_value(IndexSet::from_iter([63, 3]));
        assert_eq!(listed.expect("it is a list"), serde_json::json!([3, 63]));
    }

    #[test]
    #[should_panic(expected = "64 is not an index from 0 to 63")]
    fn an_index_that_is_too_large_is_refused() {
        let mut set = IndexSet::EMPTY;
        set.insert(64);
    }
}
