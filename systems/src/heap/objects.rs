//! Sets of objects, and what can be reached from them.

use std::fmt;

use refmap::state::{NameVisitor, Names};
use serde::Serialize;

/// An object, from 0.
pub type Object = u8;

/// A set of objects: of those of a heap, of the references of a memory, or of the nodes of Ben-Ari's.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, refmap::State)]
pub struct Objects(pub u8);

impl Names for Objects {
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
        let mut bits = u64::from(self.0);
        visit.members(group, &mut bits);
        self.0 = bits as u8;
    }
}

impl Objects {
    /// The set of one object.
    #[inline]
    pub fn one(object: Object) -> Self {
        Self(1 << object)
    }

    /// The first `count` objects.
    #[inline]
    pub fn first(count: u8) -> Self {
        Self(((1u16 << count) - 1) as u8)
    }

    /// The objects that fields refer to.
    #[inline]
    pub fn of<'f>(fields: impl IntoIterator<Item = &'f Option<Object>>) -> Self {
        let fields = fields.into_iter();
        fields.fold(Self::default(), |all, field| all.with(*field))
    }

    /// The union with an object, if there is one.
    #[must_use]
    #[inline]
    pub fn with(self, object: impl Into<Option<Object>>) -> Self {
        object
            .into()
            .map_or(self, |object| Self(self.0 | 1 << object))
    }

    /// The union.
    #[must_use]
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The intersection.
    #[must_use]
    #[inline]
    pub fn within(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The difference.
    #[must_use]
    #[inline]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Its objects from `bound` up.
    #[must_use]
    #[inline]
    pub fn from(self, bound: u8) -> Self {
        self.without(Self::first(bound))
    }

    /// Inserts `object`.
    pub fn insert(&mut self, object: Object) {
        self.0 |= 1 << object;
    }

    /// Removes `object`.
    pub fn remove(&mut self, object: Object) {
        self.0 &= !(1 << object);
    }

    /// Whether `object` is in it.
    #[inline]
    pub fn contains(self, object: Object) -> bool {
        self.0 >> object & 1 == 1
    }

    /// Whether all its objects are in `other`.
    #[inline]
    pub fn is_subset_of(self, other: Self) -> bool {
        self.without(other).is_empty()
    }

    /// Whether it is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of its objects.
    #[inline]
    pub fn count(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Its objects, in order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Object> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let first = (rest != 0).then(|| rest.trailing_zeros() as Object)?;
            rest &= rest - 1;
            Some(first)
        })
    }

    /// All its subsets.
    pub fn subsets(self) -> impl Iterator<Item = Self> {
        std::iter::once(Self::default()).chain(self.nonempty_subsets())
    }

    /// Its subsets that are not empty.
    pub fn nonempty_subsets(self) -> impl Iterator<Item = Self> {
        (1..=self.0)
            .map(Self)
            .filter(move |subset| subset.is_subset_of(self))
    }

    /// Its objects, and those that can be reached from them, where `referred` are those that an object refers to.
    #[must_use]
    #[inline]
    pub fn reaching(self, referred: impl Fn(Object) -> Self) -> Self {
        self.reaching_until(referred, |_| false)
    }

    /// The same, until `enough` accepts what is found.
    #[must_use]
    #[inline]
    pub fn reaching_until(
        self,
        referred: impl Fn(Object) -> Self,
        enough: impl Fn(Self) -> bool,
    ) -> Self {
        let (mut reached, mut rest) = (self, self.0);
        while rest != 0 && !enough(reached) {
            let object = rest.trailing_zeros() as Object;
            let found = referred(object);
            rest = rest & (rest - 1) | found.without(reached).0;
            reached = reached.and(found);
        }
        reached
    }
}

impl FromIterator<Object> for Objects {
    fn from_iter<I: IntoIterator<Item = Object>>(objects: I) -> Self {
        objects.into_iter().fold(Self::default(), Self::with)
    }
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for Objects {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
