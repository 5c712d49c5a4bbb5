//! R18: commits, fused with the loads of others before them.

use super::super::request::{Act, Place};
use super::super::state::{SYS, State, Store, Sys, Who, place_of};
use super::movers::{Kind, Mover, is_due};
use super::{Transactions, chosen};

impl Transactions<'_> {
    /// Visits the commits of a process, each alone and fused with loads of others before it.
    pub(super) fn commit(
        &mut self,
        from: &mut State,
        who: Who,
        visit: &mut dyn FnMut(Act, &State),
    ) {
        if from.sys.pending_stores(who).is_empty() {
            return;
        }
        self.found.clear();
        let mut all_changed = Vec::new();
        self.commit_some(from, who, visit, &mut |changed| {
            all_changed.extend(changed);
            true
        });
        for changed in all_changed {
            self.commit_behind_loads(from, (who, changed), 0, visit);
        }
    }

    /// Visits the commit of a process that changes a place, fused with loads of it by mutators from `first` on.
    fn commit_behind_loads(
        &mut self,
        from: &mut State,
        (who, place): (Who, Place),
        first: u8,
        visit: &mut dyn FnMut(Act, &State),
    ) {
        for mutator in first..from.numbers().end {
            // It loads its own pending store, before and after the commit.
            if Who::Mutator(mutator) == who || has_stored(from, mutator, place) {
                continue;
            }
            self.load(from, mutator, place, true, &mut |transactions, loaded| {
                let mut is_it = |changed| changed == Some(place);
                transactions.commit_some(loaded, who, visit, &mut is_it);
                transactions.commit_behind_loads(loaded, (who, place), mutator + 1, visit);
            });
        }
    }

    /// Visits the commits of a process whose changed place is accepted.
    fn commit_some(
        &mut self,
        from: &mut State,
        who: Who,
        visit: &mut dyn FnMut(Act, &State),
        is_wanted: &mut dyn FnMut(Option<Place>) -> bool,
    ) {
        let (processes, reduction) = (self.processes, self.reduction);
        let before = from.sys;
        let is_it = |step| reduction.committed_by(step) == Some(who);
        processes.steps_of(SYS, &is_it, from, &mut |act, to| {
            if is_wanted(changed(&before, &to.sys)) {
                self.found(to, &mut |to, number| visit(chosen(act, number), to));
            }
        });
    }

    /// Visits the states after right movers of a mutator whose last one loads a place; `begins` if the mutator may
    /// be at rest.
    fn load(
        &mut self,
        from: &mut State,
        mutator: u8,
        place: Place,
        begins: bool,
        visit: &mut dyn FnMut(&mut Self, &mut State),
    ) {
        let process = place_of(mutator);
        let (processes, reduction) = (self.processes, self.reduction);
        let (mover, when) = reduction.at(from, process);
        let is_at_rest = mover == Mover::Begins;
        let goes_on = mover.is_right() || is_at_rest && begins;
        if !goes_on || !is_due(from, process, when) {
            return;
        }
        let loaded = reduction.loaded(from, process);
        let is_it = mover == Mover::Right && loaded == Some(place);
        // PERF: the barriers of one operation load only one field.
        let is_last = matches!((loaded, place), (Some(Place::Field(..)), Place::Field(..)));
        if is_last && !is_it {
            return;
        }
        let stores = reduction.of_kind(from, process, Kind::Store);
        let is_taken = |step: usize| !is_at_rest || stores(step);
        processes.steps_of(process, &is_taken, from, &mut |_, to| {
            if is_it {
                visit(self, to);
            }
            if !is_last {
                self.load(to, mutator, place, false, visit);
            }
        });
    }
}

/// Whether a store of a mutator to a place is pending.
fn has_stored(state: &State, mutator: u8, place: Place) -> bool {
    let mut pending = state.sys.pending_stores(Who::Mutator(mutator)).iter();
    pending.any(|store| match *store {
        Store::Field(src, field, _) => place == Place::Field(src, field),
        _ => false,
    })
}

/// The place loaded by mutators that a commit has changed.
fn changed(before: &Sys, after: &Sys) -> Option<Place> {
    if before.fm != after.fm {
        return Some(Place::FM);
    }
    if before.phase != after.phase {
        return Some(Place::Phase);
    }
    let objects = (0..).zip(before.heap.iter().zip(&after.heap));
    let mut fields = objects.filter_map(|(src, (before, after))| {
        let [before, after] = [before, after].map(|object| object.map(|object| object.fields));
        let mut fields = before?.into_iter().zip(after?);
        let field = fields.position(|(before, after)| before != after)?;
        Some(Place::Field(src, field as u8))
    });
    fields.next()
}
