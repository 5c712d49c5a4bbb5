//! Litmus test.

use super::proposition::{Observed, Proposition, Quantifier};
use crate::{Integer, Location, Program};

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
    /// In memory.
    Memory(Location),
}
