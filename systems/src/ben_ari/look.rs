//! The collector's look at mutators that are midway (deviation D6).
//!
//! A mutator that is midway has redirected a cell to a target that it has not coloured, as far as the collector can see. A scan that
//! has met nothing to colour says nothing of such targets, so between a scan and its count the collector colours them, or waits until there
//! are none. One by one, each mutator has a flag that is turned when the collector has looked at it; in the next round the other
//! value says so, and no step has to turn all flags back.

use refmap::State;
use serde::Serialize;

use super::locals::{Flag, Locals};
use super::scope::{Look, Midway, Scope};
use super::shared::Shared;
use crate::heap::Objects as NodeSet;

/// True if the collector has looked at a mutator in this round. Looking at all at once, it has of none.
pub fn has_seen(scope: &Scope, round: Flag, locals: &Locals) -> bool {
    scope.has_rounds() && locals.flags.seen() != round
}

/// The question of each mutator to which the answer has to be *no* before the collector goes on: is it still to be looked at?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, State)]
pub enum ToLookAt {
    /// One that the collector has not looked at in this round.
    Unseen(Flag),
    /// One that is midway, as far as the collector can see; by what it announces, or by its location.
    Midway {
        /// True if targets are announced.
        announces: bool,
    },
    /// The same with a target that is white.
    White {
        /// True if targets are announced.
        announces: bool,
        /// The black nodes.
        black: NodeSet,
    },
}

impl ToLookAt {
    /// The question in this round, if there is one.
    #[inline]
    pub(super) fn of(scope: &Scope, round: Flag, shared: &Shared) -> Option<Self> {
        let announces = scope.mutator.announces();
        Some(match (scope.midway, scope.look) {
            (Midway::Ignored, _) => return None,
            (Midway::Coloured, Look::AtOnce) => Self::White {
                announces,
                black: shared.c.black,
            },
            (Midway::Awaited, Look::AtOnce) => Self::Midway { announces },
            _ => Self::Unseen(round),
        })
    }

    /// The answer of a mutator.
    #[inline]
    pub fn is(&self, locals: &Locals) -> bool {
        match *self {
            Self::Unseen(round) => locals.flags.seen() == round,
            Self::Midway { announces } => locals.target(announces).is_some(),
            Self::White { announces, black } => {
                let target = locals.target(announces);
                target.is_some_and(|q| !black.contains(q))
            }
        }
    }
}

/// True if the collector may look at a mutator: at each once; but looking at all at once, only at what is left to colour, and one
/// that waits at none that is midway.
pub(super) fn may_look_at(scope: &Scope, round: Flag, shared: &Shared, mutator: u8) -> bool {
    let locals = &shared.mutators[usize::from(mutator)];
    let target = locals.announcement(scope.mutator);
    match (scope.midway, scope.look) {
        (Midway::Ignored, _) | (Midway::Awaited, Look::AtOnce) => false,
        (Midway::Coloured, Look::AtOnce) => target.is_some_and(|q| !shared.colour(q)),
        (Midway::Coloured, _) => !has_seen(scope, round, locals),
        (Midway::Awaited, _) => !has_seen(scope, round, locals) && target.is_none(),
    }
}

/// The collector looks at a mutator.
pub(super) fn look_at(scope: &Scope, round: Flag, shared: &mut Shared, mutator: u8) {
    if let Some(q) = shared
        .announcement(scope, mutator)
        .filter(|_| scope.midway == Midway::Coloured)
    {
        shared.set_colour(q, true);
    }
    if scope.has_rounds() {
        let flags = &mut shared.mutators[usize::from(mutator)].flags;
        *flags = flags.with_seen(round.turned());
    }
}
