//! How the states of levels 1 to 3 are written into few bits: the ranges of Figs. 6, 10 and 13.
//!
//! PERF: all of it is inlined, so that of the states that are passed through nothing is built but what
//! somebody reads; the engine packs every target of every step.

use refmap::{Field, Fields, Layout, PackedLocal};

use super::colours::Colours;
use super::level_1::{self, Level1};
use super::level_2::{self, Level2};
use super::level_3::{self, Level3};
use super::memory::{Memory, NodeSet};
use super::mutator::{Locals, MAX_MUTATORS, MutatorAt};
use super::scope::{MutatorOrder, Scope};
use super::seen::Seen;

/// Where the variables of a level are.
pub(super) struct Packing {
    layout: Layout,
    scope: Scope,
    /// The two words of cells.
    cells: [Field; 2],
    c: Field,
    l: Field,
    /// MU and Q of each mutator.
    locals: [(Field, Field); MAX_MUTATORS],
    chi: Field,
    k: Field,
    /// H, I, J, BC and OBC, of level 3 alone.
    counters: Counters,
}

struct Counters {
    h: Field,
    i: Field,
    j: Field,
    bc: Field,
    obc: Field,
}

/// How many values the variables have that not every level has.
#[derive(Clone, Copy)]
pub(super) enum Level {
    One,
    Two,
    Three,
}

impl Packing {
    pub fn new(scope: Scope, level: Level) -> Self {
        let shape = scope.shape;
        let [nodes, sons, roots] = [shape.nodes, shape.sons, shape.roots].map(u64::from);
        let cells = shape.bits_of_words();
        let mut layout = Layout::new();
        let locations = match scope.mutator {
            MutatorOrder::RedirectFirst => 2,
            MutatorOrder::ColourFirst => nodes * sons + 1,
        };
        let (chi, k, counters, j) = match level {
            Level::One => (level_1::Chi::ALL.len(), 1, 1, 1),
            Level::Two => (level_2::Chi::ALL.len(), roots + 1, 1, 1),
            Level::Three => (level_3::Chi::ALL.len(), roots + 1, nodes + 1, sons + 1),
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
    fn seen(&self, s: &Seen, fields: &mut impl Fields) -> Seen {
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

impl PackedLocal for Level1 {
    fn layout(&self) -> &Layout {
        &self.packing.layout
    }

    #[inline(always)]
    fn local_fields(&self, seen: &Seen, fields: &mut impl Fields) -> Seen {
        self.packing.seen(seen, fields)
    }

    #[inline(always)]
    fn context_fields(
        &self,
        s: &level_1::Collector,
        fields: &mut impl Fields,
    ) -> level_1::Collector {
        let at = &self.packing;
        level_1::Collector {
            chi: fields.one_of(at.chi, s.chi as usize, &level_1::Chi::ALL),
            l: fields.byte(at.l, s.l),
        }
    }
}

impl PackedLocal for Level2 {
    fn layout(&self) -> &Layout {
        &self.packing.layout
    }

    #[inline(always)]
    fn local_fields(&self, seen: &Seen, fields: &mut impl Fields) -> Seen {
        self.packing.seen(seen, fields)
    }

    #[inline(always)]
    fn context_fields(
        &self,
        s: &level_2::Collector,
        fields: &mut impl Fields,
    ) -> level_2::Collector {
        let at = &self.packing;
        level_2::Collector {
            chi: fields.one_of(at.chi, s.chi as usize, &level_2::Chi::ALL),
            l: fields.byte(at.l, s.l),
            k: fields.byte(at.k, s.k),
        }
    }
}

impl PackedLocal for Level3 {
    fn layout(&self) -> &Layout {
        &self.packing.layout
    }

    #[inline(always)]
    fn local_fields(&self, seen: &Seen, fields: &mut impl Fields) -> Seen {
        self.packing.seen(seen, fields)
    }

    #[inline(always)]
    fn context_fields(
        &self,
        s: &level_3::Collector,
        fields: &mut impl Fields,
    ) -> level_3::Collector {
        let at = &self.packing;
        level_3::Collector {
            chi: fields.one_of(at.chi, s.chi as usize, &level_3::Chi::ALL),
            l: fields.byte(at.l, s.l),
            h: fields.byte(at.counters.h, s.h),
            i: fields.byte(at.counters.i, s.i),
            j: fields.byte(at.counters.j, s.j),
            k: fields.byte(at.k, s.k),
            bc: fields.byte(at.counters.bc, s.bc),
            obc: fields.byte(at.counters.obc, s.obc),
        }
    }
}
