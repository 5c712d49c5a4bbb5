//! Reachability, and colours of objects [sections 2.1 and 3.2].

use tinyvec::ArrayVec;

use super::scope::MAX_REFS;
use super::state::{Mutator, Object, State, Store, Who};
use crate::heap::Objects as Refs;

/// A heap.
pub type Heap = ArrayVec<[Option<Object>; MAX_REFS]>;

/// The references reachable from `roots` by paths through the heap, and whether there is an object at
/// each.
pub fn reach(heap: &Heap, roots: Refs) -> (Refs, bool) {
    let object = |reference: u8| heap[usize::from(reference)].as_ref();
    let reached = roots.reaching(|r| object(r).map_or(Refs::default(), pointed_to));
    let there = reached.iter().all(|r| object(r).is_some());
    (reached, there)
}

/// References in the fields of an object.
pub fn pointed_to(object: &Object) -> Refs {
    Refs::of(&object.fields)
}

/// References in a pending store of a field.
fn mentioned(store: Store) -> Refs {
    match store {
        Store::Field(src, _, dst) => Refs::one(src).with(dst),
        _ => Refs::default(),
    }
}

impl State {
    /// The processes with a store buffer: the collector and the mutators.
    pub fn buffer_owners(&self) -> impl Iterator<Item = Who> {
        Who::all(self.mutators.len() as u8)
    }

    /// A mutator.
    pub fn mutator(&self, mutator: u8) -> &Mutator {
        &self.mutators[usize::from(mutator)]
    }

    /// The mutators, by number.
    pub fn numbers(&self) -> std::ops::Range<u8> {
        0..self.mutators.len() as u8
    }

    /// The roots of a mutator: what it holds, its honorary root, and both references of each of its
    /// pending field stores [section 3.2].
    pub fn roots(&self, mutator: u8) -> Refs {
        let local = self.mutator(mutator);
        let pending = self.sys.pending_stores(Who::Mutator(mutator)).iter();
        let pending = pending.fold(Refs::default(), |all, store| all.and(mentioned(*store)));
        local.roots.and(local.ghost_honorary_root).and(pending)
    }

    /// References reachable from the roots of a mutator.
    pub fn reachable(&self, mutator: u8) -> Refs {
        reach(&self.sys.heap, self.roots(mutator)).0
    }

    /// Marked objects: those whose mark is memory's `fM`.
    pub fn marked(&self) -> Refs {
        self.of_mark(self.sys.fm)
    }

    /// White objects: those that are not marked.
    pub fn white(&self) -> Refs {
        self.of_mark(!self.sys.fm)
    }

    fn of_mark(&self, mark: bool) -> Refs {
        let objects = (0..).zip(&self.sys.heap);
        let found = objects.filter(|(_, object)| object.is_some_and(|o| o.mark == mark));
        found.map(|(reference, _)| reference).collect()
    }

    /// The worklist of a process.
    pub fn worklist(&self, who: Who) -> Refs {
        self.marking(who).w
    }

    /// The honorary grey of a process.
    pub fn honorary_grey(&self, who: Who) -> Refs {
        self.marking(who).ghost_honorary_grey
    }

    /// Grey references: on a worklist, the system's included, or honorary grey.
    pub fn grey(&self) -> Refs {
        self.buffer_owners().fold(self.sys.w, |all, who| {
            all.and(self.worklist(who)).and(self.honorary_grey(who))
        })
    }

    /// Black objects: marked, and not grey.
    pub fn black(&self) -> Refs {
        self.marked().without(self.grey())
    }

    /// Grey-protected references: grey, or white and reachable from a grey one through white objects.
    pub fn grey_protected(&self) -> Refs {
        let (mut protected, white) = (self.grey(), self.white());
        loop {
            let before = protected;
            for object in before.iter().filter_map(|r| self.sys.object(r)) {
                protected = protected.and(pointed_to(object).within(white));
            }
            if protected == before {
                return protected;
            }
        }
    }
}
