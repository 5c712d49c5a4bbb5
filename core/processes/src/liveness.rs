//! The live-variable analysis of registers.
//!
//! No step reads the value of a dead register before it is overwritten. Clearing the register identifies states
//! that differ in it alone. Source of the analysis: any book on compilers (Appel, *Modern Compiler
//! Implementation*, chapter 10).

use std::ops::BitOr;

use super::data::{Data, Registers};
use super::flow::{Edge, Flow, Location};

/// Treatment of dead registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeadRegisters {
    /// Dead registers are cleared.
    #[default]
    Cleared,
    /// Dead registers keep their values.
    Kept,
}

/// Per location, the registers that are dead there.
pub(super) fn dead<L: Data, Q, A, N>(flow: &Flow<L, Q, A, N>) -> Vec<Registers> {
    let mut live = vec![Registers::NONE; flow.points.len()];
    loop {
        let mut changed = false;
        for (at, point) in flow.points.iter().enumerate().rev() {
            let before_edge = |edge: &Edge<L, Q, A, N>| {
                let after = edge.targets().map(|Location(to)| live[usize::from(to)]);
                let after = after.fold(Registers::NONE, Registers::bitor);
                edge.basic.reads | after.without(edge.basic.writes)
            };
            let edges = point.iter().map(before_edge);
            let before = edges.fold(Registers::NONE, Registers::bitor);
            changed |= before != live[at];
            live[at] = before;
        }
        if !changed {
            let all = Registers::first(L::REGISTERS.len());
            return live.into_iter().map(|live| all.without(live)).collect();
        }
    }
}
