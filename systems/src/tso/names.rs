//! Names in states of the collector and of its specification: references, mutators and the two senses of marks are
//! interchangeable, since no step depends on which of them it is, and loops over them run in any order.
//!
//! Dead registers that are cleared hold no names.

use refmap::state::{NameVisitor, Names, RowOf};

use super::label::{Label, SysStep};
use super::scope::{MUTATORS, Memory, REFERENCES, SENSES};
use super::specification::{FieldStore, Program};
use super::state::{Buffer, Marking, Mutator, Mutators, Object, State, Store, Who, place_of};
use refmap_processes::CommandLabel;

impl Names for Mutators {
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
        let mut bits = u64::from(self.0);
        visit.members(group, &mut bits);
        self.0 = bits as u8;
    }
}

impl Names for Who {
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
        if let Self::Mutator(mutator) = self {
            mutator.each_name(group, visit);
        }
    }
}

impl CommandLabel for Label {
    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        match self {
            Self::Sys(SysStep::Commit(who)) => who.each_name(MUTATORS, visit),
            // These labels contain no names.
            Self::Round(..)
            | Self::Flip(_)
            | Self::SetFa(_)
            | Self::StorePhase(_)
            | Self::MarkLoop(_)
            | Self::Sweep(_)
            | Self::Mutator(_)
            | Self::Answer(_)
            | Self::Marking(..)
            | Self::Sys(SysStep::Answer) => (),
        }
    }
}

impl State {
    /// Visits its names.
    pub(super) fn each_name(&mut self, visit: &mut dyn NameVisitor) {
        let Self {
            at,
            gc,
            mutators,
            sys,
        } = self;
        visit.rows(SENSES, &mut [&mut RowOf::new(&mut [(); 2], |(), _| ())]);
        sys.fm.each_name(SENSES, visit);
        sys.fa.each_name(SENSES, visit);
        sys.w.each_name(REFERENCES, visit);
        sys.lock.each_name(MUTATORS, visit);
        sys.pending.each_name(MUTATORS, visit);
        sys.ghost_in_sync.each_name(MUTATORS, visit);
        marking(&mut gc.marking, visit);
        gc.src.each_name(REFERENCES, visit);
        gc.refs.each_name(REFERENCES, visit);
        gc.muts.each_name(MUTATORS, visit);
        gc.mutator.each_name(MUTATORS, visit);
        let memory = sys.memory;
        let (of_collector, of_mutators) = sys.buffers.split_at_mut(1);
        buffer(&mut of_collector[0], memory, visit);
        let at = &mut at[place_of(0)..][..mutators.len()];
        visit.rows(
            MUTATORS,
            &mut [
                &mut RowOf::new(at, |_, _| ()),
                &mut RowOf::new(mutators, mutator),
                &mut RowOf::new(of_mutators, |stores, visit| buffer(stores, memory, visit)),
            ],
        );
        visit.rows(REFERENCES, &mut [&mut RowOf::new(&mut sys.heap, object)]);
    }
}

fn marking(marking: &mut Marking, visit: &mut dyn NameVisitor) {
    marking.reference.each_name(REFERENCES, visit);
    for mark in [&mut marking.mark, &mut marking.cas_mark, &mut marking.fm] {
        mark.each_name(SENSES, visit);
    }
    marking.w.each_name(REFERENCES, visit);
    marking.ghost_honorary_grey.each_name(REFERENCES, visit);
}

fn mutator(mutator: &mut Mutator, visit: &mut dyn NameVisitor) {
    marking(&mut mutator.marking, visit);
    mutator.roots.each_name(REFERENCES, visit);
    mutator.src.each_name(REFERENCES, visit);
    mutator.dst.each_name(REFERENCES, visit);
    mutator.refs.each_name(REFERENCES, visit);
    mutator.ghost_honorary_root.each_name(REFERENCES, visit);
}

fn object(object: &mut Option<Object>, visit: &mut dyn NameVisitor) {
    if let Some(object) = object {
        object.mark.each_name(SENSES, visit);
        for value in &mut object.fields {
            value.each_name(REFERENCES, visit);
        }
    }
}

fn store(store: &mut Store, visit: &mut dyn NameVisitor) {
    match store {
        Store::Mark(reference, mark) => {
            reference.each_name(REFERENCES, visit);
            mark.each_name(SENSES, visit);
        }
        Store::Field(src, _, dst) => {
            src.each_name(REFERENCES, visit);
            dst.each_name(REFERENCES, visit);
        }
        Store::FA(mark) | Store::FM(mark) => mark.each_name(SENSES, visit),
        Store::Phase(_) => (),
    }
}

fn buffer(buffer: &mut Buffer, memory: Memory, visit: &mut dyn NameVisitor) {
    stores(buffer, memory, |store| store.location(), store, visit);
}

/// Visits the names in pending stores, which [`Memory::Pso`] has in the order of their locations.
fn stores<T: Ord, L: Ord>(
    stores: &mut [T],
    memory: Memory,
    location: impl Fn(&T) -> L,
    visit_store: impl Fn(&mut T, &mut dyn NameVisitor),
    visit: &mut dyn NameVisitor,
) {
    if memory != Memory::Pso {
        stores
            .iter_mut()
            .for_each(|store| visit_store(store, visit));
        return;
    }
    let locations = |stores: &[T]| {
        let of_one = stores.chunk_by(|one, other| location(one) == location(other));
        of_one.count()
    };
    let before = locations(stores);
    visit.enter_set();
    stores
        .iter_mut()
        .for_each(|store| visit_store(store, visit));
    visit.leave_set();
    stores.sort_by_key(&location);
    // Where one name is put in the place of several, the order of their stores would depend on what they were.
    if locations(stores) < before {
        stores.sort_unstable();
    }
}

impl Names for FieldStore {
    fn each_name(&mut self, group: u8, visit: &mut dyn NameVisitor) {
        self.src.each_name(group, visit);
        self.dst.each_name(group, visit);
    }
}

impl<S: ?Sized> refmap::State<S> for Program {
    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        let memory = self.memory;
        let mut roots = RowOf::new(&mut self.roots, |roots, visit| {
            roots.each_name(REFERENCES, visit)
        });
        let mut pending = RowOf::new(&mut self.pending, |pending, visit| {
            let location = |store: &FieldStore| (store.src, store.field);
            let names = |store: &mut FieldStore, visit: &mut dyn NameVisitor| {
                store.each_name(REFERENCES, visit);
            };
            stores(pending, memory, location, names, visit);
        });
        visit.rows(MUTATORS, &mut [&mut roots, &mut pending]);
        let mut heap = RowOf::new(&mut self.heap, |fields, visit| {
            for value in fields.iter_mut().flatten() {
                value.each_name(REFERENCES, visit);
            }
        });
        visit.rows(REFERENCES, &mut [&mut heap]);
    }
}
