//! Litmus test.

use super::proposition::{Observed, Proposition, Quantifier};
use crate::{Integer, Location, Program, Sign, Value};

/// Litmus test: a program, and a condition on its final states.
#[derive(Clone, Debug)]
pub struct Test {
    /// Name.
    pub name: String,
    /// The program.
    pub program: Program,
    /// Quantifier of the condition.
    pub quantifier: Quantifier,
    pub(super) condition: Proposition,
    /// Source text of the condition, with normalized spaces.
    pub(super) condition_text: String,
    pub(super) filter: Option<Proposition>,
    /// Columns of a final state: those that are printed, followed by those that only the filter reads.
    pub(super) columns: Vec<Column>,
    pub(super) shown: usize,
}

impl Test {
    /// Values of a final state as they are printed, in the order of [`keys`](Self::keys): addresses by the names of
    /// variables, and numbers according to their types.
    pub fn cells(&self, state: &[Value]) -> impl Iterator<Item = String> {
        let columns = self.columns.iter().zip(state);
        columns.map(|(column, value)| match column.number(*value) {
            Some(number) => number.to_string(),
            None => self.program.show(*value),
        })
    }
}

impl Column {
    /// Number that a value is in the type of the column; none if it is an address.
    pub fn number(&self, value: Value) -> Option<i128> {
        match (value, self.integer.sign) {
            (Value::Address(_), _) => None,
            (Value::Number(number), Sign::Signed) => Some(number.into()),
            (Value::Number(number), Sign::Unsigned) => Some((number as u64).into()),
        }
    }
}

/// Column of a final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// Register or variable of the column.
    pub observed: Observed,
    /// Source of its value.
    pub source: ColumnSource,
    /// Its type.
    pub integer: Integer,
}

/// Source of a final value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnSource {
    /// A kept register of a thread: thread and position.
    Kept(usize, usize),
    Memory(Location),
}
