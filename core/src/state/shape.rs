//! The room that a value takes.

use super::kept::Kept;
use super::limits::{Limits, LimitsFault, WrongLimits};

/// Room that values of a type take at most, with what is said of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    bits: Option<u32>,
    /// True if it has integers of which a range can be said.
    has_integers: bool,
    /// Attribute that is wrong, if one is.
    wrong: Option<Box<WrongLimits>>,
}

impl Shape {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self::by_hand(None);

    /// That of a value that takes so many bits at most; none if there is no bound.
    pub(crate) const fn of_bits(bits: Option<u32>) -> Self {
        Self {
            bits,
            has_integers: false,
            wrong: None,
        }
    }

    /// That of a number from 0 to `most`.
    pub(crate) const fn number(most: u64) -> Self {
        Self::of_bits(Some(bits(most)))
    }

    /// That of a type whose `write` and `read` are written by hand: so many bits at most, if there is a bound.
    pub const fn by_hand(bits: Option<u32>) -> Self {
        Self {
            bits,
            has_integers: true,
            wrong: None,
        }
    }

    /// That of what cannot be as it is said to be.
    pub(crate) fn wrong(fault: LimitsFault) -> Self {
        Self {
            bits: None,
            has_integers: true,
            wrong: Some(Box::new(WrongLimits::of(fault))),
        }
    }

    /// The same of a value with integers of which a range can be said.
    pub(crate) fn with_integers(self) -> Self {
        Self {
            has_integers: true,
            ..self
        }
    }

    /// The same, unless it is `is_wrong` to say this of the type.
    pub(crate) fn unless(self, is_wrong: bool, fault: impl FnOnce() -> LimitsFault) -> Self {
        if is_wrong { Self::wrong(fault()) } else { self }
    }

    /// That of a type that says itself what holds of its fields, for the derive.
    #[doc(hidden)]
    pub fn of_own_fields(self, limits: Limits, of: &'static str) -> Self {
        match limits.said() {
            Some(said) => Self::wrong(LimitsFault::OwnFields { said, of }),
            None => self,
        }
    }

    /// That of a field of this name and type, of which `limits` are said, for the derive.
    #[doc(hidden)]
    pub fn of_field(
        mut self,
        name: &'static str,
        type_: &'static str,
        kept: Kept,
        limits: Limits,
    ) -> Self {
        if let Some(said) = limits.said().filter(|_| self.wrong.is_none()) {
            if kept == Kept::Whole {
                self = Self::wrong(LimitsFault::KeptWhole { said });
            } else if !self.has_integers && limits.are_of_integers() {
                self = Self::wrong(LimitsFault::NoIntegers { said });
            }
        }
        if let Some(wrong) = &mut self.wrong {
            wrong.is_of(name, type_);
        }
        self
    }

    /// That of several values, one after the other, for the derive.
    #[doc(hidden)]
    pub fn fields(fields: &[Self]) -> Self {
        let none = Self::number(0);
        fields.iter().fold(none, |all, field| Self {
            bits: sum(all.bits, field.bits),
            ..all.along_with(field)
        })
    }

    /// That of a value of one of several variants, whose number comes first, for the derive.
    #[doc(hidden)]
    pub fn variants(variants: &[Self]) -> Self {
        let tag = Self::number((variants.len() as u64).saturating_sub(1));
        let none = Self::number(0);
        let widest = variants.iter().fold(none, |all, variant| Self {
            bits: all
                .bits
                .zip(variant.bits)
                .map(|(one, other)| one.max(other)),
            ..all.along_with(variant)
        });
        Self::fields(&[tag, widest])
    }

    /// All but the bits of two.
    fn along_with(self, other: &Self) -> Self {
        Self {
            has_integers: self.has_integers || other.has_integers,
            wrong: self.wrong.or_else(|| other.wrong.clone()),
            ..self
        }
    }

    /// That of so many values of this shape.
    pub(crate) fn times(self, length: usize) -> Self {
        let length = u32::try_from(length).ok();
        let bits = self.bits.zip(length);
        Self {
            bits: bits.and_then(|(bits, length)| bits.checked_mul(length)),
            ..self
        }
    }

    /// That of a set of values of this shape that is a bit for each of those in `mask`.
    pub(crate) fn of_set(self, mask: u64) -> Self {
        Self {
            bits: Some(bits(mask)),
            ..self
        }
    }

    /// The same of a value whose bits have no bound.
    pub(crate) fn unbounded(self) -> Self {
        Self { bits: None, ..self }
    }

    /// The most bits that a value takes, if there is a bound.
    pub const fn bits(&self) -> Option<u32> {
        self.bits
    }

    /// An attribute that cannot be as it is: it has no effect, or there is no such value.
    pub fn error(&self) -> Option<&WrongLimits> {
        self.wrong.as_deref()
    }
}

/// The bits of a number from 0 to `most`.
#[inline(always)]
pub(crate) const fn bits(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// The most of some widths.
#[doc(hidden)]
#[inline(always)]
pub const fn widest(widths: &[u32]) -> u32 {
    let mut most = 0;
    let mut at = 0;
    while at < widths.len() {
        if widths[at] > most {
            most = widths[at];
        }
        at += 1;
    }
    most
}

fn sum(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    one?.checked_add(other?)
}

/// Number of values that several counts make together.
#[doc(hidden)]
#[inline(always)]
pub const fn product(counts: &[Option<u64>]) -> Option<u64> {
    let mut all = Some(1);
    let mut at = 0;
    while at < counts.len() {
        all = match (all, counts[at]) {
            (Some(all), Some(count)) => count.checked_mul(all),
            _ => None,
        };
        at += 1;
    }
    all
}

/// The greatest of some counts.
#[doc(hidden)]
#[inline(always)]
pub const fn greatest(counts: &[Option<u64>]) -> Option<u64> {
    let mut most = Some(1);
    let mut at = 0;
    while at < counts.len() {
        most = match (most, counts[at]) {
            (Some(most), Some(count)) => Some(if count > most { count } else { most }),
            _ => None,
        };
        at += 1;
    }
    most
}
