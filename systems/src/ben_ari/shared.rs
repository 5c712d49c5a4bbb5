//! The variables that levels 1 to 3 share, and the append phase, which none of them refines.
//!
//! Source: Havelund & Shankar, Fig. 6, and APPEND in Figs. 9, 12 and 14.

use refmap::Choices;
use serde::Serialize;

use super::colours::Colours;
use super::memory::{Memory, Node, NodeSet};
use super::mutator::{Locals, MutatorAt, Mutators};
use super::scope::{MutatorOrder, Scope};

/// The variables of Fig. 6, and the program counter and Q of each mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Shared {
    /// The memory, which is all that can be observed.
    pub m: Memory,
    /// The colours.
    pub c: Colours,
    /// The node that the append phase has come to; NODES at its end.
    pub l: u8,
    /// What each mutator has for itself.
    pub mutators: Mutators,
}

impl Shared {
    /// The variables at the start: all 0, each mutator at MUTATE, the colours as assumed.
    pub fn initial(scope: &Scope) -> impl Iterator<Item = Self> + use<> {
        let scope = *scope;
        Colours::initial(scope.shape, scope.colours).map(move |c| Self {
            m: Memory::null_array(scope.shape),
            c,
            l: 0,
            mutators: (0..scope.mutators).map(|_| Locals::default()).collect(),
        })
    }

    /// Whether these are variables at the start.
    pub fn is_initial(&self, scope: &Scope) -> bool {
        Self::initial(scope).any(|initial| initial == *self)
    }

    /// The type-correct variables that `choices` make: L up to NODES, Q a node.
    pub fn type_correct(scope: &Scope, choices: &mut Choices) -> Self {
        let nodes = u64::from(scope.shape.nodes);
        let mut m = Memory::null_array(scope.shape);
        for (n, i) in scope.shape.cells() {
            m = m.set_son(n, i, choices.below(nodes) as Node);
        }
        let sons = u64::from(scope.shape.sons);
        let second_steps = match scope.mutator {
            MutatorOrder::RedirectFirst => 1,
            MutatorOrder::ColourFirst => nodes * sons,
        };
        let location = |number: u64| match (number.checked_sub(1), scope.mutator) {
            (None, _) => MutatorAt::Mutate,
            (Some(_), MutatorOrder::RedirectFirst) => MutatorAt::Colour,
            (Some(cell), MutatorOrder::ColourFirst) => MutatorAt::Redirect {
                n: (cell / sons) as Node,
                i: (cell % sons) as u8,
            },
        };
        Self {
            m,
            c: Colours {
                black: NodeSet(choices.below(1 << nodes) as u8),
            },
            l: choices.below(nodes + 1) as u8,
            mutators: (0..scope.mutators)
                .map(|_| Locals {
                    mu: location(choices.below(1 + second_steps)),
                    q: choices.below(nodes) as Node,
                })
                .collect(),
        }
    }

    /// Whether the mutator is between two operations.
    pub fn at_rest(&self, mutator: usize) -> bool {
        self.mutators[mutator].mu == MutatorAt::Mutate
    }

    /// Whether node n is black.
    ///
    /// # Panics
    ///
    /// If there is no node n: the figures read colours of nodes only.
    pub fn colour(&self, n: Node) -> bool {
        assert!(n < self.m.shape.nodes, "there is no node {n}");
        self.c.colour(n)
    }

    /// Colours node n black, or white.
    ///
    /// # Panics
    ///
    /// If there is no node n.
    pub fn set_colour(&mut self, n: Node, black: bool) {
        assert!(n < self.m.shape.nodes, "there is no node {n}");
        self.c = self.c.set_colour(n, black);
    }

    /// APPEND.1's guard: node L is white [the bound on L is that of Appendix A.3].
    pub(super) fn is_white_at_l(&self) -> bool {
        self.l < self.m.shape.nodes && !self.colour(self.l)
    }

    /// APPEND.2's guard: node L is black [the bound on L is that of Appendix A.3].
    pub(super) fn is_black_at_l(&self) -> bool {
        self.l < self.m.shape.nodes && self.colour(self.l)
    }

    /// APPEND.1's effect: node L is appended, and L moves on.
    pub(super) fn append_l(&mut self) {
        self.m = self.m.append_to_free(self.l);
        self.l += 1;
    }

    /// APPEND.2's effect: node L becomes white, and L moves on.
    pub(super) fn whiten_l(&mut self) {
        self.set_colour(self.l, false);
        self.l += 1;
    }
}
