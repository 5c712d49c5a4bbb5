//! Numbers written into any number of bits from 1 to 256, all of which depend on the number.

use refmap::state::{Sink, Source};

/// Encoding of a number: once as itself, multiplied so that all bits it may take are used, and beside it hashes of
/// it, up to the width asked for.
#[derive(Clone, Debug)]
pub struct Spread {
    pub width: u32,
    /// The bits that the number is read from.
    bits: u32,
    /// The bits of what is written beside it: before it and after it.
    before: Vec<u32>,
    after: Vec<u32>,
}

/// An odd number, and that by which what it multiplies is found again.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const INVERSE: u64 = 0xF1DE_83E1_9937_733D;

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

impl Spread {
    /// For numbers below `states`, in `width` bits.
    pub fn new(width: u32, states: usize) -> Self {
        let least = (states.max(2) - 1).ilog2() + 1;
        assert!(least <= width.min(64), "{states} states in {width} bits");
        // The number takes all of a word, or of what there is of one, in two of three widths.
        let bits = match width % 3 {
            0 => least,
            _ => width.min(64),
        };
        let mut left = width - bits;
        let mut pad = |most: u32| {
            let mut padding = Vec::new();
            let mut most = most.min(left);
            while most > 0 {
                let bits = most.min(if width.is_multiple_of(5) { 64 } else { 23 });
                padding.push(bits);
                (most, left) = (most - bits, left - bits);
            }
            padding
        };
        let before = pad(width / 7 * (width % 7));
        let after = pad(u32::MAX);
        Self {
            width,
            bits,
            before,
            after,
        }
    }

    pub fn write(&self, number: u32, sink: &mut impl Sink) {
        let mut said = u64::from(number);
        let mut beside = |padding: &[u32], sink: &mut _| {
            for bits in padding {
                said = (said ^ said >> 29).wrapping_mul(FACTOR);
                Sink::number(sink, mask(*bits), said >> (64 - bits));
            }
        };
        beside(&self.before, sink);
        let written = u64::from(number).wrapping_mul(FACTOR) & mask(self.bits);
        sink.number(mask(self.bits), written);
        beside(&self.after, sink);
    }

    pub fn read(&self, source: &mut impl Source) -> u32 {
        let skip = |padding: &[u32], source: &mut _| {
            for bits in padding {
                Source::number(source, mask(*bits));
            }
        };
        skip(&self.before, source);
        let read = source.number(mask(self.bits));
        skip(&self.after, source);
        (read.wrapping_mul(INVERSE) & mask(self.bits)) as u32
    }
}
