//! Flags: what instructions do to them, what conditions read of them, and which of them are read later.

use std::collections::BTreeMap;
use std::ops::{BitAnd, BitOr, Not};

use super::error::{Problem, ReadError};
use super::instruction::{Cell, Count, Instruction, Operation};

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
    const NONE: Self = Self(0);
    const ALL: Self = Self(0b1111);
    const RESULT: Self = Self(0b0011);
    const CARRY: Self = Self(0b0100);
    const OVERFLOW: Self = Self(0b1000);

    fn of(flag: Flag) -> Self {
        Self(1 << flag as u8)
    }

    /// Whether `flag` is among them.
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
    /// The relation.
    pub relation: Relation,
    /// Whether it has to hold, or not to hold.
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

    fn reads(self) -> Flags {
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

/// Effect of an instruction on the flags; it leaves those alone that are in no set.
#[derive(Clone, Copy, Debug, Default)]
struct Effect {
    reads: Flags,
    /// Flags that it always sets.
    sets: Flags,
    /// Flags that it leaves undefined.
    undefined: Flags,
}

impl Effect {
    fn of(instruction: &Instruction) -> Self {
        let sets = |sets| Self {
            sets,
            ..Self::default()
        };
        let reads = |condition: Condition| Self {
            reads: condition.reads(),
            ..Self::default()
        };
        match instruction {
            Instruction::Arithmetic { operation, .. } => match operation {
                Operation::Increment | Operation::Decrement => sets(!Flags::CARRY),
                Operation::Not => Self::default(),
                _ => sets(Flags::ALL),
            },
            Instruction::Compare { .. }
            | Instruction::Test { .. }
            | Instruction::ExchangeAdd { .. } => sets(Flags::ALL),
            // The flags other than ZF are those of the comparison.
            Instruction::CompareExchange { .. } => sets(Flags::ALL),
            Instruction::Shift { count, width, .. } => match count {
                Count::Number(_) => {
                    let count = count.masked(*width);
                    let undefined = match count {
                        0 | 1 => Flags::NONE,
                        _ => Flags::OVERFLOW,
                    };
                    let lost = if instruction.shifts_out(count) {
                        Flags::CARRY
                    } else {
                        Flags::NONE
                    };
                    Self {
                        reads: Flags::NONE,
                        sets: match count {
                            0 => Flags::NONE,
                            _ => Flags::ALL,
                        },
                        undefined: undefined | lost,
                    }
                }
                // A count of 0 leaves the flags alone.
                Count::Register => Self {
                    reads: Flags::NONE,
                    sets: Flags::NONE,
                    undefined: Flags::CARRY | Flags::OVERFLOW,
                },
            },
            Instruction::JumpIf(condition, _)
            | Instruction::Set(condition, _)
            | Instruction::MoveIf { condition, .. } => reads(*condition),
            Instruction::Nothing
            | Instruction::Fence
            | Instruction::Return
            | Instruction::Move { .. }
            | Instruction::Extend { .. }
            | Instruction::AddressOf { .. }
            | Instruction::Exchange { .. }
            | Instruction::Jump(_) => Self::default(),
        }
    }
}

/// Flags that are read behind each cell of a thread before they are set again.
///
/// # Errors
///
/// If one of them is undefined there.
pub(super) fn read_later(
    cells: &[Cell],
    labels: &BTreeMap<&str, usize>,
) -> Result<Vec<Flags>, ReadError> {
    let effects: Vec<_> = cells
        .iter()
        .map(|cell| {
            cell.instruction
                .as_ref()
                .map_or_else(Effect::default, Effect::of)
        })
        .collect();
    let mut behind = vec![Flags::NONE; cells.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..cells.len()).rev() {
            let before = |next: usize| match effects.get(next) {
                Some(effect) => (behind[next] & !effect.sets) | effect.reads,
                None => Flags::NONE,
            };
            let target =
                |label: &String| labels.get(&**label).map_or(Flags::NONE, |at| before(*at));
            let read = match &cells[at].instruction {
                Some(Instruction::Jump(label)) => target(label),
                Some(Instruction::JumpIf(_, label)) => before(at + 1) | target(label),
                Some(Instruction::Return) => Flags::NONE,
                _ => before(at + 1),
            };
            changed |= read != behind[at];
            behind[at] = read;
        }
    }
    for (at, effect) in effects.iter().enumerate() {
        let undefined = Flag::ALL
            .into_iter()
            .find(|flag| (effect.undefined & behind[at]).has(*flag));
        if let Some(flag) = undefined {
            return Err(Problem::Flag(flag.name()).on(cells[at].line));
        }
    }
    Ok(behind)
}
