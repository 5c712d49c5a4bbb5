//! The steps of a recorded graph, as far as they are known.

use super::bits::Bits;
use super::explore::{Graph, NodeId};

/// The steps of a recorded graph, each with what is said of its label. One state, after all others and without steps, stands for each
/// target of which the steps are not known: it is not recorded, or it is cut.
#[derive(Clone, Copy)]
pub struct Steps<'a, L = u32> {
    pub(crate) graph: &'a Graph,
    /// State that stands for all whose steps are not known. PERF: it is asked for at each step.
    pub(crate) others: u32,
    pub(crate) labels: &'a [L],
    cut: Option<&'a Bits>,
    /// Function that is called whenever steps are asked for.
    look: Option<&'a dyn Fn()>,
}

impl<'a, L: Copy> Steps<'a, L> {
    /// All steps of a graph.
    pub fn of(graph: &'a Graph, labels: &'a [L]) -> Self {
        Self {
            graph,
            others: graph.states() as u32,
            labels,
            cut: None,
            look: None,
        }
    }

    /// The same without those of some states.
    pub(crate) fn without(self, cut: &'a Bits) -> Self {
        Self {
            cut: (!cut.is_empty()).then_some(cut),
            ..self
        }
    }

    /// The same, of which a function is called each time that steps are asked for; it may end all by a panic.
    pub fn looking(self, look: &'a dyn Fn()) -> Self {
        Self {
            look: Some(look),
            ..self
        }
    }

    /// Number of states, with the one that stands for others.
    pub fn states(&self) -> usize {
        self.others as usize + 1
    }

    /// True if a state of the graph is cut.
    #[inline]
    pub(crate) fn is_cut(&self, state: u32) -> bool {
        self.cut.is_some_and(|cut| cut.contains(state))
    }

    /// The states whose steps are known.
    pub(crate) fn known(&self) -> impl Iterator<Item = u32> {
        (0..self.others).filter(|state| !self.is_cut(*state))
    }

    /// The states whose steps are not known.
    pub(super) fn unknown(&self) -> impl Iterator<Item = u32> {
        let cut = self.cut.into_iter().flat_map(Bits::iter);
        cut.chain([self.others])
    }

    /// The number of a target.
    #[inline]
    pub(crate) fn target(&self, target: NodeId) -> u32 {
        if target.0 >= self.others || self.is_cut(target.0) {
            self.others
        } else {
            target.0
        }
    }

    /// The steps of `state` from `cursor` on: of each the cursor of the one after it, its target, and what is said of its label. The
    /// cursor of the first is 0, and all stay below 2³¹.
    #[inline]
    pub(super) fn steps_from(
        &self,
        state: u32,
        cursor: u32,
    ) -> impl Iterator<Item = (u32, u32, L)> {
        if let Some(look) = self.look {
            look();
        }
        let steps = self.graph.steps_from(NodeId(state), cursor);
        steps.map(|(next, target, label)| (next, self.target(target), self.labels[label as usize]))
    }

    /// All steps of a state.
    #[inline]
    pub(crate) fn steps(&self, state: u32) -> impl Iterator<Item = (u32, L)> {
        let steps = self.steps_from(state, 0);
        steps.map(|(_, target, label)| (target, label))
    }

    /// True if no step leads to another state.
    pub(crate) fn stops(&self, state: u32) -> bool {
        self.steps(state).all(|(to, _)| to == state)
    }

    /// The states that are reached from these.
    pub fn reached(&self, initial: &[u32]) -> Bits {
        let mut reached = Bits::none(self.states());
        let mut open: Vec<u32> = initial.to_vec();
        initial.iter().for_each(|at| reached.insert(*at));
        while let Some(at) = open.pop() {
            for (to, _) in self.steps(at) {
                if !reached.contains(to) {
                    reached.insert(to);
                    open.push(to);
                }
            }
        }
        reached
    }
}
