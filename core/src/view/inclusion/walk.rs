//! Breadth-first walk, by which everything is found here that steps lead to.

use super::sides::Stop;

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

/// State of the layer of a node that is expanded: the nodes that are as far from the first ones as it is.
#[derive(Clone, Copy)]
pub(super) enum Layer {
    /// Nodes are added to it: steps are asked for that lead no farther.
    Open,
    /// It ends at this place: the other steps are asked for.
    Ends(u32),
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
        self.by_layers(|walk, at, layer| match layer {
            Layer::Open => Ok(None),
            Layer::Ends(_) => expand(walk, at),
        })
    }

    /// The same where some steps lead no farther: each node of a layer is expanded twice.
    pub fn by_layers<F>(
        &mut self,
        mut expand: impl FnMut(&mut Self, u32, Layer) -> Result<Option<F>, Stop>,
    ) -> Result<Option<F>, Stop> {
        let mut first = 0;
        while first < self.len() {
            let mut at = first;
            while at < self.len() {
                if let Some(found) = expand(self, at, Layer::Open)? {
                    return Ok(Some(found));
                }
                at += 1;
            }
            for from in first..at {
                if let Some(found) = expand(self, from, Layer::Ends(at))? {
                    return Ok(Some(found));
                }
            }
            first = at;
        }
        Ok(None)
    }
}
