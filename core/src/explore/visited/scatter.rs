//! A reversible way to spread numbers of so many bits evenly over all such numbers.

/// A permutation of the numbers of a fixed number of bits.
///
/// Multiplying by an odd number carries each bit upwards, and folding the upper half onto the lower
/// brings what is there down again; modulo a power of two both can be undone.
#[derive(Clone, Copy)]
pub(super) struct Scatter {
    mask: u64,
    half: u32,
}

impl Scatter {
    /// A permutation of the numbers of `bits` bits, from 1 to 64.
    pub fn new(bits: u32) -> Self {
        Self {
            mask: u64::MAX >> (64 - bits.clamp(1, 64)),
            half: bits.div_ceil(2).max(1),
        }
    }

    /// How many bits its numbers have.
    pub fn bits(self) -> u32 {
        self.mask.count_ones()
    }

    /// The number that `number` becomes.
    #[inline(always)]
    pub fn of(self, number: u64) -> u64 {
        let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) & self.mask;
        let folded = mixed ^ mixed >> self.half;
        folded.wrapping_mul(0xD6E8_FEB8_6659_FD93) & self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_numbers_become_one() {
        for bits in 1..=16 {
            let scatter = Scatter::new(bits);
            let mut hit = vec![false; 1 << bits];
            for number in 0..1 << bits {
                let to = scatter.of(number) as usize;
                assert!(
                    !std::mem::replace(&mut hit[to], true),
                    "{number} of {bits} bits"
                );
            }
        }
    }

    /// The upper bits, by which numbers are told apart first, depend on every bit.
    #[test]
    fn every_bit_reaches_the_upper_bits() {
        for bits in [20, 45, 64] {
            let scatter = Scatter::new(bits);
            for bit in 0..bits {
                let changed = (0..1000u64)
                    .map(|n| n.wrapping_mul(0x0123_4567_89AB_CDEF) & scatter.mask)
                    .filter(|n| {
                        let other = n ^ 1 << bit;
                        (scatter.of(*n) ^ scatter.of(other)) >> (bits - 8) != 0
                    });
                assert!(changed.count() > 900, "bit {bit} of {bits}");
            }
        }
    }
}
