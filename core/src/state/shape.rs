//! The room that a value takes.

/// How much room values of a type take at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    bits: Option<u32>,
    is_exact: bool,
}

impl Shape {
    /// Nothing is known, not even that what is written is read back.
    pub const UNKNOWN: Self = Self {
        bits: None,
        is_exact: false,
    };

    /// That of a value that takes so many bits at most; none if there is no bound.
    pub(crate) const fn of_bits(bits: Option<u32>) -> Self {
        Self {
            bits,
            is_exact: true,
        }
    }

    /// That of a number from 0 to `most`.
    pub(crate) const fn number(most: u64) -> Self {
        Self {
            bits: Some(bits(most)),
            is_exact: true,
        }
    }

    /// That of a type whose `write` and `read` are written by hand: so many bits at most, if there is a bound. Each state
    /// is read back, and compared.
    pub const fn by_hand(bits: Option<u32>) -> Self {
        Self {
            bits,
            is_exact: false,
        }
    }

    /// That of several values, one after the other, for the derive.
    #[doc(hidden)]
    pub fn fields(fields: &[Self]) -> Self {
        let none = Self::number(0);
        fields.iter().fold(none, |all, field| Self {
            bits: sum(all.bits, field.bits),
            is_exact: all.is_exact && field.is_exact,
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
            is_exact: all.is_exact && variant.is_exact,
        });
        Self::fields(&[tag, widest])
    }

    /// That of so many values of this shape.
    pub(crate) fn times(self, length: usize) -> Self {
        let length32 = u32::try_from(length).ok();
        Self {
            bits: self
                .bits
                .zip(length32)
                .and_then(|(bits, length)| bits.checked_mul(length)),
            is_exact: self.is_exact,
        }
    }

    /// The same of a value whose bits have no bound.
    pub(crate) const fn unbounded(self) -> Self {
        Self { bits: None, ..self }
    }

    /// The most bits that a value takes, if there is a bound.
    pub const fn bits(self) -> Option<u32> {
        self.bits
    }

    /// Whether what is written is known to be read back: all of it is derived, or refmap's own.
    pub const fn is_exact(self) -> bool {
        self.is_exact
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

/// How many values several counts make together.
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
