//! Bits of states, one number after the other.

use super::code::Code;
use super::shape::bits;
use super::sink::{Misfit, Sink, Source};

/// Words that bits are written into.
pub(crate) trait Buffer {
    /// True if what is written later is at the same place in all states.
    const IS_FIXED: bool;

    /// Writes the next word.
    fn push(&mut self, word: u64);

    /// Number of bits that were written.
    fn len(&self) -> usize;
}

/// A fixed number of words.
pub(crate) struct Fixed<const N: usize> {
    words: [u64; N],
    len: usize,
}

impl<const N: usize> Buffer for Fixed<N> {
    const IS_FIXED: bool = true;

    #[inline(always)]
    fn push(&mut self, word: u64) {
        if let Some(place) = self.words.get_mut(self.len) {
            *place = word;
        }
        self.len += 1;
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }
}

/// As many words as it takes.
///
/// PERF: the first ones are gathered on the stack, so that memory is asked for once, when it is known how many there are.
pub(crate) struct Growing {
    first: [u64; FIRST],
    len: usize,
    /// All of them, if they are more.
    all: Vec<u64>,
}

/// Words gathered on the stack.
const FIRST: usize = 12;

impl Buffer for Growing {
    const IS_FIXED: bool = false;

    #[inline(always)]
    fn push(&mut self, word: u64) {
        match self.first.get_mut(self.len) {
            Some(place) => *place = word,
            None => self.push_beyond(word),
        }
        self.len += 1;
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }
}

impl Growing {
    #[cold]
    fn push_beyond(&mut self, word: u64) {
        if self.all.is_empty() {
            self.all.extend(self.first);
        }
        self.all.push(word);
    }
}

/// Writes numbers, each into as many bits as the greatest one takes.
///
/// PERF: a word is gathered in a register.
pub(crate) struct BitWriter<B> {
    buffer: B,
    word: u64,
    filled: u32,
    misfits: bool,
}

impl<const N: usize> BitWriter<Fixed<N>> {
    /// For states of at most `N` words.
    #[inline(always)]
    pub fn fixed() -> Self {
        Self::on(Fixed {
            words: [0; N],
            len: 0,
        })
    }

    /// Bits that were written; none if some value was outside of its range, or if there was more than there is room for.
    #[inline(always)]
    pub fn words(mut self) -> Option<[u64; N]> {
        if self.filled > 0 {
            self.buffer.push(self.word);
        }
        (!self.misfits && self.buffer.len <= N).then_some(self.buffer.words)
    }
}

impl BitWriter<Growing> {
    /// For states of any size.
    #[inline(always)]
    pub fn growing() -> Self {
        Self::on(Growing {
            first: [0; FIRST],
            len: 0,
            all: Vec::new(),
        })
    }

    /// Bits that were written; none if some value was outside of its range.
    ///
    /// PERF: it is copied once.
    #[inline(always)]
    pub fn code(&mut self) -> Option<Code> {
        if self.filled > 0 {
            self.buffer.push(self.word);
        }
        if self.misfits {
            return None;
        }
        let Growing { first, len, all } = &self.buffer;
        Some(Code::of(first.get(..*len).unwrap_or(all)))
    }
}

impl<B> BitWriter<B> {
    #[inline(always)]
    fn on(buffer: B) -> Self {
        Self {
            buffer,
            word: 0,
            filled: 0,
            misfits: false,
        }
    }
}

impl<B: Buffer> BitWriter<B> {
    /// Number of bits that were written, or left out.
    #[inline(always)]
    pub fn bits(&self) -> u32 {
        self.buffer.len() as u32 * u64::BITS + self.filled
    }
}

impl<B: Buffer> Sink for BitWriter<B> {
    #[inline(always)]
    fn number(&mut self, most: u64, value: u64) {
        let bits = bits(most);
        self.misfits |= value > most;
        // The value of one that does not fit is not used, and must not reach over its bits.
        self.word |= value << (self.filled % u64::BITS);
        let filled = self.filled + bits;
        if filled < u64::BITS {
            self.filled = filled;
            return;
        }
        self.buffer.push(self.word);
        self.filled = filled - u64::BITS;
        // What is left of the value. All of it went in if nothing is, and then a shift by all bits would do nothing.
        self.word = match self.filled {
            0 => 0,
            left => value >> (bits - left),
        };
    }

    #[inline(always)]
    fn misfit(&mut self, _: Misfit) {
        self.misfits = true;
    }

    /// PERF: one comparison tests both ends of a range, since what is below it is a large number.
    #[inline(always)]
    fn integer(&mut self, low: i128, high: i128, value: i128) {
        self.number(
            (high as u64).wrapping_sub(low as u64),
            (value as u64).wrapping_sub(low as u64),
        );
    }

    #[inline(always)]
    fn skip(&mut self, bits: u32) {
        if B::IS_FIXED {
            self.filled += bits;
            while self.filled >= u64::BITS {
                self.buffer.push(self.word);
                self.word = 0;
                self.filled -= u64::BITS;
            }
        }
    }
}

/// Reads numbers as a [`BitWriter`] writes them into a fixed number of words.
///
/// PERF: the number that is next is in the lowest bits, so that nothing has to be known of those before it. States take one
/// word or two, which are in registers.
pub(crate) struct FixedReader<const N: usize>([u64; N]);

impl<const N: usize> FixedReader<N> {
    #[inline(always)]
    pub const fn new(words: [u64; N]) -> Self {
        Self(words)
    }

    /// Leaves out so many bits, which are at most a word.
    #[inline(always)]
    fn shift(&mut self, bits: u32) {
        for index in 0..N {
            let above = self.0.get(index + 1).copied().unwrap_or(0);
            let low = self.0[index].checked_shr(bits).unwrap_or(0);
            self.0[index] = low | above.checked_shl(u64::BITS - bits).unwrap_or(0);
        }
    }
}

impl<const N: usize> Source for FixedReader<N> {
    #[inline(always)]
    fn number(&mut self, most: u64) -> u64 {
        let bits = bits(most);
        let value = self.0.first().copied().unwrap_or(0) & mask(bits);
        self.shift(bits);
        value
    }

    #[inline(always)]
    fn skip(&mut self, bits: u32) {
        let mut left = bits;
        while left > u64::BITS {
            self.shift(u64::BITS);
            left -= u64::BITS;
        }
        self.shift(left);
    }
}

/// The lowest bits, so many.
#[inline(always)]
fn mask(bits: u32) -> u64 {
    u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0)
}

/// Reads numbers as a [`BitWriter`] writes them into as many words as they take.
///
/// PERF: what is left of a word is in a register.
pub(crate) struct BitReader<'a> {
    words: &'a [u64],
    /// The word that is next.
    next: usize,
    /// Bits that are left of the one before, and their number.
    word: u64,
    left: u32,
}

impl<'a> BitReader<'a> {
    #[inline(always)]
    pub fn new(words: &'a [u64]) -> Self {
        Self {
            words,
            next: 0,
            word: 0,
            left: 0,
        }
    }
}

impl Source for BitReader<'_> {
    #[inline(always)]
    fn number(&mut self, most: u64) -> u64 {
        let bits = bits(most);
        let mask = mask(bits);
        if bits <= self.left {
            let value = self.word & mask;
            // All of a word leaves nothing, and is not looked at again.
            self.word >>= bits % u64::BITS;
            self.left -= bits;
            return value;
        }
        let word = self.words.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        let value = (self.word | word << self.left) & mask;
        let taken = bits - self.left;
        self.word = word.checked_shr(taken).unwrap_or(0);
        self.left = u64::BITS - taken;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::random::Generator;

    /// Numbers of all widths, in random order, are read as they were written, from few words and from many.
    #[test]
    fn what_is_written_is_read() {
        let mut generator = Generator::new(11);
        for length in (0..200).chain([1000]) {
            let numbers: Vec<(u64, u64)> = (0..length)
                .map(|_| {
                    let most = generator.bits() >> (generator.bits() % 64);
                    let value = match most {
                        u64::MAX => generator.bits(),
                        _ => generator.bits() % (most + 1),
                    };
                    (most, value)
                })
                .collect();
            let mut writer = BitWriter::growing();
            for (most, value) in &numbers {
                writer.number(*most, *value);
            }
            let code = writer.code().expect("all are in range");
            let mut reader = BitReader::new(code.words());
            for (most, value) in &numbers {
                assert_eq!(reader.number(*most), *value);
            }
            let mut writer = BitWriter::<Fixed<8>>::fixed();
            for (most, value) in &numbers {
                writer.number(*most, *value);
            }
            let bits: u32 = numbers
                .iter()
                .map(|(most, _)| u64::BITS - most.leading_zeros())
                .sum();
            let words = writer.words();
            assert_eq!(words.is_some(), bits <= 8 * 64);
            if let Some(words) = words {
                let mut reader = FixedReader::new(words);
                assert!(
                    numbers
                        .iter()
                        .all(|(most, value)| reader.number(*most) == *value)
                );
            }
        }
    }

    #[test]
    fn a_number_outside_of_its_range_is_not_written() {
        let mut writer = BitWriter::<Fixed<1>>::fixed();
        writer.number(5, 6);
        assert_eq!(writer.words(), None);
        let mut writer = BitWriter::growing();
        writer.integer(-3, 3, -4);
        assert!(writer.code().is_none());
    }

    #[test]
    fn numbers_of_any_length_are_read() {
        for value in [0, 1, 7, 8, 63, 64, 1 << 20, u64::MAX] {
            let mut writer = BitWriter::growing();
            writer.varint(value);
            let code = writer.code().expect("it is in range");
            assert_eq!(BitReader::new(code.words()).varint(), value);
        }
    }
}
