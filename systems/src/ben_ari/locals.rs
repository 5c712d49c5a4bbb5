//! The local variables of the mutators of levels 1 to 3: MU and Q.
//!
//! Source: Havelund & Shankar, Figs. 6 and 8, Appendix A.3.

use refmap::{BoundedVec, State};
use serde::Serialize;

use super::scope::{MAX_MUTATORS, Scope};
use super::shape::Node;

/// The mutators of an instance.
pub type Mutators = BoundedVec<Locals, MAX_MUTATORS>;

/// A mutator's program counter and its variable Q.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[state(system = impl AsRef<Scope>)]
pub struct Locals {
    /// Program location.
    pub mu: MutatorAt,
    /// The node to be coloured; stale at MUTATE.
    #[state(range = 0..system.as_ref().shape.nodes)]
    pub q: Node,
}

/// Program location of a mutator (`MuPC`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[serde(rename_all = "snake_case")]
#[state(system = impl AsRef<Scope>)]
pub enum MutatorAt {
    /// Between two operations.
    #[default]
    Mutate,
    /// Redirect-first: the cell is redirected, and Q is to be coloured.
    Colour,
    /// Colour-first: Q is coloured, and cell (n, i) is to be redirected to it.
    Redirect {
        /// The node of the cell.
        #[state(range = 0..system.as_ref().chosen().nodes)]
        n: Node,
        /// The index of the cell.
        #[state(range = 0..system.as_ref().chosen().sons)]
        i: u8,
    },
}
