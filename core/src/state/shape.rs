//! The room that a value takes.

/// How much room values of a type take at most, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    bits: Option<u32>,
    count: Option<u64>,
    is_exact: bool,
}

impl Shape {
    /// Nothing is known, not even that what is written is read back.
    pub const UNKNOWN: Self = Self {
        bits: None,
        count: None,
        is_exact: false,
    };

    /// That of a value of which there are so many bits at most, and not few values; none if the bits have no bound.
    pub(crate) const fn of_bits(bits: Option<u32>) -> Self {
        Self {
            bits,
            count: None,
            is_exact: true,
        }
    }

    /// That of a number from 0 to `most`.
    pub(crate) const fn number(most: u64) -> Self {
        Self {
            bits: Some(u64::BITS - most.leading_zeros()),
            count: most.checked_add(1),
            is_exact: true,
        }
    }

    /// That of several values, one after the other.
    pub fn fields(fields: &[Self]) -> Self {
        let none = Self::number(0);
        fields.iter().fold(none, |all, field| Self {
            bits: sum(all.bits, field.bits),
            count: product(all.count, field.count),
            is_exact: all.is_exact && field.is_exact,
        })
    }

    /// That of a value of one of several variants, whose number comes first.
    pub fn variants(variants: &[Self]) -> Self {
        let tag = Self::number((variants.len() as u64).saturating_sub(1));
        let none = Self::number(0);
        let widest = variants.iter().fold(none, |all, variant| Self {
            bits: all
                .bits
                .zip(variant.bits)
                .map(|(one, other)| one.max(other)),
            count: all
                .count
                .zip(variant.count)
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
            count: self
                .count
                .zip(length32)
                .and_then(|(count, length)| count.checked_pow(length)),
            is_exact: self.is_exact,
        }
    }

    /// The same of a value whose bits have no bound.
    pub(crate) const fn unbounded(self) -> Self {
        Self {
            bits: None,
            count: None,
            ..self
        }
    }

    /// The most bits that a value takes, if there is a bound.
    pub const fn bits(self) -> Option<u32> {
        self.bits
    }

    /// How many values there are at most, if they are few enough to be counted.
    pub const fn count(self) -> Option<u64> {
        self.count
    }

    /// Whether what is written is known to be read back: all of it is derived, or refmap's own.
    pub const fn is_exact(self) -> bool {
        self.is_exact
    }
}

fn sum(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    one?.checked_add(other?)
}

fn product(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one?.checked_mul(other?)
}
