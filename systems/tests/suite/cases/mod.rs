//! Cases for the lemmas, made at random.
//!
//! The strategies of `proptest` and the `Arbitrary` of `quickcheck` are here and not behind features
//! of the library: a feature would make two testing libraries part of its interface and its
//! versions, and would have the library depend on itself for its own tests. So `quickcheck` speaks
//! of newtypes.

pub mod arbitrary;
pub mod strategies;

use refmap_systems::ben_ari::{Colours, Memory, NodeSet, Shape};

/// How to colour a memory. Of the colourings of a large memory few satisfy what the lemmas assume,
/// so half of them are made to.
#[derive(Clone, Copy, Debug)]
pub enum Colouring {
    /// As the dice fall.
    Any,
    /// The sons of black nodes are black, so that no cell is black-to-white.
    Closed,
    /// The same, and the roots are black.
    Marked,
    /// Accessible nodes are black, as far as they are not below the least of the given nodes.
    Blackened,
}

impl Colouring {
    pub const ALL: [Self; 4] = [Self::Any, Self::Closed, Self::Marked, Self::Blackened];

    /// The colouring of this kind that the nodes `black` suggest.
    pub fn of(self, m: &Memory, black: NodeSet) -> Colours {
        let roots = NodeSet::first(m.shape.roots);
        let black = match self {
            Self::Any => black,
            Self::Closed => closure(m, black),
            Self::Marked => closure(m, NodeSet(black.0 | roots.0)),
            Self::Blackened => {
                let least = black.iter().next().unwrap_or_default();
                NodeSet(black.0 | m.accessible().from(least).0)
            }
        };
        Colours { black }
    }
}

/// The nodes that can be reached from `nodes`.
fn closure(m: &Memory, mut nodes: NodeSet) -> NodeSet {
    for _ in m.shape.nodes() {
        for n in nodes.iter() {
            for k in m.sons(n) {
                nodes = nodes.with(k);
            }
        }
    }
    nodes
}

/// The memory with other bounds, cells to nodes that there are no longer being 0.
pub fn resized(m: &Memory, shape: Shape) -> Memory {
    shape
        .cells()
        .fold(Memory::null_array(shape), |smaller, (n, i)| {
            match m.son(n, i) {
                k if k < shape.nodes => smaller.set_son(n, i, k),
                _ => smaller,
            }
        })
}
