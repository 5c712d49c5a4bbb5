//! The variables that mutators see in levels 1 to 3, and the append phase of the collectors on them, which is the same
//! on all levels.
//!
//! Source: Havelund & Shankar, Fig. 6; Fig. 8, whose MUTATE.1 and COLOUR.1 read and write M, C, MU and Q
//! alone; APPEND in Figs. 9, 12 and 14.

use refmap::Choices;
use serde::Serialize;

use super::colours::Colours;
use super::locals::{Locals, MutatorAt, Mutators};
use super::memory::{Memory, Node, NodeSet};
use super::scope::{MutatorOrder, Scope};

/// The variables that mutators see: those of Fig. 6 but L, and the program counter and Q of each mutator.
#[derive(Clone, Copy, Debug, Eq, PartialOrd, Ord, Hash, Serialize)]
#[expect(
    clippy::derived_hash_with_manual_eq,
    reason = "it is the derived one, inlined"
)]
pub struct Seen {
    /// The memory, the only observable variable.
    pub m: Memory,
    /// The colours.
    pub c: Colours,
    /// The local variables of each mutator.
    pub mutators: Mutators,
}

/// PERF: inlined where states are unpacked and compared, so that constants of all states are not compared.
impl PartialEq for Seen {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        let Self { m, c, mutators } = self;
        *m == other.m && *c == other.c && *mutators == other.mutators
    }
}

/// The same for reports, with L: the variables that all levels have.
#[derive(Serialize)]
pub(super) struct Shared<'s> {
    m: &'s Memory,
    c: &'s Colours,
    l: u8,
    mutators: &'s Mutators,
}

impl Seen {
    /// The initial values: all 0, each mutator at MUTATE, the colours as the scope states.
    pub fn initial(scope: &Scope) -> impl Iterator<Item = Self> + use<> {
        let scope = *scope;
        Colours::initial(scope.shape, scope.colours).map(move |c| Self {
            m: Memory::null_array(scope.shape),
            c,
            mutators: (0..scope.mutators).map(|_| Locals::default()).collect(),
        })
    }

    /// Whether these are initial values.
    pub fn is_initial(&self, scope: &Scope) -> bool {
        Self::initial(scope).any(|initial| initial == *self)
    }

    /// Type-correct values by `choices`, with L: L is at most NODES, and Q is a node.
    pub fn type_correct(scope: &Scope, choices: &mut Choices) -> (Self, u8) {
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
        let c = Colours {
            black: NodeSet(choices.below(1 << nodes) as u8),
        };
        let l = choices.below(nodes + 1) as u8;
        let mutators = (0..scope.mutators)
            .map(|_| Locals {
                mu: location(choices.below(1 + second_steps)),
                q: choices.below(nodes) as Node,
            })
            .collect();
        (Self { m, c, mutators }, l)
    }

    /// These variables with L, for reports.
    pub(super) fn with(&self, l: u8) -> Shared<'_> {
        let Self { m, c, mutators } = self;
        Shared { m, c, l, mutators }
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
    pub(super) fn is_white_at(&self, l: u8) -> bool {
        l < self.m.shape.nodes && !self.colour(l)
    }

    /// APPEND.2's guard: node L is black [the bound on L is that of Appendix A.3].
    pub(super) fn is_black_at(&self, l: u8) -> bool {
        l < self.m.shape.nodes && self.colour(l)
    }

    /// APPEND.1's effect: node L is appended, and L moves on.
    pub(super) fn append(&mut self, l: &mut u8) {
        self.m = self.m.append_to_free(*l);
        *l += 1;
    }

    /// APPEND.2's effect: node L becomes white, and L moves on.
    pub(super) fn whiten(&mut self, l: &mut u8) {
        self.set_colour(*l, false);
        *l += 1;
    }
}
