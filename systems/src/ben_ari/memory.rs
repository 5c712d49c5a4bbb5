//! The memory: an array of NODES × SONS cells, each containing a pointer to a node.
//!
//! Source: Havelund & Shankar, section 4.1, Figs. 2 and 3, Appendix A.2.1 (`Memory`).

use std::fmt;

use refmap::{BoundedVec, State};
use serde::{Serialize, Serializer};

use super::scope::Scope;
use super::shape::{MAX_NODES, MAX_SONS, Node, Shape};
use crate::heap::Objects as NodeSet;

/// The contents of all cells (`Memory`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, State)]
#[state(system = impl AsRef<Scope>)]
pub struct Memory {
    /// The bounds, which are those of the instance.
    #[state(constant = system.as_ref().shape)]
    pub shape: Shape,
    /// Rows of the nodes: the contents of the cells of one, each in as few bits as the last node needs, the first one lowest.
    #[state(
        len = system.as_ref().shape.nodes,
        range = 0..1u32 << system.as_ref().shape.row_bits()
    )]
    rows: BoundedVec<u16, MAX_NODES>,
}

const _: () = assert!(MAX_SONS * 3 <= 16, "3 bits a cell, at most");
const _: () = assert!(MAX_NODES <= 8, "the last node needs 3 bits");

impl Memory {
    /// The initial memory: every cell contains 0 (`null_array`, `mem_ax1`).
    pub fn null_array(shape: Shape) -> Self {
        Self {
            shape,
            rows: shape.nodes().map(|_| 0).collect(),
        }
    }

    /// Bit offset of the i-th cell of a row.
    ///
    /// # Panics
    ///
    /// If there is no such cell: the figures speak of cells of the memory only.
    #[inline]
    fn offset(&self, i: u8) -> u32 {
        assert!(i < self.shape.sons, "there is no cell {i} of a node");
        u32::from(i) * self.shape.node_bits()
    }

    /// The contents of cell (n, i) (`son`).
    #[inline]
    pub fn son(&self, n: Node, i: u8) -> Node {
        (self.rows[usize::from(n)] >> self.offset(i)) as Node & self.shape.node_mask()
    }

    /// The memory with cell (n, i) pointing to `k` (`set_son`, `mem_ax2`).
    #[must_use]
    #[inline]
    pub fn set_son(mut self, n: Node, i: u8, k: Node) -> Self {
        self.redirect(n, i, k);
        self
    }

    /// The same, of this memory.
    #[inline]
    pub fn redirect(&mut self, n: Node, i: u8, k: Node) {
        assert!(k < self.shape.nodes, "there is no node {k} to point to");
        let change = self.son(n, i) ^ k;
        self.rows[usize::from(n)] ^= u16::from(change) << self.offset(i);
    }

    /// The sons of node n, in order.
    #[inline]
    pub fn sons(&self, n: Node) -> impl Iterator<Item = Node> + use<> {
        let shape = self.shape;
        let mut row = self.rows[usize::from(n)];
        shape.indices().map(move |_| {
            let son = row as Node & shape.node_mask();
            row >>= shape.node_bits();
            son
        })
    }

    /// Whether node `n1` points to `n2` (`points_to`).
    pub fn points_to(&self, n1: Node, n2: Node) -> bool {
        self.sons(n1).any(|son| son == n2)
    }

    /// The nodes that can be reached from a root by following pointers (`accessible`).
    #[inline]
    pub fn accessible(&self) -> NodeSet {
        self.reached_until(|_| false)
    }

    /// Whether node k is one of them.
    #[inline]
    pub fn is_accessible(&self, k: Node) -> bool {
        self.reached_until(|reached| reached.contains(k))
            .contains(k)
    }

    /// The nodes found by following pointers from the roots until `enough` accepts them.
    #[inline]
    fn reached_until(&self, enough: impl Fn(NodeSet) -> bool) -> NodeSet {
        let sons = |n| self.sons(n).fold(NodeSet::default(), NodeSet::with);
        NodeSet::first(self.shape.roots).reaching_until(sons, enough)
    }

    /// The concrete `append_to_free`: the free list begins in cell (0, 0), and the cells of a node
    /// on it all point to the next one. Total, since broken collectors call it on any node.
    #[must_use]
    pub fn append_to_free(self, n: Node) -> Self {
        let old_head = self.son(0, 0);
        let headed = self.set_son(0, 0, n);
        self.shape
            .indices()
            .fold(headed, |memory, i| memory.set_son(n, i, old_head))
    }

    /// Whether `append_to_free(k)` may lead to `after` by the axiom alone: of the nodes, only `k`
    /// becomes accessible, and the others stay as they are (`append_ax`).
    ///
    /// The axiom says nothing of an accessible `k`; the rule of the specification never asks.
    pub fn append_ax(&self, k: Node, after: &Self) -> bool {
        self.accessible().contains(k) || after.accessible() == self.accessible().with(k)
    }

    /// Every memory of these bounds: NODES ^ (NODES · SONS) of them.
    pub fn all(shape: Shape) -> impl Iterator<Item = Self> {
        let cells = u32::from(shape.nodes) * u32::from(shape.sons);
        let count = u64::from(shape.nodes).pow(cells);
        (0..count).map(move |mut code| {
            let mut memory = Self::null_array(shape);
            for (n, i) in shape.cells() {
                memory = memory.set_son(n, i, (code % u64::from(shape.nodes)) as Node);
                code /= u64::from(shape.nodes);
            }
            memory
        })
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.shape.nodes().map(|n| self.sons(n).collect::<Vec<_>>()))
            .finish()
    }
}

impl Serialize for Memory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nodes = self.shape.nodes();
        serializer.collect_seq(nodes.map(|n| self.sons(n).collect::<Vec<_>>()))
    }
}

/// Semantics of the specification's append [Fig. 3; Appendix A.2.1].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AppendToFree {
    /// Any result that the axiom allows.
    Axiom,
    /// The result of the concrete free list.
    FreeList,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [(u8, u8, u8); 6] = [
        (1, 1, 1),
        (2, 1, 1),
        (2, 2, 1),
        (3, 1, 2),
        (3, 2, 1),
        (4, 1, 1),
    ];

    fn shapes() -> impl Iterator<Item = Shape> {
        SHAPES
            .map(|(nodes, sons, roots)| Shape { nodes, sons, roots })
            .into_iter()
    }

    /// The inductive definition of Appendix A.2.1, read as a fixed point over single nodes.
    fn accessible_by_definition(memory: &Memory, n: Node) -> bool {
        let shape = memory.shape;
        let mut accessible = vec![false; usize::from(shape.nodes)];
        for _ in shape.nodes() {
            for n in shape.nodes() {
                accessible[usize::from(n)] |= n < shape.roots
                    || shape
                        .nodes()
                        .any(|k| accessible[usize::from(k)] && memory.points_to(k, n));
            }
        }
        accessible[usize::from(n)]
    }

    #[test]
    fn accessible_is_the_least_fixed_point() {
        for shape in shapes() {
            for memory in Memory::all(shape) {
                for n in shape.nodes() {
                    let expected = accessible_by_definition(&memory, n);
                    assert_eq!(memory.accessible().contains(n), expected, "{memory:?} {n}");
                    assert_eq!(memory.is_accessible(n), expected, "{memory:?} {n}");
                }
            }
        }
    }

    /// The axiom can be broken: setting the head alone loses what was on the list.
    #[test]
    fn a_free_list_that_forgets_its_tail_breaks_the_axiom() {
        let shape = Shape {
            nodes: 3,
            sons: 1,
            roots: 1,
        };
        let memory = Memory::null_array(shape).set_son(0, 0, 1);
        assert!(!memory.append_ax(2, &memory.set_son(0, 0, 2)));
        assert!(memory.append_ax(2, &memory.append_to_free(2)));
    }
}
