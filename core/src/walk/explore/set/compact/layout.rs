//! Division of a number into the part that its place says and the part that a slot has to hold.

use super::line::Line;

/// Home of each number, and the part of it that a slot says.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// The bits of a number.
    pub bits: u32,
    pub lines: u64,
    /// The bits of the product of a number and `lines` that neither the home nor the remainder
    /// needs: numbers with the same home differ in their products by `lines` at least.
    spare: u32,
    /// The bits of a remainder; a slot has the distance above them.
    pub remainder: u32,
    /// Greatest number of lines that a number may be away from home.
    pub farthest: u64,
    /// 2⁶⁴ divided by `lines`, rounded up.
    reciprocal: u128,
}

/// A table needs to be able to keep numbers so many lines away from home.
pub(super) const ENOUGH_FARTHEST: u64 = 7;
/// Lines beyond the last home, at most, for what finds no room there.
const OVERFLOW_LINES: u64 = 8;

impl Layout {
    /// The layout of numbers of `bits` bits on so many lines at least as `slots` slots take.
    pub fn new<L: Line>(bits: u32, slots: usize) -> Self {
        let lines = slots.div_ceil(L::SLOTS) as u64;
        let spare = lines.ilog2().min(bits);
        let remainder = bits - spare;
        let for_distance = L::WIDTH.saturating_sub(remainder + 1).min(16);
        Self {
            bits,
            lines,
            spare,
            remainder,
            farthest: (1 << for_distance) - 1,
            reciprocal: (1u128 << 64).div_ceil(u128::from(lines)),
        }
    }

    /// Lines in all.
    pub fn all_lines(&self) -> usize {
        (self.lines + self.lines.min(OVERFLOW_LINES)) as usize
    }

    /// The line at which a number is at home, and what a slot of that line holds for it: one more
    /// than the remainder, so that it is not 0. The number's bits are the upper bits of `number`.
    ///
    /// PERF: so the home is the upper word of a product, and no shift by a variable finds it.
    #[inline(always)]
    pub fn home(&self, number: u64) -> (usize, u64) {
        let product = u128::from(number) * u128::from(self.lines);
        let home = (product >> 64) as usize;
        // There may be no remainder at all, and no word is shifted by all its bits at once.
        let remainder = product as u64 >> 1 >> (63 - self.remainder);
        (home, remainder + 1)
    }

    /// The number whose home and slot these are: the only one whose product with `lines` has them for
    /// its upper bits. Its bits are the upper bits of the answer.
    #[inline(always)]
    pub fn number(&self, home: usize, slot: u64) -> u64 {
        self.low_number(home, slot) << (64 - self.bits)
    }

    /// The same, as the lower bits.
    #[inline(always)]
    fn low_number(&self, home: usize, slot: u64) -> u64 {
        let least = (home as u128) << self.bits | u128::from(slot - 1) << self.spare;
        match u64::try_from(least) {
            // PERF: a multiplication in the place of a division; what is rounded up is at most 1 too
            // much.
            Ok(least) => {
                let about = ((u128::from(least) * self.reciprocal) >> 64) as u64;
                let about = about.saturating_sub(1);
                (about..)
                    .find(|number| number * self.lines >= least)
                    .expect("a number that is large enough comes soon")
            }
            Err(_) => least.div_ceil(u128::from(self.lines)) as u64,
        }
    }

    /// Home in `other` of a number whose home and slot these are, and what a slot has there.
    ///
    /// PERF: where there are as many lines, or twice as many, the number itself is not needed. With twice as
    /// many its product is twice as large: one bit more of it is the home's, and one less the remainder's.
    #[inline(always)]
    pub fn moved(&self, other: &Self, home: usize, slot: u64) -> (usize, u64) {
        if other.lines == self.lines {
            return (home, slot);
        }
        if other.lines == 2 * self.lines && other.remainder + 1 == self.remainder {
            let rest = slot - 1;
            let first = rest >> other.remainder;
            return (
                2 * home + first as usize,
                rest - (first << other.remainder) + 1,
            );
        }
        other.home(self.number(home, slot))
    }

    /// Amount that is added to a slot for each line that it is away from home.
    #[inline(always)]
    pub fn step(&self) -> u64 {
        // One bit more than the remainder has, since the slot holds one more than that.
        1 << (self.remainder + 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::line::Wide;
    use super::*;

    #[test]
    fn a_home_and_a_remainder_name_one_number() {
        for bits in [1, 3, 9, 12] {
            for lines in [1, 2, 3, 5, 8, 13, 100, 1000] {
                let layout = Layout::new::<Wide>(bits, lines * Wide::SLOTS);
                let others = [lines, 2 * lines, 3 * lines, lines + 1]
                    .map(|lines| Layout::new::<Wide>(bits, lines * Wide::SLOTS));
                let mut seen = HashSet::new();
                for number in (0..1 << bits).map(|number: u64| number << (64 - bits)) {
                    let (home, slot) = layout.home(number);
                    assert!(home < lines && slot > 0 && slot <= 1 << layout.remainder);
                    assert!(seen.insert((home, slot)));
                    assert_eq!(layout.number(home, slot), number);
                    for other in &others {
                        assert_eq!(layout.moved(other, home, slot), other.home(number));
                    }
                }
            }
        }
        // Wide numbers, on lines as many as there are where numbers become that wide, the ends of the range included.
        for bits in 13..=58 {
            for lines in [1, 7, 64, 1000, 12_345, 100_003] {
                let layout = Layout::new::<Wide>(bits, lines * Wide::SLOTS);
                let others = [2 * lines, 3 * lines / 2 + 1]
                    .map(|lines| Layout::new::<Wide>(bits, lines * Wide::SLOTS));
                let largest = (1u64 << bits) - 1;
                let drawn =
                    (0..50u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits));
                let bounds = (1..8).map(|n| largest / 8 * n);
                for number in drawn.chain(bounds).chain([0, 1, largest - 1, largest]) {
                    let number = number << (64 - bits);
                    let (home, slot) = layout.home(number);
                    assert!(home < lines && slot > 0 && slot <= 1 << layout.remainder);
                    assert_eq!(
                        layout.number(home, slot),
                        number,
                        "{bits} bits, {lines} lines"
                    );
                    for other in &others {
                        assert_eq!(layout.moved(other, home, slot), other.home(number));
                    }
                }
            }
        }
        let layout = Layout::new::<Wide>(58, 12_345 * Wide::SLOTS);
        for number in (0..1 << 58)
            .step_by((1 << 40) + 12_347)
            .map(|n: u64| n << 6)
        {
            let (home, slot) = layout.home(number);
            assert_eq!(layout.number(home, slot), number);
        }
    }
}
