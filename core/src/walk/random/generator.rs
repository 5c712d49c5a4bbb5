//! The generator behind every random choice.
//!
//! xoshiro256\*\* seeded by SplitMix64, as its authors advise. Source: Blackman & Vigna, *Scrambled
//! Linear Pseudorandom Number Generators*, ACM TOMS 47, 2021; Steele, Lea & Flood, *Fast Splittable
//! Pseudorandom Number Generators*, OOPSLA 2014. It is stated here, and not taken from a library,
//! because a seed in a bug report has to mean the same walk for ever: the streams of general
//! libraries may change with their versions. Not for secrets.

/// A stream of random numbers that depends on its seed alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator([u64; 4]);

/// SplitMix64: the next state, and what it gives.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A permutation of the words in which every bit of the result depends on every bit of `number`: what takes a
/// sample of numbered things goes by it, since what is wrong with them may come back in step with their numbers.
#[inline]
pub fn mix(number: u64) -> u64 {
    split_mix(&mut { number })
}

impl Generator {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| split_mix(&mut state)))
    }

    /// One of many generators of a seed, told apart by their numbers: what one yields does not
    /// depend on how much was drawn from the others.
    pub fn numbered(seed: u64, number: u64) -> Self {
        let mut state = seed;
        Self::new(split_mix(&mut state) ^ number)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let state = &mut self.0;
        let result = state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = state[3].rotate_left(45);
        result
    }

    /// A number below `bound`, each as likely as the next. Source: Lemire, *Fast Random Integer
    /// Generation in an Interval*, ACM TOMACS 29, 2019.
    ///
    /// # Panics
    ///
    /// If `bound` is 0, below which there is no number.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below 0");
        let bound = bound as u64;
        // Products whose low half is under this would favour some numbers.
        let unfair = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if product as u64 >= unfair {
                return (product >> 64) as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that the authors' program prints for seed 1234567.
    #[test]
    fn split_mix_is_as_published() {
        let mut state = 1_234_567;
        let drawn: [u64; 3] = std::array::from_fn(|_| split_mix(&mut state));
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    /// The numbers that the authors' program prints from the state 1, 2, 3, 4.
    #[test]
    fn xoshiro_is_as_published() {
        let mut generator = Generator([1, 2, 3, 4]);
        let drawn: [u64; 6] = std::array::from_fn(|_| generator.bits());
        assert_eq!(
            drawn,
            [
                11_520,
                0,
                1_509_978_240,
                1_215_971_899_390_074_240,
                1_216_172_134_540_287_360,
                607_988_272_756_665_600
            ]
        );
    }

    #[test]
    fn every_number_below_a_bound_is_as_likely() {
        let mut generator = Generator::new(0);
        let mut drawn = [0u32; 7];
        for _ in 0..70_000 {
            drawn[generator.below(7)] += 1;
        }
        assert!(drawn.iter().all(|times| (9_500..10_500).contains(times)));
        assert_eq!(generator.below(1), 0);
    }

    #[test]
    fn numbers_below_a_bound_of_more_than_32_bits_are_as_large() {
        let mut generator = Generator::new(0);
        let most = 1 << 40;
        let drawn: Vec<usize> = (0..1000).map(|_| generator.below(most)).collect();
        let upper = drawn.iter().filter(|one| **one >= most / 2).count();
        assert!((400..600).contains(&upper), "{upper}");
        assert!(drawn.iter().all(|one| *one < most));
    }

    #[test]
    fn seeds_and_numbers_tell_generators_apart() {
        let first = |mut generator: Generator| generator.bits();
        let mut drawn: Vec<_> = (0..100)
            .flat_map(|seed| (0..100).map(move |number| Generator::numbered(seed, number)))
            .map(first)
            .collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 10_000);
    }
}
