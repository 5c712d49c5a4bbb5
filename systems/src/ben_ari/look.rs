//! The collector's look at mutators that are midway (deviation D6).
//!
//! A mutator that is midway has redirected a cell to a target that it has not coloured, as far as the collector can see. A scan that
//! has met nothing to colour says nothing of such targets, so between a scan and its count the collector colours them, or waits until there
//! are none. One by one, each mutator has a flag that is turned when the collector has looked at it; in the next round the other
//! value says so, and no step has to turn all flags back.

use super::locals::{Flag, Locals};
use super::scope::{Look, Midway, Scope};
use super::shared::Shared;

/// True if the collector has looked at a mutator in this round. Looking at all at once, it has of none.
pub fn has_seen(scope: &Scope, round: Flag, locals: &Locals) -> bool {
    scope.has_rounds() && locals.flags.seen() != round
}

/// True if nothing is left to look at in this round.
pub(super) fn has_looked(scope: &Scope, round: Flag, shared: &Shared) -> bool {
    shared
        .mutators
        .iter()
        .all(|locals| match (scope.midway, scope.look) {
            (Midway::Ignored, _) => true,
            (Midway::Coloured, Look::AtOnce) => {
                let target = locals.announcement(scope.mutator);
                target.is_none_or(|q| shared.colour(q))
            }
            (Midway::Awaited, Look::AtOnce) => locals.announcement(scope.mutator).is_none(),
            _ => has_seen(scope, round, locals),
        })
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
