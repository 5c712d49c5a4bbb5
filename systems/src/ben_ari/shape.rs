//! The bounds of a memory.

/// The most nodes that a memory can have.
pub const MAX_NODES: usize = 8;
/// The most sons that a node can have.
pub const MAX_SONS: usize = 4;

/// A node, from 0 to NODES − 1. As in the paper, the loop variables H, I, L and K are counters that
/// run one past the last node, so they are numbers and not nodes.
pub type Node = u8;

/// The bounds of a memory: NODES, SONS, ROOTS. The roots are the first nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// NODES.
    pub nodes: u8,
    /// SONS.
    pub sons: u8,
    /// ROOTS.
    pub roots: u8,
}

impl Shape {
    /// Every node.
    pub fn nodes(self) -> std::ops::Range<Node> {
        0..self.nodes
    }

    /// Number of bits of a node.
    #[inline]
    pub fn node_bits(self) -> u32 {
        u8::BITS - (self.nodes - 1).leading_zeros()
    }

    /// Number of bits of the cells of a node.
    #[inline]
    pub fn row_bits(self) -> u32 {
        self.node_bits() * u32::from(self.sons)
    }

    /// A node with all its bits set.
    #[inline]
    pub(super) fn node_mask(self) -> Node {
        (1 << self.node_bits()) - 1
    }

    /// Every index of a cell within a node.
    pub fn indices(self) -> std::ops::Range<u8> {
        0..self.sons
    }

    /// Every cell (n, i), by nodes and then by indices.
    pub fn cells(self) -> impl Iterator<Item = (Node, u8)> {
        self.nodes()
            .flat_map(move |n| self.indices().map(move |i| (n, i)))
    }
}
