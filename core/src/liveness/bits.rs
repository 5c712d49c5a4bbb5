//! A set of states, of a bit each.

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

    /// Those of the numbers below `len` for which `contains` is true.
    pub fn of(len: usize, contains: impl Fn(u32) -> bool) -> Self {
        let mut bits = Self::none(len);
        (0..len as u32)
            .filter(|at| contains(*at))
            .for_each(|at| bits.insert(at));
        bits
    }

    /// Whether a number is in the set.
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

    /// The numbers in the set, from the least on.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.len as u32).filter(|at| self.contains(*at))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }
}
