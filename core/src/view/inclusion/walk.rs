//! Breadth-first walk, by which is found what steps of a known automaton lead to.

use super::bounds::Stop;

/// Nodes in the order in which they were met.
pub(super) struct Walk<N> {
    met: Vec<MetNode<N>>,
}

/// Node that was met.
struct MetNode<N> {
    node: N,
    /// Place of the node whose step led there; none of a first one.
    before: Option<u32>,
}

impl<N> Default for Walk<N> {
    fn default() -> Self {
        Self { met: Vec::new() }
    }
}

impl<N: Copy> Walk<N> {
    /// Number of the nodes that were met.
    pub fn len(&self) -> u32 {
        self.met.len() as u32
    }

    /// The node at a place.
    pub fn node(&self, at: u32) -> N {
        self.met[at as usize].node
    }

    /// All nodes that were met.
    pub fn nodes(&self) -> impl Iterator<Item = N> {
        self.met.iter().map(|met| met.node)
    }

    /// Notes a new node, and the place of the one whose step leads there.
    pub fn meet(&mut self, node: N, before: Option<u32>) {
        self.met.push(MetNode { node, before });
    }

    /// The nodes that lead to the one at a place, from a first one on.
    pub fn path(&self, at: u32) -> Vec<N> {
        let before = |at: &u32| self.met[*at as usize].before;
        let places = std::iter::successors(Some(at), before);
        let mut path: Vec<N> = places.map(|at| self.node(at)).collect();
        path.reverse();
        path
    }

    /// Expands the nodes one after the other, which meets others, until something is found.
    pub fn breadth_first<F>(
        &mut self,
        mut expand: impl FnMut(&mut Self, u32) -> Result<Option<F>, Stop>,
    ) -> Result<Option<F>, Stop> {
        let mut at = 0;
        while at < self.len() {
            if let Some(found) = expand(self, at)? {
                return Ok(Some(found));
            }
            at += 1;
        }
        Ok(None)
    }
}
