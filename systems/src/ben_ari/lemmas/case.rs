//! Valuation of the variables of a lemma, and the functions that lemmas are about.

use std::fmt;

use super::super::colours::Colours;
use super::super::memory::Memory;
use super::super::scope::InitialColours;
use super::super::shape::{Node, Shape};
use crate::heap::Objects as NodeSet;

/// Values for the variables of all lemmas, named as in Appendix B.1. A lemma reads those it needs.
///
/// A case is well-formed: nodes are below NODES, indices below SONS, and only nodes are black. The
/// paper's types say so; [`Case::all`] makes no other.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The functions that the lemmas are about.
    pub functions: Functions,
    /// A memory.
    pub m: Memory,
    /// Its colours.
    pub c: Colours,
    /// The node of a cell, or the node that is coloured or appended.
    pub n: Node,
    /// The index of the cell (n, i).
    pub i: u8,
    /// Another node.
    pub n1: Node,
    /// The index of the cell (n1, i1).
    pub i1: u8,
    /// The node that a cell is redirected to.
    pub k: Node,
    /// N, a bound on nodes; at most NODES.
    pub bound: u8,
    /// With the bound, where the scan is: the next cell is (N, j), or that of the next node if j is
    /// SONS.
    pub j: u8,
}

/// The functions that the lemmas are about. They are values, so that a test can replace one by a faulty one
/// and see which lemmas detect it.
#[derive(Clone, Copy)]
pub struct Functions {
    /// Their name in tests.
    pub name: &'static str,
    /// The initial memory.
    pub null_array: fn(Shape) -> Memory,
    /// Redirects a cell.
    pub set_son: fn(Memory, Node, u8, Node) -> Memory,
    /// The nodes reachable from the roots.
    pub accessible: fn(&Memory) -> NodeSet,
    /// Appends a node to the free list.
    pub append_to_free: fn(Memory, Node) -> Memory,
    /// Colours a node.
    pub set_colour: fn(Colours, Node, bool) -> Colours,
    /// Whether the nodes below a bound are black.
    pub black_roots: fn(Colours, u8) -> bool,
    /// Whether all accessible nodes from a bound up are black.
    pub blackened: fn(Colours, &Memory, u8) -> bool,
    /// Whether a cell points from a black to a white node.
    pub bw: fn(Colours, &Memory, Node, u8) -> bool,
    /// Whether some cell does.
    pub exists_bw: fn(Colours, &Memory) -> bool,
    /// Number of black nodes below a bound.
    pub blacks_below: fn(Colours, u8) -> u8,
    /// Number of black nodes from a bound up.
    pub blacks_from: fn(Colours, u8) -> u8,
    /// Whether a cell is behind a position of the scan.
    pub behind: fn((Node, u8), (u8, u8)) -> bool,
}

impl Functions {
    /// The functions as the models use them.
    pub const OURS: Self = Self {
        name: "ours",
        null_array: Memory::null_array,
        set_son: Memory::set_son,
        accessible: Memory::accessible,
        append_to_free: Memory::append_to_free,
        set_colour: Colours::set_colour,
        black_roots: |c, bound| NodeSet::first(bound).is_subset_of(c.black),
        blackened: Colours::blackened,
        bw: Colours::bw,
        exists_bw: Colours::exists_bw,
        blacks_below: Colours::blacks_below,
        blacks_from: Colours::blacks_from,
        behind: |cell, at| cell < at,
    };
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Case {
    /// Every well-formed case for memories of these bounds.
    pub fn all(shape: Shape) -> impl Iterator<Item = Self> {
        Memory::all(shape)
            .flat_map(move |m| {
                Colours::initial(shape, InitialColours::Any).map(move |c| Self {
                    functions: Functions::OURS,
                    m,
                    c,
                    n: 0,
                    i: 0,
                    n1: 0,
                    i1: 0,
                    k: 0,
                    bound: 0,
                    j: 0,
                })
            })
            .flat_map(move |case| shape.cells().map(move |(n, i)| Self { n, i, ..case }))
            .flat_map(move |case| {
                let cells = shape.cells();
                cells.map(move |(n1, i1)| Self { n1, i1, ..case })
            })
            .flat_map(move |case| shape.nodes().map(move |k| Self { k, ..case }))
            .flat_map(move |case| (0..=shape.nodes).map(move |bound| Self { bound, ..case }))
            .flat_map(move |case| (0..=shape.sons).map(move |j| Self { j, ..case }))
    }

    /// `set_son(n,i,k)(m)`.
    pub(super) fn redirected(&self) -> Memory {
        (self.functions.set_son)(self.m, self.n, self.i, self.k)
    }

    /// `append_to_free(n)(m)`.
    pub(super) fn appended(&self) -> Memory {
        (self.functions.append_to_free)(self.m, self.n)
    }

    /// `set_colour(n,TRUE)(c)`.
    pub(super) fn coloured(&self) -> Colours {
        (self.functions.set_colour)(self.c, self.n, true)
    }

    pub(super) fn accessible(&self, n: Node, m: &Memory) -> bool {
        (self.functions.accessible)(m).contains(n)
    }

    pub(super) fn black_roots(&self, bound: u8, c: Colours) -> bool {
        (self.functions.black_roots)(c, bound)
    }

    pub(super) fn blackened(&self, from: u8, c: Colours, m: &Memory) -> bool {
        (self.functions.blackened)(c, m, from)
    }

    pub(super) fn bw(&self, (n, i): (Node, u8), m: &Memory) -> bool {
        (self.functions.bw)(self.c, m, n, i)
    }

    pub(super) fn exists_bw(&self, m: &Memory) -> bool {
        (self.functions.exists_bw)(self.c, m)
    }

    pub(super) fn blacks_below(&self, bound: u8, c: Colours) -> u8 {
        (self.functions.blacks_below)(c, bound)
    }

    pub(super) fn blacks_from(&self, bound: u8, c: Colours) -> u8 {
        (self.functions.blacks_from)(c, bound)
    }

    /// The cell (n, i).
    pub(super) fn cell(&self) -> (Node, u8) {
        (self.n, self.i)
    }

    /// The cell (n1, i1).
    pub(super) fn cell1(&self) -> (Node, u8) {
        (self.n1, self.i1)
    }

    /// Position of the scan.
    pub(super) fn at(&self) -> (u8, u8) {
        (self.bound, self.j)
    }

    pub(super) fn behind(&self, cell: (Node, u8), at: (u8, u8)) -> bool {
        (self.functions.behind)(cell, at)
    }

    /// Whether a cell behind `at` is black-to-white.
    pub(super) fn bw_behind(&self, at: (u8, u8), m: &Memory) -> bool {
        let mut cells = m.shape.cells();
        cells.any(|cell| self.behind(cell, at) && self.bw(cell, m))
    }

    /// Whether a cell that is not behind `at` is black-to-white.
    pub(super) fn bw_ahead(&self, at: (u8, u8), m: &Memory) -> bool {
        let mut cells = m.shape.cells();
        cells.any(|cell| !self.behind(cell, at) && self.bw(cell, m))
    }
}
