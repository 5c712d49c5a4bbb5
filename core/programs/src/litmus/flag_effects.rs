//! Effects of instructions on flags, and the flags that are read later.

use std::collections::BTreeMap;

use super::error::{Problem, ReadError};
use super::flags::{Condition, Flag, Flags};
use super::instruction::{Cell, Count, Instruction, Operation};

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
