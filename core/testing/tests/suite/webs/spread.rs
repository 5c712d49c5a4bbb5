//! Numbers packed into any number of bits from 1 to 256, all of which depend on the number.

use refmap::{Field, Fields, Layout};

/// How a number is written: once as itself, multiplied so that all bits it may take are used, and beside it what a
/// hash says of it, up to the width asked for.
#[derive(Clone, Debug)]
pub struct Spread {
    layout: Layout,
    /// The variable that the number is read from, and its bits.
    number: Field,
    bits: u32,
    /// What is written beside it, each with its bits: before it and after it.
    before: Vec<(Field, u32)>,
    after: Vec<(Field, u32)>,
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
        let mut layout = Layout::new();
        // The number takes all of a word, or of what there is of one, in two of three widths.
        let bits = match width % 3 {
            0 => least,
            _ => width.min(64),
        };
        let mut left = width - bits;
        let mut pad = |layout: &mut Layout, most: u32| {
            let mut padding = Vec::new();
            let mut most = most.min(left);
            while most > 0 {
                let bits = most.min(if width.is_multiple_of(5) { 64 } else { 23 });
                padding.push((layout.bits_of(bits), bits));
                (most, left) = (most - bits, left - bits);
            }
            padding
        };
        let before = pad(&mut layout, width / 7 * (width % 7));
        let number = layout.bits_of(bits);
        let after = pad(&mut layout, u32::MAX);
        Self {
            layout,
            number,
            bits,
            before,
            after,
        }
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Passes a number through `fields`.
    pub fn pass(&self, number: u32, fields: &mut impl Fields) -> u32 {
        let mut said = u64::from(number);
        let mut beside = |padding: &[(Field, u32)], fields: &mut _| {
            for (field, bits) in padding {
                said = (said ^ said >> 29).wrapping_mul(FACTOR);
                Fields::number(fields, *field, said >> (64 - bits));
            }
        };
        beside(&self.before, fields);
        let written = u64::from(number).wrapping_mul(FACTOR) & mask(self.bits);
        let read = fields.number(self.number, written);
        beside(&self.after, fields);
        (read.wrapping_mul(INVERSE) & mask(self.bits)) as u32
    }
}
