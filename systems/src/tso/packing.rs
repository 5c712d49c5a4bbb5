//! Packing of a state: the ranges of its variables in an instance.

use refmap::{Field, Fields, Layout};
use refmap_processes::Location;
use tinyvec::ArrayVec;

use super::scope::{MAX_BUFFER, MAX_FIELDS, MAX_MUTATORS, Scope};
use super::state::{
    Gc, HandshakePhase, HandshakeType, Mark, Marking, Mutator, Mutators, Object, Phase, State,
    Store, Sys, Who,
};
use crate::heap::{Object as Ref, Objects as Refs};

/// Bit fields of the variables of an instance.
pub(super) struct Packing {
    pub layout: Layout,
    scope: Scope,
    at: [Field; MAX_MUTATORS + 2],
    gc: GcFields,
    mutators: Vec<MutatorFields>,
    sys: SysFields,
}

struct MarkingFields {
    reference: Field,
    marks: [Field; 3],
    phase: Field,
    w: Field,
    honorary_grey: Field,
}

struct GcFields {
    marking: MarkingFields,
    src: Field,
    field: Field,
    fields: Field,
    refs: Field,
    muts: Field,
    mutator: Field,
}

struct MutatorFields {
    roots: Field,
    marking: MarkingFields,
    src: Field,
    field: Field,
    dst: Field,
    refs: Field,
    is_asked: Field,
    handshake: Field,
    roots_marked: Field,
    ghost_phase: Field,
    honorary_root: Field,
}

struct SysFields {
    heap: Vec<Field>,
    fa: Field,
    fm: Field,
    phase: Field,
    buffers: Vec<Vec<Field>>,
    lock: Field,
    handshake: Field,
    pending: Field,
    w: Field,
    ghost_phase: Field,
    in_sync: Field,
}

const PHASES: [Phase; 4] = [Phase::Idle, Phase::Init, Phase::Mark, Phase::Sweep];
const HANDSHAKES: [HandshakeType; 3] = [
    HandshakeType::Noop,
    HandshakeType::GetRoots,
    HandshakeType::GetWork,
];
const HANDSHAKE_PHASES: [HandshakePhase; 5] = [
    HandshakePhase::Idle,
    HandshakePhase::IdleInit,
    HandshakePhase::InitMark,
    HandshakePhase::Mark,
    HandshakePhase::IdleMarkSweep,
];
const MARKS: [Option<Mark>; 3] = [None, Some(false), Some(true)];

impl Packing {
    /// The places of the variables, where process `n` has `locations(n)` locations.
    pub fn new(scope: Scope, locations: impl Fn(usize) -> usize) -> Self {
        let mut layout = Layout::new();
        let [refs, fields, mutators] = [scope.refs, scope.fields, scope.mutators].map(u64::from);
        let [ref_set, field_set, mutator_set] = [refs, fields, mutators].map(|n| n as u32);
        let processes = usize::from(scope.mutators) + 2;
        let at = std::array::from_fn(|n| match n < processes {
            true => layout.below(locations(n) as u64),
            false => layout.below(1),
        });
        let marking = |layout: &mut Layout| MarkingFields {
            reference: layout.below(refs + 1),
            marks: [(); 3].map(|()| layout.below(3)),
            phase: layout.below(4),
            w: layout.bits_of(ref_set),
            honorary_grey: layout.bits_of(ref_set),
        };
        let gc = GcFields {
            marking: marking(&mut layout),
            src: layout.below(refs),
            field: layout.below(fields),
            fields: layout.bits_of(field_set),
            refs: layout.bits_of(ref_set),
            muts: layout.bits_of(mutator_set),
            mutator: layout.below(mutators),
        };
        let mutator_fields = (0..scope.mutators).map(|_| MutatorFields {
            roots: layout.bits_of(ref_set),
            marking: marking(&mut layout),
            src: layout.below(refs),
            field: layout.below(fields),
            dst: layout.below(refs + 1),
            refs: layout.bits_of(ref_set),
            is_asked: layout.below(2),
            handshake: layout.below(3),
            roots_marked: layout.below(2),
            ghost_phase: layout.below(5),
            honorary_root: layout.bits_of(ref_set),
        });
        let mutator_fields = mutator_fields.collect();
        let object = 2 * (refs + 1).pow(scope.fields.into());
        let stores = stores(&scope);
        let heap = (0..refs).map(|_| layout.below(object + 1)).collect();
        let buffers = Who::all(scope.mutators).map(|who| {
            let room = match who {
                Who::Gc => scope.collector_buffer,
                Who::Mutator(_) => scope.buffer,
            };
            (0..room).map(|_| layout.below(stores + 1)).collect()
        });
        let buffers = buffers.collect();
        let sys = SysFields {
            heap,
            fa: layout.below(2),
            fm: layout.below(2),
            phase: layout.below(4),
            buffers,
            lock: layout.below(mutators + 2),
            handshake: layout.below(3),
            pending: layout.bits_of(mutator_set),
            w: layout.bits_of(ref_set),
            ghost_phase: layout.below(5),
            in_sync: layout.bits_of(mutator_set),
        };
        Self {
            layout,
            scope,
            at,
            gc,
            mutators: mutator_fields,
            sys,
        }
    }

    /// Passes the variables of a state through `fields`.
    #[inline(always)]
    pub fn pass(&self, state: &State, fields: &mut impl Fields) -> State {
        let mut at = state.at;
        for (location, field) in at.iter_mut().zip(self.at) {
            *location = Location(fields.number(field, u64::from(location.0)) as u16);
        }
        let gc = self.gc.pass(&state.gc, fields);
        let mut mutators = state.mutators;
        for (places, mutator) in self.mutators.iter().zip(&mut mutators) {
            *mutator = places.pass(mutator, fields);
        }
        State {
            at,
            gc,
            mutators,
            sys: self.sys.pass(&self.scope, &state.sys, fields),
        }
    }
}

/// Number of stores.
fn stores(scope: &Scope) -> u64 {
    let [refs, fields] = [scope.refs, scope.fields].map(u64::from);
    2 + 2 + 4 + 2 * refs + refs * fields * (refs + 1)
}

/// The number of a reference or none.
#[inline(always)]
fn number_of(reference: Option<Ref>) -> u64 {
    reference.map_or(0, |reference| u64::from(reference) + 1)
}

#[inline(always)]
fn reference_of(number: u64) -> Option<Ref> {
    (number as Ref).checked_sub(1)
}

/// The number of a store, below [`stores`].
#[inline(always)]
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

#[inline(always)]
fn store_of(scope: &Scope, number: u64) -> Store {
    let [refs, fields] = [scope.refs, scope.fields].map(u64::from);
    match number {
        0..2 => Store::FA(number == 1),
        2..4 => Store::FM(number == 3),
        4..8 => Store::Phase(PHASES[number as usize - 4]),
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
#[inline(always)]
fn number_of_object(scope: &Scope, object: Option<Object>) -> u64 {
    let Some(object) = object else {
        return 0;
    };
    let values = u64::from(scope.refs) + 1;
    let fields = object.fields.iter().rev();
    let number = fields.fold(0, |number, field| number * values + number_of(*field));
    1 + 2 * number + u64::from(object.mark)
}

#[inline(always)]
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

impl MarkingFields {
    #[inline(always)]
    fn pass(&self, marking: &Marking, fields: &mut impl Fields) -> Marking {
        let [mark, cas_mark, fm] = self.marks;
        let mut of = |field, mark: Option<Mark>| {
            let place = mark.map_or(0, |mark| 1 + usize::from(mark));
            fields.one_of(field, place, &MARKS)
        };
        Marking {
            mark: of(mark, marking.mark),
            cas_mark: of(cas_mark, marking.cas_mark),
            fm: of(fm, marking.fm),
            reference: fields.coded(self.reference, marking.reference, number_of, reference_of),
            phase: fields.one_of(self.phase, marking.phase as usize, &PHASES),
            w: Refs(fields.byte(self.w, marking.w.0)),
            ghost_honorary_grey: Refs(
                fields.byte(self.honorary_grey, marking.ghost_honorary_grey.0),
            ),
        }
    }
}

impl GcFields {
    #[inline(always)]
    fn pass(&self, gc: &Gc, fields: &mut impl Fields) -> Gc {
        Gc {
            marking: self.marking.pass(&gc.marking, fields),
            src: fields.byte(self.src, gc.src),
            field: fields.byte(self.field, gc.field),
            fields: fields.byte(self.fields, gc.fields),
            refs: Refs(fields.byte(self.refs, gc.refs.0)),
            muts: Mutators(fields.byte(self.muts, gc.muts.0)),
            mutator: fields.byte(self.mutator, gc.mutator),
        }
    }
}

impl MutatorFields {
    #[inline(always)]
    fn pass(&self, mutator: &Mutator, fields: &mut impl Fields) -> Mutator {
        let (handshake, phase) = (mutator.handshake as usize, mutator.ghost_phase as usize);
        Mutator {
            roots: Refs(fields.byte(self.roots, mutator.roots.0)),
            marking: self.marking.pass(&mutator.marking, fields),
            src: fields.byte(self.src, mutator.src),
            field: fields.byte(self.field, mutator.field),
            dst: fields.coded(self.dst, mutator.dst, number_of, reference_of),
            refs: Refs(fields.byte(self.refs, mutator.refs.0)),
            is_asked: fields.flag(self.is_asked, mutator.is_asked),
            handshake: fields.one_of(self.handshake, handshake, &HANDSHAKES),
            roots_marked: fields.flag(self.roots_marked, mutator.roots_marked),
            ghost_phase: fields.one_of(self.ghost_phase, phase, &HANDSHAKE_PHASES),
            ghost_honorary_root: Refs(
                fields.byte(self.honorary_root, mutator.ghost_honorary_root.0),
            ),
        }
    }
}

impl SysFields {
    #[inline(always)]
    fn pass(&self, scope: &Scope, sys: &Sys, fields: &mut impl Fields) -> Sys {
        let mut heap = sys.heap;
        for (field, object) in self.heap.iter().zip(&mut heap) {
            let number = |object| number_of_object(scope, object);
            *object = fields.coded(*field, *object, number, |number| object_of(scope, number));
        }
        let mut buffers = sys.buffers;
        for (places, buffer) in self.buffers.iter().zip(&mut buffers) {
            let stores = *buffer;
            debug_assert!(stores.len() <= places.len().min(MAX_BUFFER), "{stores:?}");
            buffer.clear();
            for (place, field) in places.iter().enumerate() {
                let store = fields.coded(
                    *field,
                    stores.get(place).copied(),
                    |store| store.map_or(0, |store| 1 + number_of_store(scope, store)),
                    |number| number.checked_sub(1).map(|number| store_of(scope, number)),
                );
                buffer.extend(store);
            }
        }
        let (handshake, phase) = (sys.handshake as usize, sys.ghost_phase as usize);
        Sys {
            heap,
            fa: fields.flag(self.fa, sys.fa),
            fm: fields.flag(self.fm, sys.fm),
            phase: fields.one_of(self.phase, sys.phase as usize, &PHASES),
            buffers,
            lock: fields.coded(
                self.lock,
                sys.lock,
                |holder| holder.map_or(0, |who| 1 + who.index() as u64),
                |number| match number {
                    0 => None,
                    1 => Some(Who::Gc),
                    mutator => Some(Who::Mutator((mutator - 2) as u8)),
                },
            ),
            handshake: fields.one_of(self.handshake, handshake, &HANDSHAKES),
            pending: Mutators(fields.byte(self.pending, sys.pending.0)),
            w: Refs(fields.byte(self.w, sys.w.0)),
            ghost_phase: fields.one_of(self.ghost_phase, phase, &HANDSHAKE_PHASES),
            ghost_in_sync: Mutators(fields.byte(self.in_sync, sys.ghost_in_sync.0)),
        }
    }
}
