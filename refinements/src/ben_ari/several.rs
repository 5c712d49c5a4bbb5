//! Invariants of level 3 as it is repaired for several mutators (deviation D6 of the model).
//!
//! With one mutator a black-to-white pointer behind the scan has another one ahead. With two it need not: the second one may remove the
//! path by which the target of the first was found. So the invariants speak of mutators that the collector has still to look at. As long
//! as nothing was coloured since the last count, and no such mutator has a white target, there is no black-to-white pointer behind
//! the scan, and no mutator is about to colour a white node. Both hold at the end of the scan once the collector has looked at all mutators: if
//! it met a white target, something was coloured. Then all accessible nodes are black, so what any mutator redirects a cell to is, and it stays so.
//!
//! It is simpler with mutators that colour before they redirect: once the collector has looked at them, what they redirect cells to is black. These
//! invariants speak of what is shared and of one mutator, and never say that a mutator is somewhere.

use refmap::Invariant;
use refmap_systems::ben_ari::level_3::{Chi, State};
use refmap_systems::ben_ari::{Level3, Locals, MutatorAt, MutatorOrder, Scope, has_seen};

use super::scan::{bw_cells, counting, nothing_coloured, scanning};

/// Those that take the place of the invariants for one mutator.
pub(super) fn repaired(scope: Scope) -> Vec<Invariant<Level3>> {
    let mut invariants = Vec::new();
    if scope.mutator.announces() {
        invariants.push(midway_is_announced());
    }
    if scope.has_rounds() {
        invariants.push(seen_where_looking(scope));
    }
    if scope.mutator == MutatorOrder::ColouredBefore {
        invariants.push(redirected_to_black(scope));
        invariants.extend([
            uncoloured_scan_has_no_bw(),
            uncoloured_count_is_blackened(),
            blackened_at_quit(),
        ]);
    } else {
        invariants.push(scanned_without_targets(scope));
        invariants.push(counted_without_targets());
    }
    invariants
}

/// A mutator that is about to colour.
fn is_pending(locals: &Locals) -> bool {
    locals.mu == MutatorAt::Colour
}

/// A mutator that is midway has announced its target: the collector can see it.
pub fn midway_is_announced() -> Invariant<Level3> {
    let source = "supports scanned_without_targets; D6";
    Invariant::new("midway_is_announced", source, |s: &State| {
        let midway = |locals: &&Locals| locals.mu != MutatorAt::Mutate;
        let mut mutators = s.shared.mutators.iter().filter(midway);
        mutators.all(|locals| locals.announced())
    })
}

/// The collector has looked at mutators in this round only where it looks.
pub fn seen_where_looking(scope: Scope) -> Invariant<Level3> {
    let source = "supports scanned_without_targets; D6";
    Invariant::new("seen_where_looking", source, move |s: &State| {
        let mut mutators = s.shared.mutators.iter();
        !mutators.any(|locals| has_seen(&scope, s.round, locals))
    })
    .when(move |s: &State| !s.looks(&scope))
}

/// If nothing was coloured since the last count, and no mutator that is still to be looked at has a white target, no black-to-white
/// pointer is behind the scan, and no mutator is about to colour a white node.
pub fn scanned_without_targets(scope: Scope) -> Invariant<Level3> {
    let source = "supports uncoloured_count_has_no_bw; D6";
    Invariant::new("scanned_without_targets", source, |s: &State| {
        bw_cells(s, true).next().is_none() && !colours_white(s, |_| true)
    })
    .when(move |s: &State| {
        let unseen = |locals: &Locals| !has_seen(&scope, s.round, locals);
        scanning(s) && nothing_coloured(s) && !colours_white(s, unseen)
    })
}

/// If nothing was coloured since the last count, no mutator is about to colour a white node while black ones are counted.
pub fn counted_without_targets() -> Invariant<Level3> {
    let source = "supports uncoloured_count_has_no_bw; D6";
    Invariant::new("counted_without_targets", source, |s: &State| {
        !colours_white(s, |_| true)
    })
    .when(|s: &State| match s.chi {
        Chi::Compare => s.bc == s.obc,
        _ => counting(s) && nothing_coloured(s),
    })
}

/// Targets coloured before: what a mutator may redirect a cell to is black, once the collector has looked at it and until it has marked.
/// It speaks of one mutator.
pub fn redirected_to_black(scope: Scope) -> Invariant<Level3> {
    let source = "supports uncoloured_scan_has_no_bw; D6";
    Invariant::new("redirected_to_black", source, move |s: &State| {
        let may_redirect = |locals: &&Locals| locals.mu == MutatorAt::Mutate && locals.announced();
        let looked_at = |locals: &&Locals| !s.looks(&scope) || has_seen(&scope, s.round, locals);
        let mut mutators = s
            .shared
            .mutators
            .iter()
            .filter(may_redirect)
            .filter(looked_at);
        mutators.all(|locals| s.shared.c.colour(locals.q))
    })
    .when(|s: &State| scanning(s) || counting(s) || s.chi == Chi::Compare)
}

/// Targets coloured before: no black-to-white pointer is behind the scan, if nothing was coloured since the last count.
pub fn uncoloured_scan_has_no_bw() -> Invariant<Level3> {
    let source = "supports uncoloured_count_is_blackened; D6";
    Invariant::new("uncoloured_scan_has_no_bw", source, |s: &State| {
        bw_cells(s, true).next().is_none()
    })
    .when(|s: &State| scanning(s) && nothing_coloured(s))
}

/// Targets coloured before: while black nodes are counted all accessible ones are, if nothing was coloured since the last count.
pub fn uncoloured_count_is_blackened() -> Invariant<Level3> {
    let source = "supports blackened_at_quit; D6";
    Invariant::new("uncoloured_count_is_blackened", source, |s: &State| {
        s.shared.c.blackened(&s.shared.m, 0)
    })
    .when(|s: &State| counting(s) && nothing_coloured(s))
}

/// Targets coloured before: when the counts agree all accessible nodes are black, as COMPARE.1 ≪ PROPAGATE.2 needs.
pub fn blackened_at_quit() -> Invariant<Level3> {
    Invariant::new("blackened_at_quit", "D6", |s: &State| {
        s.shared.c.blackened(&s.shared.m, 0)
    })
    .when(|s: &State| s.chi == Chi::Compare && s.bc == s.obc)
}

/// True if one of these mutators is about to colour a white node.
fn colours_white(s: &State, of: impl Fn(&Locals) -> bool) -> bool {
    let mut pending = s.shared.mutators.iter().filter(|locals| is_pending(locals));
    pending.any(|locals| of(locals) && !s.shared.c.colour(locals.q))
}
