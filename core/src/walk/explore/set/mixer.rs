//! A reversible bit mixer: it spreads the numbers of a fixed number of bits evenly over all such numbers.

/// A permutation of the numbers of a fixed number of bits.
///
/// Multiplying by an odd number carries each bit upwards, and folding the upper half onto the lower
/// brings what is there down again; modulo a power of two both can be undone.
#[derive(Clone, Copy)]
pub(super) struct BitMixer {
    mask: u64,
    half: u32,
}

impl BitMixer {
    /// A permutation of the numbers of `bits` bits, from 1 to 64.
    pub fn new(bits: u32) -> Self {
        Self {
            mask: u64::MAX >> (64 - bits.clamp(1, 64)),
            half: bits.div_ceil(2).max(1),
        }
    }

    /// Number of bits that its numbers have.
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
            let mixer = BitMixer::new(bits);
            let mut hit = vec![false; 1 << bits];
            for number in 0..1 << bits {
                let to = mixer.of(number) as usize;
                assert!(
                    !std::mem::replace(&mut hit[to], true),
                    "{number} of {bits} bits"
                );
            }
        }
    }

    /// The factor that undoes `factor`, modulo 2⁶⁴ and so modulo any smaller power of two: Newton's iteration.
    fn inverse(factor: u64) -> u64 {
        let mut inverse = factor;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(inverse)));
        }
        inverse
    }

    /// It can be undone for numbers of any width, so it is a permutation of them.
    #[test]
    fn it_can_be_undone_at_every_width() {
        for bits in 1..=64 {
            let mixer = BitMixer::new(bits);
            assert_eq!(mixer.bits(), bits);
            let largest = u64::MAX >> (64 - bits);
            let drawn = (0..2000u64).map(|n| n.wrapping_mul(0x0123_4567_89AB_CDEF).rotate_left(7));
            let single = (0..bits).map(|bit| 1 << bit);
            for number in drawn.chain(single).chain([0, largest]) {
                let number = number & largest;
                let to = mixer.of(number);
                assert!(to <= largest, "{number:#x} of {bits} bits");
                let folded = to.wrapping_mul(inverse(0xD6E8_FEB8_6659_FD93)) & largest;
                // The upper half is as it was, and the lower one is folded back.
                let mut mixed = folded;
                for _ in 0..64 {
                    mixed = folded ^ mixed >> bits.div_ceil(2).max(1);
                }
                let back = mixed.wrapping_mul(inverse(0x9E37_79B9_7F4A_7C15)) & largest;
                assert_eq!(back, number, "{number:#x} of {bits} bits");
            }
        }
    }

    /// The upper bits, by which numbers are told apart first, depend on every bit.
    #[test]
    fn every_bit_reaches_the_upper_bits() {
        for bits in [20, 45, 64] {
            let mixer = BitMixer::new(bits);
            for bit in 0..bits {
                let changed = (0..1000u64)
                    .map(|n| n.wrapping_mul(0x0123_4567_89AB_CDEF) & mixer.mask)
                    .filter(|n| {
                        let other = n ^ 1 << bit;
                        (mixer.of(*n) ^ mixer.of(other)) >> (bits - 8) != 0
                    });
                assert!(changed.count() > 900, "bit {bit} of {bits}");
            }
        }
    }
}
