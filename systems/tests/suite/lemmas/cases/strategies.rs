//! Strategies for `proptest`.

use proptest::collection::vec;
use proptest::prelude::*;
use refmap_systems::ben_ari::lemmas::{Case, Functions};
use refmap_systems::ben_ari::{Colours, MAX_NODES, MAX_SONS, Memory, NodeSet, Shape};

use super::Colouring;

/// Bounds that a memory can have.
pub fn shape() -> impl Strategy<Value = Shape> {
    (1..=MAX_NODES as u8, 1..=MAX_SONS as u8).prop_flat_map(|(nodes, sons)| {
        (1..=nodes).prop_map(move |roots| Shape { nodes, sons, roots })
    })
}

/// Memories of these bounds.
pub fn memory(shape: Shape) -> impl Strategy<Value = Memory> {
    let cells: Vec<_> = shape.cells().collect();
    vec(0..shape.nodes, cells.len()).prop_map(move |sons| {
        let filled = cells.iter().zip(sons);
        filled.fold(Memory::null_array(shape), |m, (&(n, i), k)| {
            m.set_son(n, i, k)
        })
    })
}

/// Colourings of a memory.
pub fn colours(m: Memory) -> impl Strategy<Value = Colours> {
    let black = (0..=NodeSet::first(m.shape.nodes).0).prop_map(NodeSet);
    let kind = proptest::sample::select(&Colouring::ALL[..]);
    (kind, black).prop_map(move |(kind, black)| kind.of(&m, black))
}

/// Cases of all bounds.
pub fn case() -> impl Strategy<Value = Case> {
    let coloured = shape()
        .prop_flat_map(memory)
        .prop_flat_map(|m| (Just(m), colours(m)));
    coloured.prop_flat_map(|(m, c)| {
        let Shape { nodes, sons, .. } = m.shape;
        let cell = || (0..nodes, 0..sons);
        (cell(), cell(), 0..nodes, 0..=nodes, 0..=sons).prop_map(
            move |((n, i), (n1, i1), k, bound, j)| Case {
                functions: Functions::OURS,
                m,
                c,
                n,
                i,
                n1,
                i1,
                k,
                bound,
                j,
            },
        )
    })
}
