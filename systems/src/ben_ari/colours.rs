//! The colours of the nodes, and observers of a coloured memory.
//!
//! Source: Havelund & Shankar, Figs. 7 and 11, Appendix A.3 (`Coloured_Memory`) and B.1
//! (`Memory_Observers`).

use std::fmt;

use refmap::State;
use serde::Serialize;

use super::memory::Memory;
use super::scope::{InitialColours, Scope};
use super::shape::{Node, Shape};
use crate::heap::Objects as NodeSet;

/// A colouring: the nodes that are black; the others are white.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[state(system = impl AsRef<Scope>)]
pub struct Colours {
    /// The black nodes.
    #[state(range = 0..1u32 << system.as_ref().shape.nodes)]
    pub black: NodeSet,
}

impl Colours {
    /// Every node white.
    pub const WHITE: Self = Self { black: NodeSet(0) };

    /// Whether n is black (`colour`).
    pub fn colour(self, n: Node) -> bool {
        self.black.contains(n)
    }

    /// The colouring with n black, or white (`set_colour`).
    #[must_use]
    pub fn set_colour(self, n: Node, black: bool) -> Self {
        Self {
            black: if black {
                self.black.with(n)
            } else {
                self.black.without(NodeSet::one(n))
            },
        }
    }

    /// Number of black nodes from `from` up.
    pub fn blacks_from(self, from: u8) -> u8 {
        self.black.from(from).count()
    }

    /// Number of black nodes below `bound`.
    pub fn blacks_below(self, bound: u8) -> u8 {
        self.black.count() - self.blacks_from(bound)
    }

    /// Whether every accessible node from `from` up is black (Fig. 7 for 0; B.1, `blackened`).
    pub fn blackened(self, memory: &Memory, from: u8) -> bool {
        memory.accessible().from(from).is_subset_of(self.black)
    }

    /// Whether n is black and its i-th son is white (Fig. 11, `bw`).
    pub fn bw(self, memory: &Memory, n: Node, i: u8) -> bool {
        self.colour(n) && !self.colour(memory.son(n, i))
    }

    /// Whether a black node points to a white one (Fig. 11, `exists_bw`).
    pub fn exists_bw(self, memory: &Memory) -> bool {
        memory.shape.cells().any(|(n, i)| self.bw(memory, n, i))
    }

    /// The initial colourings.
    pub fn initial(shape: Shape, colours: InitialColours) -> impl Iterator<Item = Self> {
        let count: u16 = match colours {
            InitialColours::Any => 1 << shape.nodes,
            InitialColours::White => 1,
        };
        (0..count).map(|black| Self {
            black: NodeSet(black as u8),
        })
    }
}

impl fmt::Debug for Colours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "black {:?}", self.black)
    }
}
