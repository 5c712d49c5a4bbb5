//! The variables that levels 1 to 3 share, and the append phase of the collectors on them, which is the same on all levels.
//!
//! Source: Havelund & Shankar, Fig. 6; APPEND in Figs. 9, 12 and 14.

use refmap::{Choices, State};
use serde::Serialize;

use super::colours::Colours;
use super::locals::{Flag, Flags, Locals, MutatorAt, Mutators};
use super::memory::Memory;
use super::scope::{MutatorOrder, Scope};
use super::shape::Node;
use crate::heap::Objects as NodeSet;

// ANCHOR: variables
/// The variables of Fig. 6 but CHI, in its order: M, C, L, and MU and Q of each mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, State)]
#[state(system = impl AsRef<Scope>)]
pub struct Shared {
    /// The memory, the only observable variable.
    pub m: Memory,
    /// The colours.
    pub c: Colours,
    /// The next node of the append phase; NODES at its end.
    #[state(range = 0..=system.as_ref().shape.nodes)]
    pub l: u8,
    /// The local variables of each mutator. Mutators are alike, and nodes are not: the collector scans them in order, and the roots come first.
    #[state(symmetric, len = system.as_ref().mutators)]
    pub mutators: Mutators,
}
// ANCHOR_END: variables

impl Shared {
    /// The initial values: all 0, each mutator at MUTATE, the colours as the scope states.
    pub fn initial(scope: &Scope) -> impl Iterator<Item = Self> + use<> {
        let scope = *scope;
        Colours::initial(scope.shape, scope.colours).map(move |c| Self {
            m: Memory::null_array(scope.shape),
            c,
            l: 0,
            mutators: (0..scope.mutators).map(|_| Locals::default()).collect(),
        })
    }

    /// Whether these are initial values.
    pub fn is_initial(&self, scope: &Scope) -> bool {
        Self::initial(scope).any(|initial| initial == *self)
    }

    /// Type-correct values by `choices`: L is at most NODES, and Q is a node.
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
            _ => 2,
        };
        let location = |number: u64| match (number.checked_sub(1), scope.mutator) {
            (None, _) => MutatorAt::Mutate,
            (Some(cell), MutatorOrder::ColourFirst) => MutatorAt::Redirect {
                n: (cell / sons) as Node,
                i: (cell % sons) as u8,
            },
            (Some(0), _) => MutatorAt::Colour,
            (Some(_), _) => MutatorAt::Retire,
        };
        let c = Colours {
            black: NodeSet(choices.below(1 << nodes) as u8),
        };
        let l = at_most(scope.shape.nodes, choices);
        let mutators = (0..scope.mutators)
            .map(|_| Locals {
                mu: location(choices.below(1 + second_steps)),
                q: choices.below(nodes) as Node,
                flags: Flags::choice(scope, choices),
            })
            .collect();
        Self { m, c, l, mutators }
    }

    /// Whether the mutator is between two operations.
    pub fn at_rest(&self, mutator: usize) -> bool {
        let locals = self.mutators[mutator];
        locals.mu == MutatorAt::Mutate && !locals.announced()
    }

    /// The target of a mutator that is midway, as far as the collector can see.
    #[inline]
    pub fn announcement(&self, scope: &Scope, mutator: u8) -> Option<Node> {
        self.mutators[usize::from(mutator)].announcement(scope.mutator)
    }

    /// The same without what the collector of level 3 knows of the mutators.
    #[must_use]
    pub fn unseen(mut self) -> Self {
        self.mutators
            .iter_mut()
            .for_each(|locals| locals.flags = locals.flags.with_seen(Flag::DOWN));
        self
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
    pub(super) fn append(&mut self) {
        self.m = self.m.append_to_free(self.l);
        self.l += 1;
    }

    /// APPEND.2's effect: node L becomes white, and L moves on.
    pub(super) fn whiten(&mut self) {
        self.set_colour(self.l, false);
        self.l += 1;
    }
}

/// A choice of a loop variable, which runs one past its last value, to `most`.
pub(super) fn at_most(most: u8, choices: &mut Choices) -> u8 {
    choices.below(u64::from(most) + 1) as u8
}
