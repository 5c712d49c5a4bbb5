//! Random numbers of a seed.

use refmap::internal::mix;

/// SplitMix64 [Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, Fig. 17].
pub struct Random(pub u64);

impl Random {
    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        (number % bound as u64) as usize
    }

    /// True with a chance of so many in a hundred.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// Some of the numbers below a bound, each with a chance.
    pub fn some(&mut self, bound: usize, percent: usize) -> Vec<usize> {
        (0..bound).filter(|_| self.percent(percent)).collect()
    }

    /// Bits that are true with the given chance each.
    pub fn bits(&mut self, count: usize, percent: usize) -> Vec<bool> {
        (0..count).map(|_| self.percent(percent)).collect()
    }

    /// One of those given.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// The numbers below a bound, in some order.
    pub fn shuffled(&mut self, bound: usize) -> Vec<u32> {
        let mut all: Vec<u32> = (0..bound as u32).collect();
        for place in (1..bound).rev() {
            all.swap(place, self.below(place + 1));
        }
        all
    }
}
