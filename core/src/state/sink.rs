//! Sinks that states are written into, and sources that they are read from.

use std::fmt::{self, Debug, Display};

/// Reason why a value is not one of its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// An integer outside of its range.
    #[error("is {value}, and its range is {low} to {high}")]
    Integer {
        /// The integer.
        value: i128,
        /// The least that it may be.
        low: i128,
        /// The greatest.
        high: i128,
    },
    /// A length that is not as it is said.
    #[error("has length {value}, and may have from {low} to {high}")]
    Length {
        /// The length.
        value: usize,
        /// The least that it may be.
        low: usize,
        /// The greatest.
        high: usize,
    },
    /// A value that differs from the constant that it is said to be.
    #[error("is {value}, and is {constant} in all states of the instance")]
    Constant {
        /// The value.
        value: String,
        /// The constant.
        constant: String,
    },
}

/// Tests that a value that is not written is the constant that it is said to be, for the derive.
#[doc(hidden)]
#[inline(always)]
pub fn is_constant<T: PartialEq + Debug>(value: &T, constant: &T, sink: &mut impl Sink) {
    if value != constant {
        sink.misfit(other_than(value, constant));
    }
}

#[cold]
fn other_than<T: Debug>(value: &T, constant: &T) -> Misfit {
    Misfit::Constant {
        value: format!("{value:?}"),
        constant: format!("{constant:?}"),
    }
}

/// A part of a value, on the way from a state to a number in it.
#[derive(Clone, Copy, Debug)]
pub enum Part<'k> {
    /// A field or a variant, or a position in a tuple.
    Name(&'static str),
    /// An element.
    Index(usize),
    /// The entry of a map at a key.
    Key(&'k dyn Debug),
}

/// As it is written behind what it is a part of.
impl Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, ".{name}"),
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Key(key) => write!(f, "[{key:?}]"),
        }
    }
}

/// Sink that a state is written into, number by number.
pub trait Sink {
    /// A number from 0 to `most`.
    fn number(&mut self, most: u64, value: u64);

    /// Start of a part of the value: what comes next is of it, until it is left.
    #[inline(always)]
    fn enter(&mut self, _part: Part<'_>) {}

    /// The part that was entered last is over.
    #[inline(always)]
    fn leave(&mut self) {}

    /// A value that is none: the state cannot be written.
    fn misfit(&mut self, misfit: Misfit);

    /// A value that takes so many bits less than another one of its type. Where states have a fixed size they are left
    /// out, so that what comes next is at the same place in all of them.
    #[doc(hidden)]
    #[inline(always)]
    fn skip(&mut self, _bits: u32) {}

    /// An integer from `low` to `high`, which are at most 2⁶⁴ − 1 apart.
    #[inline(always)]
    fn integer(&mut self, low: i128, high: i128, value: i128) {
        if value < low || value > high {
            return self.misfit(Misfit::Integer { value, low, high });
        }
        self.number(
            (high as u64).wrapping_sub(low as u64),
            (value as u64).wrapping_sub(low as u64),
        );
    }

    /// A number of variable length: three bits at a time, so that a small one is short.
    #[inline]
    fn varint(&mut self, value: u64) {
        let mut rest = value;
        loop {
            let digit = rest & 7;
            rest >>= 3;
            self.number(15, digit | u64::from(rest > 0) << 3);
            if rest == 0 {
                return;
            }
        }
    }
}

/// Sink of whatever type.
impl Sink for &mut dyn Sink {
    fn number(&mut self, most: u64, value: u64) {
        (**self).number(most, value);
    }

    fn enter(&mut self, part: Part<'_>) {
        (**self).enter(part);
    }

    fn leave(&mut self) {
        (**self).leave();
    }

    fn misfit(&mut self, misfit: Misfit) {
        (**self).misfit(misfit);
    }

    fn skip(&mut self, bits: u32) {
        (**self).skip(bits);
    }
}

/// Source that a state is read from, number by number.
pub trait Source {
    /// A number from 0 to `most`.
    fn number(&mut self, most: u64) -> u64;

    /// Leaves out what [`Sink::skip`] does.
    #[doc(hidden)]
    #[inline(always)]
    fn skip(&mut self, _bits: u32) {}

    /// An integer from `low` to `high`.
    #[inline(always)]
    fn integer(&mut self, low: i128, high: i128) -> i128 {
        low + i128::from(self.number((high as u64).wrapping_sub(low as u64)))
    }

    /// A length without a bound.
    #[inline]
    fn length(&mut self) -> usize {
        self.varint() as usize
    }

    /// A number of variable length.
    #[inline]
    fn varint(&mut self) -> u64 {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(3) {
            let digit = self.number(15);
            value |= (digit & 7) << shift;
            if digit < 8 {
                break;
            }
        }
        value
    }
}

/// Source of whatever type.
impl Source for &mut dyn Source {
    fn number(&mut self, most: u64) -> u64 {
        (**self).number(most)
    }

    fn skip(&mut self, bits: u32) {
        (**self).skip(bits);
    }

    fn length(&mut self) -> usize {
        (**self).length()
    }
}

/// The number of a value among all of its type: its numbers are the digits, the least significant first.
pub(super) struct ToIndex {
    index: u64,
    scale: u64,
    fits: bool,
}

impl ToIndex {
    pub const fn new() -> Self {
        Self {
            index: 0,
            scale: 1,
            fits: true,
        }
    }

    /// The number; none if the value is none of its type.
    #[inline]
    pub const fn index(&self) -> Option<u64> {
        if self.fits { Some(self.index) } else { None }
    }
}

impl Sink for ToIndex {
    #[inline]
    fn number(&mut self, most: u64, value: u64) {
        self.index = self.index.wrapping_add(value.wrapping_mul(self.scale));
        self.scale = self.scale.wrapping_mul(most.wrapping_add(1));
    }

    #[inline]
    fn misfit(&mut self, _: Misfit) {
        self.fits = false;
    }
}

/// The value of a number among all of its type.
pub(super) struct FromIndex(pub u64);

impl Source for FromIndex {
    #[inline]
    fn number(&mut self, most: u64) -> u64 {
        let radix = most.wrapping_add(1);
        let digit = self.0 % radix;
        self.0 /= radix;
        digit
    }
}
