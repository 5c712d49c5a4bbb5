//! The design of YRC, with its variants, refines "collect only garbage".

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Process, Property, Refinement};
use refmap_systems::heap::{self, CollectOnlyGarbage, Heap, Object, Objects, Sources, mutator};
use refmap_systems::yrc::design::{Action, Design, InFlight, Location, State, Variant};

/// The design as a refinement of "collect only garbage".
pub struct DesignRefinement {
    implementation: Design,
    specification: CollectOnlyGarbage,
    mutators: Vec<Process>,
}

impl DesignRefinement {
    /// The refinement for an instance.
    pub fn new(design: Design) -> Self {
        Self {
            implementation: design,
            specification: CollectOnlyGarbage {
                objects: design.objects,
                fields: design.fields,
                threads: design.mutators,
                sources: Sources::Operations,
            },
            mutators: (0..design.mutators)
                .map(|thread| mutator(thread, design.mutators))
                .collect(),
        }
    }
}

/// When the collector is about to free, no local and no field of a surviving object refers to a condemned object.
pub fn no_external_reference_condemned() -> Invariant<Design> {
    let name = "no_external_reference_condemned";
    Invariant::new(name, "yrc_proof, CycleInvariant", |s: &State| {
        let condemned = s.collector.condemned;
        let in_locals = s.held.iter().any(|held| !disjoint(*held, condemned));
        let staying = s.allocated.without(condemned);
        let in_fields = staying.iter().any(|object| {
            let mut values = s.fields[usize::from(object)].iter().flatten();
            values.any(|value| condemned.contains(*value))
        });
        !in_locals && !in_fields
    })
    .when(|s: &State| s.collector.at == Location::Free)
}

/// No reference that threads or the collector will use is free: locals, fields of surviving objects, values
/// in flight, queues, candidates, slots left to read, condemned objects.
pub fn no_freed_object_touched() -> Invariant<Design> {
    let source = "YRC, what a merge or a trace works on";
    Invariant::new("no_freed_object_touched", source, |s: &State| {
        touched(s).without(s.allocated).is_empty()
    })
}

fn touched(s: &State) -> Objects {
    let mut touched = s.pending();
    let mut all = |objects: Objects| touched.0 |= objects.0;
    s.held.iter().for_each(|held| all(*held));
    all(s.candidates);
    all(s.collector.todo);
    all(s.collector.condemned);
    let mut one = |object: Object| touched.insert(object);
    for object in s.allocated.without(s.collector.condemned).iter() {
        s.fields[usize::from(object)]
            .iter()
            .flatten()
            .for_each(|value| one(*value));
    }
    for slot in s.collector.stack.iter().chain(&s.collector.rescue) {
        one(slot.object);
    }
    for operation in &s.in_flight {
        match *operation {
            InFlight::Nothing => (),
            InFlight::Exchange { to, value, .. } => [to, value].into_iter().for_each(&mut one),
            InFlight::Increment { new, old } => old.into_iter().chain([new]).for_each(&mut one),
            InFlight::Decrement { old } => one(old),
        }
    }
    touched
}

/// The count of a surviving object, plus the increments and minus the decrements that are pending
/// or not yet buffered, is the number of references to it. Trial deletion in place havocs the count until
/// the collection ends.
pub fn counts(variant: Variant) -> Invariant<Design> {
    let source = "yrc_proof, RCInvariant";
    let invariant = Invariant::new("counts", source, |s: &State| {
        let staying = s.allocated.without(s.collector.condemned);
        staying
            .iter()
            .all(|object| accounted(s, object) == references(s, object))
    });
    if variant.trial_deletion.has_side_table() {
        invariant
    } else {
        invariant.when(|s: &State| matches!(s.collector.at, Location::Idle | Location::Merge(_)))
    }
}

/// The count with all entries merged and all operations in flight completed, except their writes.
fn accounted(s: &State, object: Object) -> i16 {
    let entries = |bags: &[refmap_systems::yrc::design::Bag]| -> i16 {
        bags.iter().map(|bag| i16::from(bag.of(object))).sum()
    };
    let is = |other: Object| i16::from(other == object);
    let in_flight: i16 = s
        .in_flight
        .iter()
        .map(|operation| match *operation {
            InFlight::Nothing => 0,
            InFlight::Exchange { value, .. } => -is(value),
            InFlight::Increment { new, old } => is(new) - old.map_or(0, is),
            InFlight::Decrement { old } => -is(old),
        })
        .sum();
    i16::from(s.rc[usize::from(object)]) + entries(&s.increments) - entries(&s.decrements)
        + in_flight
}

/// Number of references to `object` from locals, and from fields of surviving objects.
fn references(s: &State, object: Object) -> i16 {
    let locals = s.held.iter().filter(|held| held.contains(object)).count();
    let staying = s.allocated.without(s.collector.condemned);
    let fields = staying.iter().flat_map(|from| s.fields[usize::from(from)]);
    (locals + fields.filter(|value| *value == Some(object)).count()) as i16
}

fn disjoint(a: Objects, b: Objects) -> bool {
    a.without(b) == a
}

impl Refinement for DesignRefinement {
    between!(Design, CollectOnlyGarbage);

    /// The heap, without the fields of what no thread can reach.
    fn map(&self, state: &State) -> Heap {
        state.heap()
    }

    /// A store is simulated by its write of the field; steps on counts are stutters.
    fn abstract_steps(
        &self,
        from: &State,
        action: &Action,
        to: &State,
    ) -> AbstractSteps<heap::Action> {
        match *action {
            Action::Allocate { thread, object } => One(heap::Action::Allocate { thread, object }),
            Action::Load { thread, from } => One(heap::Action::Load {
                thread,
                from: from.object,
                field: from.field,
            }),
            Action::Drop { thread, object } => One(heap::Action::Drop { thread, object }),
            Action::Pass { thread, object, to } => One(heap::Action::Pass { thread, object, to }),
            Action::Store { thread, to, value } => One(heap::Action::Store {
                thread,
                to: to.object,
                field: to.field,
                value,
            }),
            Action::IncrementFirst { .. } => Stutter,
            Action::Increment { .. } => Stutter,
            Action::Decrement { .. } => Stutter,
            Action::Start => Stutter,
            Action::Merge => Stutter,
            Action::MarkGrey => Stutter,
            Action::Scan => Stutter,
            Action::ScanBlack => Stutter,
            Action::CollectWhite => Stutter,
            Action::Free => One(heap::Action::Free {
                objects: from.collector.condemned.without(to.collector.condemned),
            }),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Design>> {
        vec![
            no_external_reference_condemned(),
            no_freed_object_touched(),
            counts(self.implementation.variant),
        ]
    }

    /// Collections end, and an object that no thread can reach is freed.
    fn liveness(&self) -> Vec<Property<Design>> {
        let is_garbage = |s: &State, object| {
            s.allocated.contains(object) && !s.heap().reachable().contains(object)
        };
        let freed = |object| {
            Property::leads_to(
                format!("freed({object})"),
                "yrc_proof, Collection Cycle",
                move |s: &State| is_garbage(s, object),
                move |s: &State| !is_garbage(s, object),
            )
        };
        let idle = |s: &State| s.collector.at == Location::Idle;
        let ends = Property::always_eventually("idle", "yrc_proof, Collection Cycle", idle);
        let freed = (0..self.implementation.objects).map(freed);
        std::iter::once(ends).chain(freed).collect()
    }

    fn environment(&self) -> &[Process] {
        &self.mutators
    }

    /// A thread is at rest outside its barrier.
    fn at_rest(&self, state: &State, process: Process) -> bool {
        let thread = process.number.unwrap_or(0);
        state.in_flight[usize::from(thread)] == InFlight::Nothing
    }
}
