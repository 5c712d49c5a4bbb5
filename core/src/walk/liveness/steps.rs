//! The steps of a graph as liveness sees them.

use crate::walk::bits::Bits;
use crate::walk::explore::{Graph, NodeId};
use crate::walk::known_steps::KnownSteps;

/// The steps of a recorded graph, each with its class among the [`Conditions`](super::Conditions).
#[derive(Clone, Copy)]
pub struct Steps<'a> {
    known: KnownSteps<'a>,
    /// True if all targets are states of the graph.
    is_complete: bool,
    /// Per label, the class.
    classes: &'a [u32],
    /// Function that is called whenever steps are asked for.
    look: Option<&'a dyn Fn()>,
}

impl<'a> Steps<'a> {
    /// The steps of a graph all of whose targets are states of it, of which these are the classes by label.
    pub fn all(graph: &'a Graph, classes: &'a [u32]) -> Self {
        Self {
            known: KnownSteps::all(graph),
            is_complete: true,
            classes,
            look: None,
        }
    }

    /// The same, of whose targets not all are: one state without steps stands for those that are not, and for all that are cut.
    pub fn known(known: KnownSteps<'a>, classes: &'a [u32]) -> Self {
        Self {
            known,
            is_complete: false,
            classes,
            look: None,
        }
    }

    /// The same, of which each time that it is asked for steps a function is called, which may end all by a panic.
    pub fn looking(self, look: &'a dyn Fn()) -> Self {
        Self {
            look: Some(look),
            ..self
        }
    }

    /// The graph.
    pub(crate) fn graph(&self) -> &'a Graph {
        self.known.graph
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.graph().states() + usize::from(!self.is_complete)
    }

    /// The state that stands for those that were not expanded.
    pub(crate) fn unexpanded(&self) -> Option<u32> {
        (!self.is_complete).then_some(self.known.others().0)
    }

    /// The number of a target, which may not have been expanded.
    #[inline]
    pub(crate) fn target(&self, target: NodeId) -> u32 {
        if self.is_complete {
            target.0
        } else {
            self.known.target(target).0
        }
    }

    /// The class of a label.
    pub(crate) fn class(&self, label: u32) -> u32 {
        self.classes[label as usize]
    }

    /// The steps of `state` from `cursor` on: of each the cursor of the one after it, its target, and its class. That of the first
    /// is 0, and all stay below 2³¹.
    #[inline]
    pub(super) fn steps_from(
        &self,
        state: u32,
        cursor: u32,
    ) -> impl Iterator<Item = (u32, u32, u32)> {
        if let Some(look) = self.look {
            look();
        }
        let steps = self.graph().steps_from(NodeId(state), cursor);
        steps.map(|(next, target, label)| (next, self.target(target), self.class(label)))
    }

    /// All steps of a state.
    #[inline]
    pub(crate) fn steps(&self, state: u32) -> impl Iterator<Item = (u32, u32)> {
        let steps = self.steps_from(state, 0);
        steps.map(|(_, target, class)| (target, class))
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
