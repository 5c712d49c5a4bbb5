//! Values by number, in the order in which they first came.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;
use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Different values, each with a number from 0 on.
pub(crate) struct Numbered<T> {
    values: Vec<T>,
    numbers: HashTable<u32>,
    hasher: FixedState,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            numbers: HashTable::new(),
            hasher: FixedState::default(),
        }
    }
}

impl<T: Eq + Hash> Numbered<T> {
    /// The number of a value, which gets the next one if it is new.
    pub fn number(&mut self, value: T) -> u32 {
        let Self {
            values,
            numbers,
            hasher,
        } = self;
        let is_it = |number: &u32| values[*number as usize] == value;
        let hash_of = |number: &u32| hasher.hash_one(&values[*number as usize]);
        let entry = numbers.entry(hasher.hash_one(&value), is_it, hash_of);
        let number = *entry.or_insert(values.len() as u32).get();
        if number as usize == values.len() {
            values.push(value);
        }
        number
    }

    /// The number of a value that came.
    pub fn find<Q: Eq + Hash + ?Sized>(&self, value: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
    {
        let is_it = |number: &u32| self.values[*number as usize].borrow() == value;
        let found = self.numbers.find(self.hasher.hash_one(value), is_it);
        found.copied()
    }

    /// The values, in the order of their numbers.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The same, and nothing else.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }
}

/// Values that several workers number, in the order in which they turn up.
pub(crate) struct SharedNumbers<T>(Mutex<Numbered<T>>);

/// The numbers of the values that a worker has met.
pub(crate) type MetNumbers<T> = HashMap<T, u32>;

impl<T: Clone + Eq + Hash> SharedNumbers<T> {
    /// No value yet.
    pub fn new() -> Self {
        Self(Mutex::default())
    }

    /// The number of a value.
    #[inline]
    pub fn number(&self, met: &mut MetNumbers<T>, value: T) -> u32 {
        *met.entry(value)
            .or_insert_with_key(|value| self.all_locked().number(value.clone()))
    }

    /// All values, in the order of their numbers.
    pub fn all(&self) -> Vec<T> {
        self.all_locked().values().to_vec()
    }

    /// Values numbered so far. A value of the model may have panicked with the lock; those before it are as they were.
    fn all_locked(&self) -> MutexGuard<'_, Numbered<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use foldhash::HashMapExt;

    use super::*;

    #[test]
    fn workers_give_a_value_the_same_number() {
        let shared = SharedNumbers::new();
        let [mut first, mut second] = [0, 1].map(|_| MetNumbers::new());
        for value in 0..300_u32 {
            assert_eq!(shared.number(&mut first, value * 3), value);
        }
        for value in (0..310).rev() {
            let number = shared.number(&mut second, value * 3);
            assert_eq!(number, if value < 300 { value } else { 609 - value });
        }
        assert_eq!(shared.number(&mut first, 303 * 3), 306);
        assert_eq!(shared.all().len(), 310);
    }

    #[test]
    fn a_value_has_one_number() {
        let mut numbered = Numbered::default();
        for round in 0..2 {
            for value in 0..1000_u32 {
                assert_eq!(numbered.find(&(value * 7)), (round > 0).then_some(value));
                assert_eq!(numbered.number(value * 7), value);
            }
        }
        assert_eq!(numbered.find(&1), None);
        assert!(
            numbered
                .values()
                .iter()
                .copied()
                .eq((0..1000).map(|value| value * 7))
        );
        assert_eq!(numbered.into_values().len(), 1000);
    }
}
