//! A set of many numbers, as the states of a graph, with a bit for each number below a bound that is known at run time. A few
//! indices within a state of a model are an [`IndexSet`](crate::IndexSet), which is one word and is copied.

/// A set of numbers below a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// The empty set of numbers below `len`.
    pub fn none(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// Set of the numbers below `len` for which `contains` is true.
    pub fn of(len: usize, contains: impl Fn(u32) -> bool) -> Self {
        let mut bits = Self::none(len);
        (0..len as u32)
            .filter(|at| contains(*at))
            .for_each(|at| bits.insert(at));
        bits
    }

    /// True if a number is in the set.
    #[inline]
    pub fn contains(&self, at: u32) -> bool {
        self.words[at as usize / 64] >> (at % 64) & 1 == 1
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, at: u32) {
        self.words[at as usize / 64] |= 1 << (at % 64);
    }

    /// Takes a number out.
    #[inline]
    pub fn remove(&mut self, at: u32) {
        self.words[at as usize / 64] &= !(1 << (at % 64));
    }

    /// Takes out what is not in `other`, a set of numbers below the same bound.
    pub fn retain(&mut self, other: &Self) {
        debug_assert_eq!(self.len, other.len);
        let words = self.words.iter_mut().zip(&other.words);
        words.for_each(|(one, other)| *one &= other);
    }

    /// The numbers in the set, from the least on.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.len as u32).filter(|at| self.contains(*at))
    }

    /// True if all are in `other`, a set of numbers below the same bound.
    pub fn is_subset(&self, other: &Self) -> bool {
        debug_assert_eq!(self.len, other.len);
        let mut words = self.words.iter().zip(&other.words);
        words.all(|(one, other)| one & !other == 0)
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Around the ends of words, against a set of numbers.
    #[test]
    fn it_is_a_set_of_numbers() {
        for len in [0, 1, 63, 64, 65, 127, 128, 129, 200] {
            for keeps in [1_u32, 2, 63, 64, 65, 1000] {
                let is_in = |at: &u32| (at + 1).is_multiple_of(keeps);
                let mut bits = Bits::of(len, |at| is_in(&at));
                let mut set: BTreeSet<u32> = (0..len as u32).filter(is_in).collect();
                for at in 0..len as u32 {
                    for inserts in [true, false] {
                        let all: Vec<u32> = bits.iter().collect();
                        assert_eq!(all, set.iter().copied().collect::<Vec<_>>());
                        assert!((0..len as u32).all(|at| bits.contains(at) == set.contains(&at)));
                        assert_eq!(bits.is_empty(), set.is_empty());
                        let even = Bits::of(len, |at| at.is_multiple_of(2));
                        let are_even = set.iter().all(|at| at.is_multiple_of(2));
                        assert_eq!(bits.is_subset(&even), are_even);
                        let mut both = bits.clone();
                        both.retain(&even);
                        let even = set.iter().copied().filter(|at| at.is_multiple_of(2));
                        assert!(both.iter().eq(even));
                        if inserts {
                            bits.insert(at);
                            set.insert(at);
                        } else {
                            bits.remove(at);
                            set.remove(&at);
                        }
                    }
                }
                assert!(bits.is_empty() && bits == Bits::none(len));
            }
        }
    }

    /// One number alone, be it the last one.
    #[test]
    fn one_number_is_not_none() {
        for at in 0..200 {
            let bits = Bits::of(200, |other| other == at);
            assert!(!bits.is_empty());
            assert_eq!(bits.iter().collect::<Vec<_>>(), [at]);
        }
    }
}
