//! States in bits: the ranges of their variables in an instance.
//!
//! By hand, since an object and a pending store take fewer bits as one number than field by field.

use refmap::state::{Misfit, Part, Sink, Source};
use strum::VariantArray;
use tinyvec::ArrayVec;

use super::scope::{MAX_BUFFER, MAX_FIELDS, Memory, Scope};
use super::state::{
    Buffer, Gc, HandshakePhase, HandshakeType, Mark, Marking, Mutator, Mutators, Object, Phase,
    Store, Sys, Who, unless_dead,
};
use crate::heap::{Object as Ref, Objects as Refs};

/// The greatest values of the variables of an instance.
pub(super) struct Packing {
    pub scope: Scope,
    /// Per process its last location.
    pub locations: Vec<u64>,
    reference: u64,
    /// The greatest number of a reference or none.
    reference_or_none: u64,
    field: u64,
    mutator: u64,
    /// Sets with all of their members: of references,
    references: u64,
    /// of fields,
    fields: u64,
    mutators: u64,
    object: u64,
    store: u64,
}

const MARKS: [Option<Mark>; 3] = [None, Some(false), Some(true)];

impl Packing {
    /// The ranges of an instance, where process `n` has `locations(n)` locations.
    pub fn new(scope: Scope, locations: impl Fn(usize) -> usize) -> Self {
        let [refs, fields, mutators] = [scope.refs, scope.fields, scope.mutators].map(u64::from);
        let processes = 0..usize::from(scope.mutators) + 2;
        Self {
            locations: processes.map(|n| locations(n) as u64 - 1).collect(),
            reference: refs - 1,
            reference_or_none: refs,
            field: fields - 1,
            mutator: mutators - 1,
            references: (1 << refs) - 1,
            fields: (1 << fields) - 1,
            mutators: (1 << mutators) - 1,
            object: 2 * (refs + 1).pow(scope.fields.into()),
            store: stores(&scope),
            scope,
        }
    }

    /// The places of each buffer.
    #[inline]
    fn rooms(&self) -> impl Iterator<Item = u8> {
        Who::all(self.scope.mutators).map(|who| match who {
            Who::Gc => self.scope.collector_buffer,
            Who::Mutator(_) => self.scope.buffer,
        })
    }
}

/// Adds up the bits of what is written.
pub(super) struct Width(pub u32);

impl Sink for Width {
    fn number(&mut self, most: u64, _: u64) {
        self.0 += u64::BITS - most.leading_zeros();
    }

    fn misfit(&mut self, _: Misfit) {}
}

/// Writes a variable.
#[inline]
fn write(sink: &mut impl Sink, name: &'static str, most: u64, value: u64) {
    sink.enter(Part::Name(name));
    sink.number(most, value);
    sink.leave();
}

/// Number of stores.
fn stores(scope: &Scope) -> u64 {
    let [refs, fields] = [scope.refs, scope.fields].map(u64::from);
    2 + 2 + 4 + 2 * refs + refs * fields * (refs + 1)
}

/// The number of a reference or none.
#[inline]
fn number_of(reference: Option<Ref>) -> u64 {
    reference.map_or(0, |reference| u64::from(reference) + 1)
}

#[inline]
fn reference_of(number: u64) -> Option<Ref> {
    (number as Ref).checked_sub(1)
}

/// The number of a store, below [`stores`].
#[inline]
fn number_of_store(scope: &Scope, store: Store) -> u64 {
    let [refs, fields] = [scope.refs, scope.fields].map(u64::from);
    match store {
        Store::FA(mark) => u64::from(mark),
        Store::FM(mark) => 2 + u64::from(mark),
        Store::Phase(phase) => 4 + phase as u64,
        Store::Mark(reference, mark) => 8 + 2 * u64::from(reference) + u64::from(mark),
        Store::Field(src, field, dst) => {
            let place = u64::from(src) * fields + u64::from(field);
            8 + 2 * refs + place * (refs + 1) + number_of(dst)
        }
    }
}

#[inline]
fn store_of(scope: &Scope, number: u64) -> Store {
    let [refs, fields] = [scope.refs, scope.fields].map(u64::from);
    match number {
        0..2 => Store::FA(number == 1),
        2..4 => Store::FM(number == 3),
        4..8 => Store::Phase(Phase::VARIANTS[number as usize - 4]),
        _ if number < 8 + 2 * refs => {
            let rest = number - 8;
            Store::Mark((rest / 2) as Ref, rest % 2 == 1)
        }
        _ => {
            let rest = number - 8 - 2 * refs;
            let place = rest / (refs + 1);
            let dst = reference_of(rest % (refs + 1));
            Store::Field((place / fields) as Ref, (place % fields) as u8, dst)
        }
    }
}

/// The number of an object or none.
#[inline]
fn number_of_object(scope: &Scope, object: Option<Object>) -> u64 {
    let Some(object) = object else {
        return 0;
    };
    let values = u64::from(scope.refs) + 1;
    let fields = object.fields.iter().rev();
    let number = fields.fold(0, |number, field| number * values + number_of(*field));
    1 + 2 * number + u64::from(object.mark)
}

#[inline]
fn object_of(scope: &Scope, number: u64) -> Option<Object> {
    let number = number.checked_sub(1)?;
    let values = u64::from(scope.refs) + 1;
    let mut rest = number / 2;
    let mut fields = ArrayVec::<[Option<Ref>; MAX_FIELDS]>::new();
    for _ in 0..scope.fields {
        fields.push(reference_of(rest % values));
        rest /= values;
    }
    Some(Object {
        mark: number % 2 == 1,
        fields,
    })
}

#[inline]
fn number_of_mark(mark: Option<Mark>) -> u64 {
    mark.map_or(0, |mark| 1 + u64::from(mark))
}

#[inline]
fn mark(source: &mut impl Source) -> Option<Mark> {
    MARKS[source.number(2) as usize]
}

#[inline]
fn phase(source: &mut impl Source) -> Phase {
    Phase::VARIANTS[source.number(3) as usize]
}

#[inline]
fn handshake(source: &mut impl Source) -> HandshakeType {
    HandshakeType::VARIANTS[source.number(2) as usize]
}

#[inline]
fn handshake_phase(source: &mut impl Source) -> HandshakePhase {
    HandshakePhase::VARIANTS[source.number(4) as usize]
}

#[inline]
fn is_set(source: &mut impl Source) -> bool {
    source.number(1) == 1
}

impl Packing {
    #[inline]
    fn references(&self, source: &mut impl Source) -> Refs {
        Refs(source.number(self.references) as u8)
    }

    #[inline]
    fn mutators(&self, source: &mut impl Source) -> Mutators {
        Mutators(source.number(self.mutators) as u8)
    }

    #[inline]
    fn write_marking(&self, marking: &Marking, sink: &mut impl Sink) {
        let reference = number_of(marking.reference);
        write(sink, "reference", self.reference_or_none, reference);
        write(sink, "mark", 2, number_of_mark(marking.mark));
        write(sink, "cas_mark", 2, number_of_mark(marking.cas_mark));
        write(sink, "fm", 2, number_of_mark(marking.fm));
        write(sink, "phase", 3, marking.phase as u64);
        write(sink, "w", self.references, marking.w.0.into());
        let grey = marking.ghost_honorary_grey.0.into();
        write(sink, "ghost_honorary_grey", self.references, grey);
    }

    #[inline]
    fn read_marking(&self, source: &mut impl Source) -> Marking {
        Marking {
            reference: reference_of(source.number(self.reference_or_none)),
            mark: mark(source),
            cas_mark: mark(source),
            fm: mark(source),
            phase: phase(source),
            w: self.references(source),
            ghost_honorary_grey: self.references(source),
        }
    }

    #[inline]
    pub fn write_gc(&self, gc: &Gc, sink: &mut impl Sink) {
        sink.enter(Part::Name("gc"));
        self.write_marking(&gc.marking, sink);
        write(sink, "src", self.reference, unless_dead(gc.src).into());
        write(sink, "field", self.field, gc.field.into());
        write(sink, "fields", self.fields, gc.fields.into());
        write(sink, "refs", self.references, gc.refs.0.into());
        write(sink, "muts", self.mutators, gc.muts.0.into());
        let mutator = unless_dead(gc.mutator).into();
        write(sink, "mutator", self.mutator, mutator);
        sink.leave();
    }

    #[inline]
    pub fn read_gc(&self, source: &mut impl Source) -> Gc {
        Gc {
            marking: self.read_marking(source),
            src: source.number(self.reference) as Ref,
            field: source.number(self.field) as u8,
            fields: source.number(self.fields) as u8,
            refs: self.references(source),
            muts: self.mutators(source),
            mutator: source.number(self.mutator) as u8,
        }
    }

    #[inline]
    pub fn write_mutator(&self, mutator: &Mutator, sink: &mut impl Sink) {
        write(sink, "roots", self.references, mutator.roots.0.into());
        self.write_marking(&mutator.marking, sink);
        let src = unless_dead(mutator.src).into();
        write(sink, "src", self.reference, src);
        write(sink, "field", self.field, mutator.field.into());
        let dst = number_of(mutator.dst);
        write(sink, "dst", self.reference_or_none, dst);
        write(sink, "refs", self.references, mutator.refs.0.into());
        write(sink, "is_asked", 1, mutator.is_asked.into());
        write(sink, "handshake", 2, mutator.handshake as u64);
        write(sink, "roots_marked", 1, mutator.roots_marked.into());
        write(sink, "ghost_phase", 4, mutator.ghost_phase as u64);
        let root = mutator.ghost_honorary_root.0.into();
        write(sink, "ghost_honorary_root", self.references, root);
    }

    #[inline]
    pub fn read_mutator(&self, source: &mut impl Source) -> Mutator {
        Mutator {
            roots: self.references(source),
            marking: self.read_marking(source),
            src: source.number(self.reference) as Ref,
            field: source.number(self.field) as u8,
            dst: reference_of(source.number(self.reference_or_none)),
            refs: self.references(source),
            is_asked: is_set(source),
            handshake: handshake(source),
            roots_marked: is_set(source),
            ghost_phase: handshake_phase(source),
            ghost_honorary_root: self.references(source),
        }
    }

    #[inline]
    pub fn write_sys(&self, sys: &Sys, sink: &mut impl Sink) {
        sink.enter(Part::Name("sys"));
        for object in &sys.heap {
            let number = number_of_object(&self.scope, *object);
            write(sink, "heap", self.object, number);
        }
        write(sink, "fa", 1, sys.fa.into());
        write(sink, "fm", 1, sys.fm.into());
        write(sink, "phase", 3, sys.phase as u64);
        for (room, buffer) in self.rooms().zip(&sys.buffers) {
            debug_assert!(buffer.len() <= MAX_BUFFER.min(room.into()), "{buffer:?}");
            for place in 0..usize::from(room) {
                let store = buffer.get(place);
                let number = store.map_or(0, |store| 1 + number_of_store(&self.scope, *store));
                write(sink, "buffers", self.store, number);
            }
        }
        let lock = sys.lock.map_or(0, |who| 1 + who.index() as u64);
        write(sink, "lock", self.mutator + 2, lock);
        write(sink, "handshake", 2, sys.handshake as u64);
        write(sink, "pending", self.mutators, sys.pending.0.into());
        write(sink, "w", self.references, sys.w.0.into());
        write(sink, "ghost_phase", 4, sys.ghost_phase as u64);
        let in_sync = sys.ghost_in_sync.0.into();
        write(sink, "ghost_in_sync", self.mutators, in_sync);
        sink.leave();
    }

    #[inline]
    pub fn read_sys(&self, memory: Memory, source: &mut impl Source) -> Sys {
        let scope = &self.scope;
        let heap = (0..scope.refs).map(|_| object_of(scope, source.number(self.object)));
        let heap = heap.collect();
        let [fa, fm] = [(); 2].map(|()| is_set(source));
        let phase = phase(source);
        let buffers = self.rooms().map(|room| {
            let mut buffer = Buffer::new();
            for _ in 0..room {
                let number = source.number(self.store).checked_sub(1);
                buffer.extend(number.map(|number| store_of(scope, number)));
            }
            buffer
        });
        let buffers = buffers.collect();
        Sys {
            memory,
            heap,
            fa,
            fm,
            phase,
            buffers,
            lock: match source.number(self.mutator + 2) {
                0 => None,
                1 => Some(Who::Gc),
                mutator => Some(Who::Mutator((mutator - 2) as u8)),
            },
            handshake: handshake(source),
            pending: self.mutators(source),
            w: self.references(source),
            ghost_phase: handshake_phase(source),
            ghost_in_sync: self.mutators(source),
        }
    }
}
