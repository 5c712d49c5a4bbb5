//! What mutators see of a state, by itself: the part that their steps are taken in.
//!
//! Source: Havelund & Shankar, Fig. 8: MUTATE.1 and COLOUR.1 read and write M, C, MU and Q alone.

use refmap::Framed;

use super::colours::Colours;
use super::level_2::{self, Level2};
use super::level_3::{self, Level3};
use super::memory::{Memory, Node};
use super::mutator::{Locals, Mutators, OfLevel, SeenByMutators};
use super::shared::Shared;

/// The variables that mutators see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The memory.
    pub m: Memory,
    /// The colours.
    pub c: Colours,
    /// What each mutator has for itself.
    pub mutators: Mutators,
}

impl SeenByMutators for Seen {
    #[inline]
    fn memory(&self) -> &Memory {
        &self.m
    }

    #[inline]
    fn memory_mut(&mut self) -> &mut Memory {
        &mut self.m
    }

    #[inline]
    fn blacken(&mut self, n: Node) {
        assert!(n < self.m.shape.nodes, "there is no node {n}");
        self.c = self.c.set_colour(n, true);
    }

    #[inline]
    fn mutators(&self) -> &Mutators {
        &self.mutators
    }

    #[inline]
    fn locals_mut(&mut self, mutator: u8) -> &mut Locals {
        &mut self.mutators[usize::from(mutator)]
    }
}

impl Shared {
    /// The part of it that mutators see.
    #[inline(always)]
    pub(super) fn seen(&self) -> Seen {
        Seen {
            m: self.m,
            c: self.c,
            mutators: self.mutators,
        }
    }
}

/// Replaces what mutators see of a state.
#[inline]
fn put<S: OfLevel>(seen: &Seen, state: &mut S) {
    let Shared {
        m,
        c,
        l: _,
        mutators,
    } = state.shared_mut();
    *m = seen.m;
    *c = seen.c;
    *mutators = seen.mutators;
}

impl Framed for Level2 {
    type Part = Seen;

    #[inline]
    fn part(&self, state: &level_2::State) -> Seen {
        state.shared.seen()
    }

    #[inline]
    fn put(&self, part: &Seen, state: &mut level_2::State) {
        put(part, state);
    }

    fn next_of_part(&self, from: &Seen, visit: &mut impl FnMut(level_2::Action, Seen)) {
        self.mutators().steps(from, &mut |action, to| {
            visit(level_2::Action::Mutator(action), to);
        });
    }

    fn next_of_rest(
        &self,
        from: &level_2::State,
        visit: &mut impl FnMut(level_2::Action, level_2::State),
    ) {
        self.next_of_collector(from, visit);
    }
}

impl Framed for Level3 {
    type Part = Seen;

    #[inline]
    fn part(&self, state: &level_3::State) -> Seen {
        state.shared.seen()
    }

    #[inline]
    fn put(&self, part: &Seen, state: &mut level_3::State) {
        put(part, state);
    }

    fn next_of_part(&self, from: &Seen, visit: &mut impl FnMut(level_3::Action, Seen)) {
        self.mutators().steps(from, &mut |action, to| {
            visit(level_3::Action::Mutator(action), to);
        });
    }

    #[inline]
    fn next_of_rest(
        &self,
        from: &level_3::State,
        visit: &mut impl FnMut(level_3::Action, level_3::State),
    ) {
        self.next_of_collector(from, visit);
    }
}
