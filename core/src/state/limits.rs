//! The ranges of a field.

use std::ops::{Range, RangeInclusive};

/// What is said of a field beside its type: the range of its integers, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    low: i128,
    high: i128,
    is_ranged: bool,
    is_varint: bool,
    length: Length,
}

/// How long a field may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Any,
    Exactly(usize),
    AtMost(usize),
}

impl Limits {
    /// Nothing is said.
    pub const NONE: Self = Self {
        low: 0,
        high: 0,
        is_ranged: false,
        is_varint: false,
        length: Length::Any,
    };

    /// The integers of the field are in `range`.
    #[inline(always)]
    #[must_use]
    pub fn range(self, range: impl IntoRange) -> Self {
        let (low, high) = range.bounds();
        Self {
            low,
            high,
            is_ranged: true,
            ..self
        }
    }

    /// The integers of the field are mostly small: each takes as many bits as its value does, and there is no bound.
    #[inline(always)]
    #[must_use]
    pub const fn varint(self) -> Self {
        Self {
            is_varint: true,
            ..self
        }
    }

    /// The field has just this length.
    #[inline(always)]
    #[must_use]
    pub const fn len(self, length: usize) -> Self {
        Self {
            length: Length::Exactly(length),
            ..self
        }
    }

    /// The field has at most this length.
    #[inline(always)]
    #[must_use]
    pub const fn max_len(self, length: usize) -> Self {
        Self {
            length: Length::AtMost(length),
            ..self
        }
    }

    /// What holds of the elements of the field.
    #[inline(always)]
    pub(crate) const fn of_elements(self) -> Self {
        Self {
            length: Length::Any,
            ..self
        }
    }

    #[inline(always)]
    pub(crate) const fn length(self) -> Length {
        self.length
    }

    #[inline(always)]
    pub(crate) const fn is_varint(self) -> bool {
        self.is_varint
    }

    /// The range, or that of the type.
    #[inline(always)]
    pub(crate) const fn or(self, low: i128, high: i128) -> (i128, i128) {
        match self.is_ranged {
            true => (self.low, self.high),
            false => (low, high),
        }
    }

    /// Nothing may be said of a field of this type.
    ///
    /// # Panics
    ///
    /// If something is: it would be without effect.
    pub fn say_nothing_of(self, type_: &str) {
        assert!(
            !self.is_ranged && !self.is_varint && self.length == Length::Any,
            "`range`, `varint`, `len` and `max_len` say nothing of a field of type `{type_}`: they belong to the fields within"
        );
    }

    /// No length may be said of a field of this type.
    pub(crate) fn say_no_length_of(self, type_: &str) {
        assert!(
            self.length == Length::Any,
            "`len` and `max_len` say nothing of a field of type `{type_}`"
        );
    }
}

/// A range of integers, with or without its end.
pub trait IntoRange {
    /// The least and the greatest of its values.
    fn bounds(self) -> (i128, i128);
}

macro_rules! ranges {
    ($($integer:ty)*) => {$(
        impl IntoRange for RangeInclusive<$integer> {
            #[inline(always)]
            fn bounds(self) -> (i128, i128) {
                (*self.start() as i128, *self.end() as i128)
            }
        }

        impl IntoRange for Range<$integer> {
            #[inline(always)]
            fn bounds(self) -> (i128, i128) {
                (self.start as i128, self.end as i128 - 1)
            }
        }
    )*};
}

ranges!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
