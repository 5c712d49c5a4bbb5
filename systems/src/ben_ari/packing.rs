//! Packing of the states of levels 1 to 3: the ranges of Figs. 6, 10 and 13.
//!
//! PERF: everything is inlined, so that of a state passed through only the parts that are read are
//! built; the engine packs every target of every step.

use refmap::{Field, Fields, Layout};

use super::colours::Colours;
use super::locals::{Locals, MutatorAt};
use super::memory::{Memory, NodeSet};
use super::scope::{MAX_MUTATORS, MutatorOrder, Scope};
use super::seen::Seen;

/// Bit fields of the variables of a level.
pub(super) struct Packing {
    pub layout: Layout,
    scope: Scope,
    /// The two words of cells.
    cells: [Field; 2],
    c: Field,
    pub l: Field,
    /// MU and Q of each mutator.
    locals: [(Field, Field); MAX_MUTATORS],
    pub chi: Field,
    pub k: Field,
    /// H, I, J, BC and OBC, of level 3 alone.
    pub counters: Counters,
}

pub(super) struct Counters {
    pub h: Field,
    pub i: Field,
    pub j: Field,
    pub bc: Field,
    pub obc: Field,
}

/// The level, which determines the ranges of the variables that not every level has.
#[derive(Clone, Copy)]
pub(super) enum Level {
    One,
    Two,
    Three,
}

impl Packing {
    /// The bit fields for a level whose collector has `chi` locations.
    pub fn new(scope: Scope, level: Level, chi: usize) -> Self {
        let shape = scope.shape;
        let [nodes, sons, roots] = [shape.nodes, shape.sons, shape.roots].map(u64::from);
        let cells = shape.bits_of_words();
        let mut layout = Layout::new();
        let locations = match scope.mutator {
            MutatorOrder::RedirectFirst => 2,
            MutatorOrder::ColourFirst => nodes * sons + 1,
        };
        let (k, counters, j) = match level {
            Level::One => (1, 1, 1),
            Level::Two => (roots + 1, 1, 1),
            Level::Three => (roots + 1, nodes + 1, sons + 1),
        };
        Self {
            scope,
            cells: cells.map(|bits| layout.bits_of(bits)),
            c: layout.below(1 << nodes),
            l: layout.below(nodes + 1),
            locals: std::array::from_fn(|n| match n < usize::from(scope.mutators) {
                true => (layout.below(locations), layout.below(nodes)),
                false => (layout.below(1), layout.below(1)),
            }),
            chi: layout.below(chi as u64),
            k: layout.below(k),
            counters: Counters {
                h: layout.below(counters),
                i: layout.below(counters),
                j: layout.below(j),
                bc: layout.below(counters),
                obc: layout.below(counters),
            },
            layout,
        }
    }

    /// The variables that mutators see.
    #[inline(always)]
    pub fn seen(&self, s: &Seen, fields: &mut impl Fields) -> Seen {
        let [lower, upper] = self.cells;
        let words = s.m.words();
        let words = [
            fields.number(lower, words[0]),
            fields.number(upper, words[1]),
        ];
        let mut mutators = s.mutators;
        for (locals, (mu, q)) in mutators.iter_mut().zip(&self.locals) {
            *locals = Locals {
                mu: self.mutator_at(*mu, locals.mu, fields),
                q: fields.byte(*q, locals.q),
            };
        }
        Seen {
            m: Memory::of_words(self.scope.shape, words),
            c: Colours {
                black: NodeSet(fields.byte(self.c, s.c.black.0)),
            },
            mutators,
        }
    }

    #[inline(always)]
    fn mutator_at(&self, field: Field, mu: MutatorAt, fields: &mut impl Fields) -> MutatorAt {
        match self.scope.mutator {
            MutatorOrder::RedirectFirst => match fields.flag(field, mu == MutatorAt::Colour) {
                true => MutatorAt::Colour,
                false => MutatorAt::Mutate,
            },
            MutatorOrder::ColourFirst => self.cell_or_rest(field, mu, fields),
        }
    }

    /// Colour-first: MUTATE is 0, and the cell to be redirected is one more than its place.
    fn cell_or_rest(&self, field: Field, mu: MutatorAt, fields: &mut impl Fields) -> MutatorAt {
        let sons = u64::from(self.scope.shape.sons);
        let place = match mu {
            MutatorAt::Redirect { n, i } => 1 + u64::from(n) * sons + u64::from(i),
            // Redirect-first only.
            MutatorAt::Colour => u64::MAX,
            MutatorAt::Mutate => 0,
        };
        match fields.number(field, place).checked_sub(1) {
            None => MutatorAt::Mutate,
            Some(cell) => MutatorAt::Redirect {
                n: (cell / sons) as u8,
                i: (cell % sons) as u8,
            },
        }
    }
}
