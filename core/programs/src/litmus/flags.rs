//! Flags, and the conditions that read them.

use std::ops::{BitAnd, BitOr, Not};

/// Flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flag {
    /// The result is 0.
    Zero,
    /// The highest bit of the result.
    Sign,
    /// The unsigned result does not fit.
    Carry,
    /// The signed result does not fit.
    Overflow,
}

impl Flag {
    pub const ALL: [Self; 4] = [Self::Zero, Self::Sign, Self::Carry, Self::Overflow];

    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zero => "ZF",
            Self::Sign => "SF",
            Self::Carry => "CF",
            Self::Overflow => "OF",
        }
    }
}

/// Set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(u8);

impl Flags {
    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self(0b1111);
    const RESULT: Self = Self(0b0011);
    pub const CARRY: Self = Self(0b0100);
    pub const OVERFLOW: Self = Self(0b1000);

    fn of(flag: Flag) -> Self {
        Self(1 << flag as u8)
    }

    /// True if `flag` is among them.
    pub fn has(self, flag: Flag) -> bool {
        self & Self::of(flag) != Self::NONE
    }
}

impl BitAnd for Flags {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for Flags {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}

/// Relation that a condition asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// `e`, `z`: equal, or 0.
    Equal,
    /// `s`: negative.
    Negative,
    /// `c`, `b`: less, of numbers without a sign.
    Below,
    /// `o`: overflow.
    Overflow,
    /// `be`: less or equal, of numbers without a sign.
    BelowOrEqual,
    /// `l`: less, of numbers with a sign.
    Less,
    /// `le`: less or equal, of numbers with a sign.
    LessOrEqual,
}

/// Condition of a jump, a move or a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub relation: Relation,
    /// True if it has to hold, false if it must not.
    pub holds: bool,
}

impl Condition {
    /// Condition with this suffix: `e` of `je`.
    pub fn named(suffix: &str) -> Option<Self> {
        use Relation::{Below, BelowOrEqual, Equal, Less, LessOrEqual, Negative, Overflow};
        let (relation, holds) = match suffix {
            "e" | "z" => (Equal, true),
            "ne" | "nz" => (Equal, false),
            "s" => (Negative, true),
            "ns" => (Negative, false),
            "b" | "c" | "nae" => (Below, true),
            "nb" | "nc" | "ae" => (Below, false),
            "o" => (Overflow, true),
            "no" => (Overflow, false),
            "be" | "na" => (BelowOrEqual, true),
            "nbe" | "a" => (BelowOrEqual, false),
            // The herd tools write `jlt` and `jgt`.
            "l" | "lt" | "nge" => (Less, true),
            "nl" | "ge" => (Less, false),
            "le" | "ng" => (LessOrEqual, true),
            "nle" | "g" | "gt" => (LessOrEqual, false),
            _ => return None,
        };
        Some(Self { relation, holds })
    }

    /// Flags on which it depends.
    pub fn reads(self) -> Flags {
        match self.relation {
            Relation::Equal => Flags::of(Flag::Zero),
            Relation::Negative => Flags::of(Flag::Sign),
            Relation::Below => Flags::of(Flag::Carry),
            Relation::Overflow => Flags::of(Flag::Overflow),
            Relation::BelowOrEqual => Flags::of(Flag::Carry) | Flags::of(Flag::Zero),
            Relation::Less => Flags::of(Flag::Sign) | Flags::of(Flag::Overflow),
            Relation::LessOrEqual => Flags::RESULT | Flags::of(Flag::Overflow),
        }
    }
}
