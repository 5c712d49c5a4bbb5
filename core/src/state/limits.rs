//! The ranges of a field.

use std::ops::{Range, RangeInclusive};

/// Limits on a field beside its type: the range of its integers, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    low: i128,
    high: i128,
    is_ranged: bool,
    is_varint: bool,
    length: Length,
}

/// Length that a field may have.
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
    pub fn len(self, length: impl IntoLength) -> Self {
        Self {
            length: Length::Exactly(length.length()),
            ..self
        }
    }

    /// The field has at most this length.
    #[inline(always)]
    #[must_use]
    pub fn max_len(self, length: impl IntoLength) -> Self {
        Self {
            length: Length::AtMost(length.length()),
            ..self
        }
    }

    /// Limits on the elements of the field.
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
        if self.is_ranged {
            (self.low, self.high)
        } else {
            (low, high)
        }
    }

    /// The attribute that is said, if one is.
    pub(crate) const fn said(self) -> Option<&'static str> {
        match (self.is_ranged, self.is_varint, self.length) {
            (true, ..) => Some("range"),
            (_, true, _) => Some("varint"),
            (.., Length::Exactly(_)) => Some("len"),
            (.., Length::AtMost(_)) => Some("max_len"),
            (.., Length::Any) => None,
        }
    }

    /// True if something is said of integers.
    pub(crate) const fn are_of_integers(self) -> bool {
        self.is_ranged || self.is_varint
    }

    /// That a length is said of a type that has none, if one is.
    pub(crate) const fn length_of(self, of: &'static str) -> Option<LimitsFault> {
        let said = match self.length {
            Length::Any => return None,
            Length::Exactly(_) => "len",
            Length::AtMost(_) => "max_len",
        };
        Some(LimitsFault::NoLength { said, of })
    }
}

/// Attribute of a field that is wrong: one without effect, or one that no value meets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the attribute of the field `{field}`, of type `{type_}`, is wrong: {fault}")]
pub struct WrongLimits {
    /// The way to the field, from the state on: `consumers.Idle.turn`.
    pub field: String,
    /// Its type, as it is written there.
    pub type_: String,
    /// Fault of the attribute, and its remedy.
    pub fault: LimitsFault,
}

impl WrongLimits {
    pub(crate) const fn of(fault: LimitsFault) -> Self {
        Self {
            field: String::new(),
            type_: String::new(),
            fault,
        }
    }

    /// It is found within this field, and of it, if no field within has it.
    pub(crate) fn is_of(&mut self, name: &str, type_: &str) {
        if self.field.is_empty() {
            self.field = name.to_owned();
            self.type_ = type_.to_owned();
        } else {
            self.field = format!("{name}.{}", self.field);
        }
    }
}

/// Fault of an attribute of a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitsFault {
    /// It is said of a type that says so of its own fields.
    #[error(
        "`{said}` does not reach into `{of}`; write it at the fields of `{of}`, or make the integers that it is meant for a struct of their own"
    )]
    OwnFields {
        /// The attribute.
        said: &'static str,
        /// The type.
        of: &'static str,
    },
    /// There is nothing in the field that it could speak of.
    #[error("`{said}` has no effect, since the type has no integers; leave it out")]
    NoIntegers {
        /// The attribute.
        said: &'static str,
    },
    /// A type that has no length.
    #[error(
        "`{said}` says nothing of `{of}`; it belongs to a vector, deque, string, set or map, and only where all parts of the field are such"
    )]
    NoLength {
        /// The attribute.
        said: &'static str,
        /// The type.
        of: &'static str,
    },
    /// A type whose integers are in a range always.
    #[error("`varint` says nothing of `{of}`; leave it out, or give a `range`")]
    NoVarint {
        /// The type.
        of: &'static str,
    },
    /// A type that is kept whole has no ranges.
    #[error(
        "`{said}` has no effect, since the type is kept whole; derive `State` for it, or leave it out"
    )]
    KeptWhole {
        /// The attribute.
        said: &'static str,
    },
    /// A range without values.
    #[error("no integer is in a range from {low} to {high}; the least value comes first")]
    Empty {
        /// The least of its values.
        low: i128,
        /// The greatest.
        high: i128,
    },
    /// A range with values that the type does not have.
    #[error("the range from {low} to {high} is not one of `{of}`, which has {least} to {most}")]
    Beyond {
        /// The least of its values.
        low: i128,
        /// The greatest.
        high: i128,
        /// The type.
        of: &'static str,
        /// The least value of the type.
        least: i128,
        /// The greatest.
        most: i128,
    },
    /// A length that the type does not have.
    #[error("a vector of at most {most} elements does not have {length}; a smaller length does")]
    TooLong {
        /// The length.
        length: usize,
        /// The most that there may be.
        most: usize,
    },
    /// A length that nothing has.
    #[error("a length is not negative, and at most {}", usize::MAX / 2)]
    NoSuchLength,
}

/// A range of integers, with or without its end.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of integers",
    note = "`range` is said as `least..=greatest` or `least..end`, of integers of at most 64 bits"
)]
pub trait IntoRange {
    /// The least and the greatest of its values.
    fn bounds(self) -> (i128, i128);
}

/// A number of elements, in whatever integers an instance counts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a length",
    note = "`len` is how long the field is and `max_len` how long at most: integers of at most 64 bits, and no ranges"
)]
pub trait IntoLength {
    /// The number; one that is negative is more than anything can have.
    fn length(self) -> usize;
}

macro_rules! ranges {
    ($($integer:ty)*) => {$(
        impl IntoLength for $integer {
            #[inline(always)]
            fn length(self) -> usize {
                usize::try_from(self).unwrap_or(usize::MAX)
            }
        }

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
