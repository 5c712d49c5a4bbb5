//! The specification "collect only garbage" over a memory with a free list, for Ben-Ari's native collector.
//!
//! Source: Havelund & Shankar, *A Refinement Proof for a Garbage Collector*, section 5, Figs. 2–5, and
//! section 6 for the free list, which begins in cell (0, 0). The rules are those of
//! [`ben_ari::Level0`](crate::ben_ari::Level0), for memories of any size: states are persistent vectors.
//!
//! Left out: several mutators, and an append whose result is open.

use im::Vector;
use refmap::TransitionSystem;
use serde::Serialize;

use super::ben_ari::Bounds;

/// The specification.
#[derive(Clone, Copy, Debug)]
pub struct FreeList {
    /// The bounds of the memory.
    pub bounds: Bounds,
}

/// The cells, those of node 0 first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cells(Vector<u32>);

impl<S: ?Sized> refmap::State<S> for Cells {}

impl Serialize for Cells {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The mutator redirects a cell to an accessible node.
    #[rule(process = "mutator", source = "Havelund & Shankar, Fig. 4, MODIFY.1")]
    Mutate {
        /// The node of the cell.
        node: u32,
        /// The index of the cell.
        son: u32,
        /// The target.
        to: u32,
    },
    /// The collector appends an inaccessible node to the free list.
    #[rule(
        process = "collector",
        source = "Havelund & Shankar, Fig. 5, COLLECT.1"
    )]
    Append { node: u32 },
}

impl FreeList {
    fn cell(&self, node: u32, son: u32) -> Option<usize> {
        let Bounds { nodes, sons, .. } = self.bounds;
        let is_there = node < nodes && son < sons;
        is_there.then(|| node as usize * sons as usize + son as usize)
    }

    /// Search tree of the accessible nodes: the predecessor of each, or itself for a root.
    fn reached(&self, cells: &Cells) -> Vec<Option<u32>> {
        let Bounds { nodes, sons, roots } = self.bounds;
        let mut reached: Vec<_> = (0..nodes).map(|n| (n < roots).then_some(n)).collect();
        let mut work: Vec<u32> = (0..roots).collect();
        while let Some(from) = work.pop() {
            let first = from as usize * sons as usize;
            for to in (first..first + sons as usize).filter_map(|cell| cells.0.get(cell)) {
                let predecessor = &mut reached[*to as usize];
                if predecessor.is_none() {
                    *predecessor = Some(from);
                    work.push(*to);
                }
            }
        }
        reached
    }

    /// A path from a root to a node; `None` if it is inaccessible.
    pub fn path(&self, cells: &Cells, node: u32) -> Option<Vec<u32>> {
        let reached = self.reached(cells);
        let mut path = vec![node];
        let mut at = node;
        loop {
            let from = reached.get(at as usize).copied().flatten()?;
            if from == at {
                path.reverse();
                return Some(path);
            }
            path.push(from);
            at = from;
        }
    }

    /// Guard and effect of an action; `reached` is what [`reached`](Self::reached) says of the cells.
    fn take(&self, action: Action, reached: &[Option<u32>], cells: &mut Cells) -> Option<()> {
        match action {
            Action::Mutate { node, son, to } => {
                let cell = self.cell(node, son)?;
                reached.get(to as usize)?.is_some().then_some(())?;
                cells.0.set(cell, to);
            }
            Action::Append { node } => {
                reached.get(node as usize)?.is_none().then_some(())?;
                let first = *cells.0.get(0)?;
                for son in 0..self.bounds.sons {
                    cells.0.set(self.cell(node, son)?, first);
                }
                cells.0.set(0, node);
            }
        }
        Some(())
    }
}

impl TransitionSystem for FreeList {
    type State = Cells;
    type Action = Action;
    type Observation = Cells;

    /// Every cell points to node 0.
    fn initial(&self, visit: &mut impl FnMut(Cells)) {
        let Bounds { nodes, sons, .. } = self.bounds;
        let cells = nodes as usize * sons as usize;
        visit(Cells((0..cells).map(|_| 0).collect()));
    }

    /// PERF: what is reached takes as long as the memory is large, and a memory has as many redirections as cells times nodes.
    /// So that is found once for all of them, where candidates would each find it; and only enabled actions are tried: whoever
    /// asks for some of them can leave soon.
    fn next(&self, from: &Cells, visit: &mut impl FnMut(Action, &Cells)) {
        let Bounds { nodes, sons, .. } = self.bounds;
        let reached = self.reached(from);
        let (accessible, garbage): (Vec<u32>, Vec<u32>) =
            (0..nodes).partition(|node| reached[*node as usize].is_some());
        let mut take = |action| {
            let mut to = from.clone();
            if self.take(action, &reached, &mut to).is_some() {
                visit(action, &to);
            }
        };
        for node in garbage {
            take(Action::Append { node });
        }
        for node in 0..nodes {
            for (son, to) in (0..sons).flat_map(|son| accessible.iter().map(move |to| (son, *to))) {
                take(Action::Mutate { node, son, to });
            }
        }
    }

    fn fire(&self, action: &Action, cells: &mut Cells) -> Option<()> {
        self.take(*action, &self.reached(cells), cells)
    }

    fn observe(&self, state: &Cells) -> Cells {
        state.clone()
    }
}
