//! Level 3 of Ben-Ari's collector as a stateright model: redirect-first mutator, every node white
//! at the start.
//!
//! Source: Havelund & Shankar, Figs. 8, 13 and 14, and Appendix A.3, with the corrected target of
//! TEST_L.1. The transition system is that of `systems/src/ben_ari/level_3.rs`; `../../README.md` says
//! how to run it and how the counts compare. Nothing of refmap is used here.

use std::hash::{Hash, Hasher};

use stateright::{Model, Property};

/// The algorithm for NODES, SONS and ROOTS; `CELLS` is NODES · SONS, so that a state has no more
/// cells than it needs.
pub struct Collector<const CELLS: usize> {
    pub nodes: u8,
    pub sons: u8,
    pub roots: u8,
    /// Target of TEST_L.1; TEST_I is the misprint of Fig. 14, which skips the roots.
    pub after_appending: Chi,
}

/// The variables of the model and nothing else, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<const CELLS: usize> {
    /// Target of cell (n, s), at n · SONS + s.
    son: [u8; CELLS],
    /// Bit n is set if node n is black.
    black: u8,
    mu: Mu,
    q: u8,
    chi: Chi,
    h: u8,
    i: u8,
    j: u8,
    k: u8,
    l: u8,
    bc: u8,
    obc: u8,
}

/// PERF: two words for the hasher take 0.97 s at (3, 2, 1), the derived twelve writes 1.08 s.
///
/// The words determine the state: every variable is at most 8 and has four bits, of which `black`
/// alone has eight, and there are at most 16 cells. All fields are named, lest one be forgotten.
impl<const CELLS: usize> Hash for State<CELLS> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let word = |values: &[u8]| {
            let append = |word, &value| word << 4 | u64::from(value);
            values.iter().fold(0, append)
        };
        let Self {
            son,
            black,
            mu,
            q,
            chi,
            h,
            i,
            j,
            k,
            l,
            bc,
            obc,
        } = *self;
        let (low, high) = (black & 15, black >> 4);
        hasher.write_u64(word(&son));
        let others = [high, low, mu as u8, q, chi as u8, h, i, j, k, l, bc, obc];
        hasher.write_u64(word(&others));
    }
}

/// The locations of the mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mu {
    Mutate,
    Colour,
}

/// The locations of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Chi {
    ColourRoots,
    TestI,
    TestColour,
    ColourSons,
    TestH,
    Count,
    Compare,
    TestL,
    Append,
}

/// A step. The collector has one in every state, which its location and the state determine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// MUTATE.1: `cell` is redirected to `target`.
    Mutate { cell: u8, target: u8 },
    /// COLOUR.1.
    ColourTarget,
    /// The rule of Fig. 14 that is enabled.
    Collect,
}

impl<const CELLS: usize> Collector<CELLS> {
    /// The set of nodes that can be reached from a root.
    fn accessible(&self, son: &[u8; CELLS]) -> u8 {
        let mut reached = ((1u16 << self.roots) - 1) as u8;
        let mut todo = reached;
        while todo != 0 {
            let first = todo.trailing_zeros() as usize * usize::from(self.sons);
            todo &= todo - 1;
            for son in &son[first..first + usize::from(self.sons)] {
                todo |= 1 << son & !reached;
                reached |= 1 << son;
            }
        }
        reached
    }

    /// The step of the collector.
    fn collect(&self, s: &mut State<CELLS>) {
        let black = |n: u8| s.black >> n & 1 == 1;
        s.chi = match s.chi {
            Chi::ColourRoots if s.k == self.roots => {
                s.i = 0;
                Chi::TestI
            }
            Chi::ColourRoots => {
                s.black |= 1 << s.k;
                s.k += 1;
                Chi::ColourRoots
            }
            Chi::TestI if s.i == self.nodes => {
                s.bc = 0;
                s.h = 0;
                Chi::TestH
            }
            Chi::TestI => Chi::TestColour,
            Chi::TestColour if black(s.i) => {
                s.j = 0;
                Chi::ColourSons
            }
            Chi::TestColour => {
                s.i += 1;
                Chi::TestI
            }
            Chi::ColourSons if s.j == self.sons => {
                s.i += 1;
                Chi::TestI
            }
            Chi::ColourSons => {
                s.black |= 1 << s.son[usize::from(s.i * self.sons + s.j)];
                s.j += 1;
                Chi::ColourSons
            }
            Chi::TestH if s.h == self.nodes => Chi::Compare,
            Chi::TestH => Chi::Count,
            Chi::Count => {
                s.bc += u8::from(black(s.h));
                s.h += 1;
                Chi::TestH
            }
            Chi::Compare if s.bc == s.obc => {
                s.l = 0;
                Chi::TestL
            }
            Chi::Compare => {
                s.obc = s.bc;
                s.i = 0;
                Chi::TestI
            }
            Chi::TestL if s.l == self.nodes => {
                s.bc = 0;
                s.obc = 0;
                s.k = 0;
                self.after_appending
            }
            Chi::TestL => Chi::Append,
            Chi::Append => {
                if black(s.l) {
                    s.black &= !(1 << s.l);
                } else {
                    let old_head = s.son[0];
                    let first = usize::from(s.l * self.sons);
                    s.son[0] = s.l;
                    s.son[first..first + usize::from(self.sons)].fill(old_head);
                }
                s.l += 1;
                Chi::TestL
            }
        };
    }
}

impl<const CELLS: usize> Model for Collector<CELLS> {
    type State = State<CELLS>;
    type Action = Action;

    fn init_states(&self) -> Vec<State<CELLS>> {
        vec![State {
            son: [0; CELLS],
            black: 0,
            mu: Mu::Mutate,
            q: 0,
            chi: Chi::ColourRoots,
            h: 0,
            i: 0,
            j: 0,
            k: 0,
            l: 0,
            bc: 0,
            obc: 0,
        }]
    }

    /// Only steps that are enabled, so that `next_state` has no guard to evaluate.
    fn actions(&self, state: &State<CELLS>, actions: &mut Vec<Action>) {
        match state.mu {
            Mu::Mutate => {
                let accessible = self.accessible(&state.son);
                for target in (0..self.nodes).filter(|target| accessible >> target & 1 == 1) {
                    actions.extend((0..CELLS as u8).map(|cell| Action::Mutate { cell, target }));
                }
            }
            Mu::Colour => actions.push(Action::ColourTarget),
        }
        actions.push(Action::Collect);
    }

    fn next_state(&self, from: &State<CELLS>, action: Action) -> Option<State<CELLS>> {
        let mut to = *from;
        match action {
            Action::Mutate { cell, target } => {
                to.son[usize::from(cell)] = target;
                to.q = target;
                to.mu = Mu::Colour;
            }
            Action::ColourTarget => {
                to.black |= 1 << to.q;
                to.mu = Mu::Mutate;
            }
            Action::Collect => self.collect(&mut to),
        }
        Some(to)
    }

    /// `inv1` of level 1. L is below NODES at APPEND; the cheap conditions come first, so that few
    /// states ask what is accessible.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always(
            "what is about to be appended is garbage",
            |model: &Self, s: &State<CELLS>| {
                s.chi != Chi::Append
                    || s.black >> s.l & 1 == 1
                    || model.accessible(&s.son) >> s.l & 1 == 0
            },
        )]
    }
}
