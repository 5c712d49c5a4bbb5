//! The steps of a recorded graph, as far as they are known.

use super::bits::Bits;
use super::explore::{Graph, NodeId};

/// A recorded graph. One number, that after all states, stands for each target of which the steps are not recorded, or count as not
/// recorded.
#[derive(Clone, Copy)]
pub struct KnownSteps<'a> {
    /// The graph.
    pub graph: &'a Graph,
    cut: Option<&'a Bits>,
}

impl<'a> KnownSteps<'a> {
    /// Steps of a graph, those of some states counting as not recorded.
    pub fn new(graph: &'a Graph, cut: &'a Bits) -> Self {
        Self {
            graph,
            cut: (!cut.is_empty()).then_some(cut),
        }
    }

    /// All steps of a graph.
    pub fn all(graph: &'a Graph) -> Self {
        Self { graph, cut: None }
    }

    /// Number that stands for all states whose steps are not known.
    #[inline]
    pub fn others(&self) -> NodeId {
        NodeId(self.graph.states() as u32)
    }

    /// True if the steps of a state count as not recorded.
    #[inline]
    pub fn is_cut(&self, state: NodeId) -> bool {
        self.cut.is_some_and(|cut| cut.contains(state.0))
    }

    /// The states whose steps are known.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> {
        self.graph.nodes().filter(|state| !self.is_cut(*state))
    }

    /// The number of a target.
    #[inline]
    pub fn target(&self, target: NodeId) -> NodeId {
        let others = self.others();
        if target < others && !self.is_cut(target) {
            target
        } else {
            others
        }
    }

    /// The steps of a state in the order of `next`: target and label.
    #[inline]
    pub fn steps(&self, state: NodeId) -> impl Iterator<Item = (NodeId, u32)> {
        let steps = self.graph.steps(state);
        steps.map(|(target, label)| (self.target(target), label))
    }

    /// Has `change` look at each state whose steps are known, and say whether it changes something, until it changes nothing.
    ///
    /// PERF: the steps are passed over again and again, last states first, and not turned round, which would take as much memory
    /// again. A step mostly leads to a state of a higher number, so that one pass carries a change far.
    pub fn settle(&self, mut change: impl FnMut(NodeId) -> bool) {
        let mut changes = true;
        while changes {
            changes = false;
            for state in self.nodes().rev() {
                changes |= change(state);
            }
        }
    }
}
