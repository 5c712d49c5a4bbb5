//! `Arbitrary` for `quickcheck`. A smaller value has fewer nodes, sons, roots or black nodes, more
//! cells that are 0, or smaller arguments.

use std::ops::RangeInclusive;

use quickcheck::{Arbitrary, Gen};
use refmap_systems::ben_ari::lemmas::{Case, Functions};
use refmap_systems::ben_ari::{Colours, MAX_NODES, MAX_SONS, Memory, NodeSet, Shape};

use super::{Colouring, resized};

/// Bounds that a memory can have.
#[derive(Clone, Copy, Debug)]
pub struct AnyShape(pub Shape);

/// A memory of any bounds.
#[derive(Clone, Copy, Debug)]
pub struct AnyMemory(pub Memory);

/// A set of nodes.
#[derive(Clone, Copy, Debug)]
pub struct AnyNodeSet(pub NodeSet);

/// A colouring.
#[derive(Clone, Copy, Debug)]
pub struct AnyColours(pub Colours);

/// A case of any bounds.
#[derive(Clone, Copy, Debug)]
pub struct AnyCase(pub Case);

type Shrinks<T> = Box<dyn Iterator<Item = T>>;

fn number(g: &mut Gen, range: RangeInclusive<u8>) -> u8 {
    let numbers: Vec<u8> = range.collect();
    *g.choose(&numbers).expect("no range here is empty")
}

/// The smaller numbers, the smallest first.
fn smaller(value: u8, least: u8) -> impl Iterator<Item = u8> {
    least..value
}

impl Arbitrary for AnyShape {
    fn arbitrary(g: &mut Gen) -> Self {
        let nodes = number(g, 1..=MAX_NODES as u8);
        Self(Shape {
            nodes,
            sons: number(g, 1..=MAX_SONS as u8),
            roots: number(g, 1..=nodes),
        })
    }

    fn shrink(&self) -> Shrinks<Self> {
        let shape = self.0;
        let fewer_nodes = smaller(shape.nodes, 1).map(move |nodes| Shape {
            nodes,
            roots: shape.roots.min(nodes),
            ..shape
        });
        let fewer_sons = smaller(shape.sons, 1).map(move |sons| Shape { sons, ..shape });
        let fewer_roots = smaller(shape.roots, 1).map(move |roots| Shape { roots, ..shape });
        Box::new(fewer_nodes.chain(fewer_sons).chain(fewer_roots).map(Self))
    }
}

impl Arbitrary for AnyMemory {
    fn arbitrary(g: &mut Gen) -> Self {
        let AnyShape(shape) = AnyShape::arbitrary(g);
        Self(shape.cells().fold(Memory::null_array(shape), |m, (n, i)| {
            m.set_son(n, i, number(g, 0..=shape.nodes - 1))
        }))
    }

    fn shrink(&self) -> Shrinks<Self> {
        let m = self.0;
        let resizing = AnyShape(m.shape).shrink();
        let resizings = resizing.map(move |AnyShape(shape)| resized(&m, shape));
        let cells: Vec<_> = m.shape.cells().collect();
        let clearings = cells
            .into_iter()
            .filter(move |&(n, i)| m.son(n, i) != 0)
            .map(move |(n, i)| m.set_son(n, i, 0));
        Box::new(resizings.chain(clearings).map(Self))
    }
}

impl Arbitrary for AnyNodeSet {
    fn arbitrary(g: &mut Gen) -> Self {
        Self(NodeSet(u8::arbitrary(g)))
    }

    fn shrink(&self) -> Shrinks<Self> {
        let set = self.0;
        let nodes: Vec<_> = set.iter().collect();
        Box::new(
            nodes
                .into_iter()
                .map(move |n| Self(set.without(NodeSet::one(n)))),
        )
    }
}

impl Arbitrary for AnyColours {
    fn arbitrary(g: &mut Gen) -> Self {
        let AnyNodeSet(black) = AnyNodeSet::arbitrary(g);
        Self(Colours { black })
    }

    fn shrink(&self) -> Shrinks<Self> {
        let fewer = AnyNodeSet(self.0.black).shrink();
        Box::new(fewer.map(|AnyNodeSet(black)| Self(Colours { black })))
    }
}

impl Arbitrary for AnyCase {
    fn arbitrary(g: &mut Gen) -> Self {
        let AnyMemory(m) = AnyMemory::arbitrary(g);
        let Shape { nodes, sons, .. } = m.shape;
        let AnyNodeSet(black) = AnyNodeSet::arbitrary(g);
        let black = NodeSet(black.0 & NodeSet::first(nodes).0);
        let kind = g.choose(&Colouring::ALL).expect("there are four kinds");
        Self(Case {
            functions: Functions::OURS,
            m,
            c: kind.of(&m, black),
            n: number(g, 0..=nodes - 1),
            i: number(g, 0..=sons - 1),
            n1: number(g, 0..=nodes - 1),
            i1: number(g, 0..=sons - 1),
            k: number(g, 0..=nodes - 1),
            bound: number(g, 0..=nodes),
            j: number(g, 0..=sons),
        })
    }

    fn shrink(&self) -> Shrinks<Self> {
        let case = self.0;
        let memories = AnyMemory(case.m).shrink();
        let memories = memories.map(move |AnyMemory(m)| clipped(case, m));
        let colours = AnyColours(case.c).shrink();
        let colours = colours.map(move |AnyColours(c)| Case { c, ..case });
        let arguments = smaller(case.n, 0)
            .map(move |n| Case { n, ..case })
            .chain(smaller(case.i, 0).map(move |i| Case { i, ..case }))
            .chain(smaller(case.n1, 0).map(move |n1| Case { n1, ..case }))
            .chain(smaller(case.i1, 0).map(move |i1| Case { i1, ..case }))
            .chain(smaller(case.k, 0).map(move |k| Case { k, ..case }))
            .chain(smaller(case.bound, 0).map(move |bound| Case { bound, ..case }))
            .chain(smaller(case.j, 0).map(move |j| Case { j, ..case }));
        Box::new(memories.chain(colours).chain(arguments).map(Self))
    }
}

/// The case for a memory of smaller bounds.
fn clipped(case: Case, m: Memory) -> Case {
    let Shape { nodes, sons, .. } = m.shape;
    Case {
        m,
        c: Colours {
            black: NodeSet(case.c.black.0 & NodeSet::first(nodes).0),
        },
        n: case.n.min(nodes - 1),
        i: case.i.min(sons - 1),
        n1: case.n1.min(nodes - 1),
        i1: case.i1.min(sons - 1),
        k: case.k.min(nodes - 1),
        bound: case.bound.min(nodes),
        j: case.j.min(sons),
        ..case
    }
}
