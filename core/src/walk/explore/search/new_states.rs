//! New states: those that a wave has led to first.

use std::ops::Range;

use crate::walk::explore::graph::NodeId;
use crate::walk::explore::predecessors::Predecessors;
use crate::walk::explore::set::InsertSink;

/// Notes how the states that a wave has led to were reached.
pub(super) struct NewStates<'a> {
    /// Predecessors, if it is noted from which states they were reached.
    pub predecessors: Option<&'a mut Predecessors>,
    /// Per list of candidates, the states that led to them.
    pub sources: &'a [Range<u64>],
    /// The length of the paths to the states.
    pub length: u32,
    /// The number of the next state.
    pub next: u64,
    /// The list whose batch has begun.
    pub list: Option<usize>,
    /// The targets of the wave's candidates, if they are wanted.
    pub numbers: Option<Vec<NodeId>>,
}

impl InsertSink for NewStates<'_> {
    #[inline]
    fn added(&mut self, list: usize, count: usize) {
        if count > 0 && self.list != Some(list) {
            self.list = Some(list);
            if let Some(predecessors) = &mut self.predecessors {
                let sources = self.sources[list].clone();
                predecessors.begin(self.next, sources, self.length);
            }
        }
        self.next += count as u64;
    }

    #[inline]
    fn numbered(&mut self, number: Option<NodeId>) {
        if let Some(numbers) = &mut self.numbers {
            numbers.push(number.unwrap_or(NodeId::NONE));
        }
    }
}
