//! Changes of a state, written over the bits of another one.

use super::State;
use super::limits::Limits;
use super::shape::bits;
use super::sink::{Misfit, Sink};

/// Writes what differs between two states over the bits of the one.
///
/// PERF: a step changes few variables, and to compare all takes less than half of the instructions of writing all.
pub struct Changes<'w> {
    words: &'w mut [u64],
    /// The bit that is next.
    at: u32,
    misfits: bool,
}

impl<'w> Changes<'w> {
    #[inline(always)]
    pub(crate) fn on(words: &'w mut [u64]) -> Self {
        Self {
            words,
            at: 0,
            misfits: false,
        }
    }

    /// True if all values were in their ranges.
    #[inline(always)]
    pub(crate) fn fit(&self) -> bool {
        !self.misfits
    }

    /// Writes a value where its bits begin, over those of another one.
    #[doc(hidden)]
    #[inline(always)]
    pub fn replace<S: ?Sized, T: State<S>>(
        &mut self,
        (value, at): (&T, u32),
        system: &S,
        limits: Limits,
    ) {
        clear(self.words, at, T::width(system, limits));
        self.at = at;
        value.write(system, limits, self);
    }

    /// Writes a number from 0 to `most` over another one.
    #[doc(hidden)]
    #[inline(always)]
    pub fn number_over(&mut self, at: u32, most: u64, [old, new]: [u64; 2]) {
        self.misfits |= new > most;
        flip(self.words, at, bits(most), old ^ new);
    }
}

// PERF: these are of the words and not of `Changes`, which stays in registers where its address is given to no call.

/// Clears so many bits.
#[inline(never)]
fn clear(words: &mut [u64], at: u32, width: u32) {
    let end = at + width;
    let mut at = at;
    while at < end {
        let offset = at % u64::BITS;
        let bits = (end - at).min(u64::BITS - offset);
        if let Some(word) = words.get_mut((at / u64::BITS) as usize) {
            *word &= !(u64::MAX >> (u64::BITS - bits) << offset);
        }
        at += bits;
    }
}

/// Flips those of so many bits that are set in `mask`.
///
/// PERF: inlined, since of words that are known to be one little is left of it.
#[inline(always)]
fn flip(words: &mut [u64], at: u32, bits: u32, mask: u64) {
    let (word, offset) = ((at / u64::BITS) as usize, at % u64::BITS);
    if let Some(low) = words.get_mut(word) {
        *low ^= mask << offset;
    }
    if offset + bits > u64::BITS
        && let Some(high) = words.get_mut(word + 1)
    {
        *high ^= mask >> (u64::BITS - offset);
    }
}

impl Sink for Changes<'_> {
    /// The bits are clear.
    #[inline(always)]
    fn number(&mut self, most: u64, value: u64) {
        self.number_over(self.at, most, [0, value]);
        self.at += bits(most);
    }

    #[inline(always)]
    fn misfit(&mut self, _: Misfit) {
        self.misfits = true;
    }

    #[inline(always)]
    fn skip(&mut self, bits: u32) {
        self.at += bits;
    }
}
