//! The mutator of levels 1 to 3, and the variables that these levels share.
//!
//! Source: Havelund & Shankar, Figs. 6 and 8, Appendix A.3; section 1 for the order refuted by
//! Pixley and by van de Snepscheut.

use refmap::{Process, Rule, RuleId, offer};
use serde::Serialize;
use tinyvec::ArrayVec;

use super::colours::Colours;
use super::memory::{Memory, Node, NodeSet};
use super::process;
use super::scope::{MutatorOrder, Scope};

/// The most mutators that an instance can have.
pub const MAX_MUTATORS: usize = 3;

/// The variables of Fig. 6, and the program counter and Q of each mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
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

/// The mutators of an instance.
pub type Mutators = ArrayVec<[Locals; MAX_MUTATORS]>;

/// A mutator's program counter and its variable Q.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Locals {
    /// Where it is.
    pub mu: MutatorAt,
    /// The node to be coloured; stale at MUTATE.
    pub q: Node,
}

/// Where a mutator is (`MuPC`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MutatorAt {
    /// Between two operations.
    #[default]
    Mutate,
    /// Redirect-first: the cell is redirected, and Q is to be coloured.
    Colour,
    /// Colour-first: Q is coloured, and cell (n, i) is to be redirected to it.
    Redirect {
        /// The node of the cell.
        n: Node,
        /// The index of the cell.
        i: u8,
    },
}

/// A step of a mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MutatorAction {
    /// Redirect-first: cell (n, i) is redirected to `k`.
    Mutate {
        /// Which mutator.
        mutator: u8,
        /// The node of the cell.
        n: Node,
        /// The index of the cell.
        i: u8,
        /// The target, accessible before.
        k: Node,
    },
    /// Redirect-first: Q is coloured.
    ColourTarget {
        /// Which mutator.
        mutator: u8,
    },
    /// Colour-first: cell (n, i) and the target `k` are chosen, and `k` is coloured.
    ChooseAndColour {
        /// Which mutator.
        mutator: u8,
        /// The node of the cell.
        n: Node,
        /// The index of the cell.
        i: u8,
        /// The target, accessible now.
        k: Node,
    },
    /// Colour-first: the cell chosen is redirected to Q.
    Redirect {
        /// Which mutator.
        mutator: u8,
    },
}

impl MutatorAction {
    /// How many rules a mutator has.
    pub const RULES: usize = 2;

    /// The rules of a mutator, in the order of its steps.
    pub fn rules(order: MutatorOrder) -> [Rule; Self::RULES] {
        let rule = |name, source| Rule::new(name, "mutator", source);
        match order {
            MutatorOrder::RedirectFirst => [
                rule("mutate", "Fig. 8, MUTATE.1"),
                rule("colour_target", "Fig. 8, COLOUR.1"),
            ],
            MutatorOrder::ColourFirst => [
                rule("choose_and_colour", "section 1; Fig. 8, COLOUR.1 first"),
                rule("redirect", "section 1; Fig. 8, MUTATE.1 second"),
            ],
        }
    }

    /// Which of [`rules`](Self::rules) it is an instance of.
    pub fn rule(self) -> RuleId {
        RuleId(match self {
            Self::Mutate { .. } | Self::ChooseAndColour { .. } => 0,
            Self::ColourTarget { .. } | Self::Redirect { .. } => 1,
        })
    }

    /// Which mutator takes it.
    pub fn process(self, scope: &Scope) -> Process {
        let (Self::Mutate { mutator, .. }
        | Self::ColourTarget { mutator }
        | Self::ChooseAndColour { mutator, .. }
        | Self::Redirect { mutator }) = self;
        process::mutator(mutator, scope.mutators)
    }
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

    /// Whether the mutator is between two operations.
    pub fn at_rest(&self, mutator: usize) -> bool {
        self.mutators[mutator].mu == MutatorAt::Mutate
    }

    /// The steps of the mutators.
    pub fn mutator_steps(&self, scope: &Scope, visit: &mut impl FnMut(MutatorAction, Self)) {
        for (mutator, locals) in (0u8..).zip(&self.mutators) {
            match (locals.mu, scope.mutator) {
                (MutatorAt::Mutate, order) => {
                    let accessible = self.m.accessible();
                    for k in accessible.iter() {
                        for (n, i) in self.m.shape.cells() {
                            let action = match order {
                                MutatorOrder::RedirectFirst => {
                                    MutatorAction::Mutate { mutator, n, i, k }
                                }
                                MutatorOrder::ColourFirst => {
                                    MutatorAction::ChooseAndColour { mutator, n, i, k }
                                }
                            };
                            offer(visit, action, || self.mutator_step(accessible, action));
                        }
                    }
                }
                (MutatorAt::Colour, _) => {
                    let action = MutatorAction::ColourTarget { mutator };
                    offer(visit, action, || self.colour_target(mutator));
                }
                (MutatorAt::Redirect { .. }, _) => {
                    let action = MutatorAction::Redirect { mutator };
                    offer(visit, action, || self.redirect(mutator));
                }
            }
        }
    }

    /// Where `action` leads, if it is enabled.
    pub fn mutator_successor(&self, scope: &Scope, action: MutatorAction) -> Option<Self> {
        let of_this_order = match action {
            MutatorAction::Mutate { .. } | MutatorAction::ColourTarget { .. } => {
                scope.mutator == MutatorOrder::RedirectFirst
            }
            MutatorAction::ChooseAndColour { .. } | MutatorAction::Redirect { .. } => {
                scope.mutator == MutatorOrder::ColourFirst
            }
        };
        of_this_order
            .then(|| self.mutator_step(self.m.accessible(), action))
            .flatten()
    }

    fn mutator_step(&self, accessible: NodeSet, action: MutatorAction) -> Option<Self> {
        match action {
            MutatorAction::Mutate { mutator, n, i, k } => self.mutate(accessible, mutator, n, i, k),
            MutatorAction::ColourTarget { mutator } => self.colour_target(mutator),
            MutatorAction::ChooseAndColour { mutator, n, i, k } => {
                self.choose_and_colour(accessible, mutator, n, i, k)
            }
            MutatorAction::Redirect { mutator } => self.redirect(mutator),
        }
    }

    /// Rule *mutate* [Fig. 8, MUTATE.1].
    fn mutate(&self, accessible: NodeSet, mutator: u8, n: Node, i: u8, k: Node) -> Option<Self> {
        if self.locals(mutator).mu != MutatorAt::Mutate || !accessible.contains(k) {
            return None;
        }
        let mut to = *self;
        to.m = to.m.set_son(n, i, k);
        *to.locals_mut(mutator) = Locals {
            mu: MutatorAt::Colour,
            q: k,
        };
        Some(to)
    }

    /// Rule *colour_target* [Fig. 8, COLOUR.1].
    fn colour_target(&self, mutator: u8) -> Option<Self> {
        let Locals { mu, q } = self.locals(mutator);
        if mu != MutatorAt::Colour {
            return None;
        }
        let mut to = *self;
        to.c = to.c.set_colour(q, true);
        to.locals_mut(mutator).mu = MutatorAt::Mutate;
        Some(to)
    }

    /// Rule *choose_and_colour*, the first step of the refuted order [section 1].
    fn choose_and_colour(
        &self,
        accessible: NodeSet,
        mutator: u8,
        n: Node,
        i: u8,
        k: Node,
    ) -> Option<Self> {
        if self.locals(mutator).mu != MutatorAt::Mutate || !accessible.contains(k) {
            return None;
        }
        let mut to = *self;
        to.c = to.c.set_colour(k, true);
        *to.locals_mut(mutator) = Locals {
            mu: MutatorAt::Redirect { n, i },
            q: k,
        };
        Some(to)
    }

    /// Rule *redirect*, the second step of the refuted order [section 1].
    fn redirect(&self, mutator: u8) -> Option<Self> {
        let Locals { mu, q } = self.locals(mutator);
        let MutatorAt::Redirect { n, i } = mu else {
            return None;
        };
        let mut to = *self;
        to.m = to.m.set_son(n, i, q);
        to.locals_mut(mutator).mu = MutatorAt::Mutate;
        Some(to)
    }

    /// The effect of TEST_L's body on node L, if it is white: it is appended to the free list, and
    /// L moves on (Figs. 9, 12, 14, APPEND.1; the guard `L < NODES` is that of Appendix A.3).
    pub fn append_white(&self) -> Option<Self> {
        if self.l >= self.m.shape.nodes || self.c.colour(self.l) {
            return None;
        }
        Some(Self {
            m: self.m.append_to_free(self.l),
            l: self.l + 1,
            ..*self
        })
    }

    /// The same for a black node: it becomes white [APPEND.2].
    pub fn black_to_white(&self) -> Option<Self> {
        if self.l >= self.m.shape.nodes || !self.c.colour(self.l) {
            return None;
        }
        Some(Self {
            c: self.c.set_colour(self.l, false),
            l: self.l + 1,
            ..*self
        })
    }

    fn locals(&self, mutator: u8) -> Locals {
        self.mutators[usize::from(mutator)]
    }

    fn locals_mut(&mut self, mutator: u8) -> &mut Locals {
        &mut self.mutators[usize::from(mutator)]
    }
}
