//! The order of the steps of a mutator that announces its targets (deviation D6), and what goes wrong in other orders.
//!
//! Each step is one access to what is shared: the announcement is written, a cell, a colour, and the announcement again.

use super::locals::{Flag, Locals, MutatorAt};
use super::scope::MutatorOrder;

impl MutatorOrder {
    /// True if a target may be announced, at MUTATE: one at a time.
    pub(super) fn may_announce(self, locals: Locals) -> bool {
        !locals.announced() || self == Self::Unretired
    }

    /// True if the target may be coloured, at COLOUR.
    pub(super) fn may_colour(self, locals: Locals) -> bool {
        self != Self::AnnouncedLate || locals.announced()
    }

    /// Moves a mutator on that announces its target.
    pub(super) fn announces_now(self, locals: &mut Locals) {
        locals.announce();
        if self == Self::ColouredBefore {
            locals.mu = MutatorAt::Colour;
        }
    }

    /// Moves a mutator on that has redirected a cell to the announced target.
    pub(super) fn has_redirected(self, locals: &mut Locals) {
        locals.mu = match self {
            Self::ColouredBefore | Self::RetiredEarly | Self::Uncoloured => MutatorAt::Retire,
            _ => MutatorAt::Colour,
        };
    }

    /// Moves a mutator on that has coloured its target.
    pub(super) fn has_coloured(self, locals: &mut Locals) {
        match self {
            Self::RetiredEarly => *locals = at_rest(*locals),
            Self::ColouredBefore | Self::Unretired => locals.mu = MutatorAt::Mutate,
            _ => locals.mu = MutatorAt::Retire,
        }
    }

    /// Moves a mutator on that retires its announcement.
    pub(super) fn retires(self, locals: &mut Locals) {
        match (self, locals.mu) {
            (Self::RetiredEarly, MutatorAt::Retire) => {
                locals.flags = locals.flags.with_announced(Flag::DOWN);
                locals.mu = MutatorAt::Colour;
            }
            _ => *locals = at_rest(*locals),
        }
    }
}

/// A mutator that is done: only what the collector knows of it stays.
fn at_rest(locals: Locals) -> Locals {
    Locals {
        flags: locals.flags.with_announced(Flag::DOWN),
        ..Locals::default()
    }
}
