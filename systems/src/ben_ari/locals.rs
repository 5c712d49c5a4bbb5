//! The local variables of the mutators of levels 1 to 3: MU and Q.
//!
//! Source: Havelund & Shankar, Figs. 6 and 8, Appendix A.3.

use serde::Serialize;
use tinyvec::ArrayVec;

use super::memory::Node;
use super::scope::MAX_MUTATORS;

/// The mutators of an instance.
pub type Mutators = ArrayVec<[Locals; MAX_MUTATORS]>;

/// A mutator's program counter and its variable Q.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Locals {
    /// Program location.
    pub mu: MutatorAt,
    /// The node to be coloured; stale at MUTATE.
    pub q: Node,
}

/// Program location of a mutator (`MuPC`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MutatorAt {
    /// Between two operations.
    #[default]
    Mutate,
    /// Redirect-first: the cell is redirected, and Q is to be coloured.
    Colour,
    /// Colour-first: Q is coloured, and cell (n, i) is to be redirected to it.
    Redirect {
        /// The node of the cell.
        n: Node,
        /// The index of the cell.
        i: u8,
    },
}
