//! Vectors with a bound.

use std::array;
use std::fmt::{self, Debug};
use std::iter::Take;
use std::ops::{Deref, DerefMut};

use serde::{Serialize, Serializer};

/// A vector of at most `N` elements, which takes no memory of its own.
///
/// ```
/// use refmap::BoundedVec;
///
/// let mut queue: BoundedVec<u8, 3> = [5, 6].into_iter().collect();
/// queue.push(7);
/// assert_eq!(*queue, [5, 6, 7]);
/// assert_eq!(queue.pop(), Some(7));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoundedVec<T, const N: usize> {
    /// Elements, of which those beyond the length are the default.
    elements: [T; N],
    length: u8,
}

impl<T: Copy + Default, const N: usize> BoundedVec<T, N> {
    /// An empty one.
    #[inline]
    pub fn new() -> Self {
        const {
            assert!(
                N <= u8::MAX as usize,
                "a bounded vector has at most 255 elements"
            )
        };
        Self {
            elements: [T::default(); N],
            length: 0,
        }
    }

    /// Vector of so many elements, each of which is the default; of `N` if they were more.
    #[inline(always)]
    pub(crate) fn of_length(length: usize) -> Self {
        let mut all = Self::new();
        all.length = length.min(N) as u8;
        all
    }

    /// Appends an element.
    ///
    /// # Panics
    ///
    /// If there are `N` already.
    #[inline]
    pub fn push(&mut self, element: T) {
        let place = self.elements.get_mut(usize::from(self.length));
        *place.expect("a bounded vector is full") = element;
        self.length += 1;
    }

    /// Removes the last element.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let last = self.length.checked_sub(1)?;
        self.length = last;
        Some(std::mem::take(&mut self.elements[usize::from(last)]))
    }

    /// Removes the element at `index`; those after it move up.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[inline]
    pub fn remove(&mut self, index: usize) -> T {
        let removed = self[index];
        self[index..].rotate_left(1);
        self.pop();
        removed
    }

    /// Removes all elements.
    #[inline]
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

impl<T, const N: usize> Deref for BoundedVec<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.elements[..usize::from(self.length)]
    }
}

impl<T, const N: usize> DerefMut for BoundedVec<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements[..usize::from(self.length)]
    }
}

impl<T: Copy + Default, const N: usize> Default for BoundedVec<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy + Default, const N: usize> Extend<T> for BoundedVec<T, N> {
    #[inline]
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        elements.into_iter().for_each(|element| self.push(element));
    }
}

impl<T: Copy + Default, const N: usize> FromIterator<T> for BoundedVec<T, N> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut all = Self::new();
        all.extend(elements);
        all
    }
}

impl<T, const N: usize> IntoIterator for BoundedVec<T, N> {
    type Item = T;
    type IntoIter = Take<array::IntoIter<T, N>>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.elements.into_iter().take(usize::from(self.length))
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a BoundedVec<T, N> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a mut BoundedVec<T, N> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: Debug, const N: usize> Debug for BoundedVec<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<T: Serialize, const N: usize> Serialize for BoundedVec<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Former elements leave no trace: equal vectors are equal in every way.
    #[test]
    fn vectors_of_equal_elements_are_equal() {
        let mut popped: BoundedVec<u8, 4> = [1, 2, 3, 4].into_iter().collect();
        popped.pop();
        assert_eq!(popped.remove(0), 1);
        let fresh: BoundedVec<u8, 4> = [2, 3].into_iter().collect();
        assert_eq!(popped, fresh);
        assert_eq!(popped.into_iter().collect::<Vec<_>>(), [2, 3]);
        popped.clear();
        assert_eq!((popped, popped.pop()), (BoundedVec::new(), None));
    }

    #[test]
    #[should_panic(expected = "a bounded vector is full")]
    fn no_element_is_lost() {
        let _: BoundedVec<u8, 2> = [1, 2, 3].into_iter().collect();
    }
}
