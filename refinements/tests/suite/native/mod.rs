//! Validation of recorded runs of the native collectors against "collect only garbage", and against the x86-TSO model.

mod accesses;
mod ben_ari;
mod model;
mod mutated;
mod projected;

use refmap::{TransitionSystem, Verdict, successor};
use refmap_histories::{Event as Recorded, Observed, Ordered, Settings, Validation, validate};
use refmap_refinements::native::ObservedHeap;
use refmap_systems::native::on_the_fly::{Event, Fault, Reference, Shape, ShapeError};
use refmap_systems::native::specification::{CollectOnlyGarbage, Program as State};
use refmap_systems::native::{History, Program, Stress};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const SHAPE: Shape = Shape {
    objects: 16,
    fields: 2,
};

fn validated(history: &[Recorded<Event>]) -> Validation {
    decided(SHAPE, history)
}

fn decided(shape: Shape, history: &[Recorded<Event>]) -> Validation {
    let observed = ObservedHeap::new(shape).expect("the heap can be");
    let events = Ordered::new(history.iter().cloned().map(Ok));
    validate(&observed, events, &Settings::default()).expect("the history is in order")
}

fn verdict(history: &[Recorded<Event>]) -> Verdict {
    validated(history).report().verdict.expect("there is one")
}

/// Validates the histories of random programs for some time; returns their numbers.
fn soak(threads: usize, shape: Shape, seconds: u64) -> String {
    let stress = Stress {
        duration: Duration::from_secs(seconds),
        ..stress(threads, shape, Fault::None, threads as u64)
    };
    let stressed = stress
        .run(&AtomicBool::new(false))
        .expect("the heap can be");
    assert!(stressed.failure.is_none(), "{:?}", stressed.failure);
    let counts = stressed.counts;
    assert!(counts.freed > 0 && counts.stores_while_collecting > 0);
    let begun = Instant::now();
    let (mut histories, mut events) = (0, 0);
    while begun.elapsed() < Duration::from_secs(seconds / 10) {
        let stress = Stress {
            seed: histories,
            ..stress.clone()
        };
        let history = stress.record(&stress.long_program());
        let history = history.expect("the heap can be");
        let report = decided(shape, &history).report();
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        histories += 1;
        events += history.len();
    }
    format!("{threads} threads, {shape:?}: {histories} histories, {events} events, {counts:?}")
}

fn stress(threads: usize, shape: Shape, fault: Fault, seed: u64) -> Stress {
    Stress {
        shape,
        threads,
        fault,
        seed,
        duration: Duration::ZERO,
        program: None,
    }
}

fn long(threads: usize, shape: Shape, fault: Fault, seed: u64) -> History {
    let stress = stress(threads, shape, fault, seed);
    let history = stress.record(&stress.long_program());
    history.expect("the heap can be")
}

/// The history of a program; of a run that fails, if there is a fault.
fn played(shape: Shape, fault: Fault, lines: &[&str]) -> History {
    let program = Program::read(lines.iter().copied()).expect("it is a program");
    let stress = stress(lines.len(), shape, fault, 0);
    let history = match fault {
        Fault::None => stress.record(&program).map(Some),
        _ => stress.record_failure(&program, &AtomicBool::new(false)),
    };
    let history = history.expect("the heap can be");
    history.expect("it fails now and then")
}

#[test]
fn native_histories_are_accepted() {
    for (threads, seed) in [(1, 1), (2, 2), (4, 3)] {
        let history = long(threads, SHAPE, Fault::None, seed);
        assert_eq!(verdict(&history), Verdict::Holds, "{threads} threads");
    }
}

/// A stale reference in the heap is a free of a reachable object in the history.
#[test]
fn native_faults_are_refused() {
    for (fault, lines) in [
        (
            Fault::NoDeletionBarrier,
            "alloc; store 1.0=0; discard 0; until get-roots; load 0.0; store 1.0=null; until idle",
        ),
        (
            Fault::NoInsertionBarrier,
            "until mark; alloc; store 0.0=1; discard 1; until idle",
        ),
        (Fault::RootsNotMarked, "until idle"),
        (
            Fault::EarlySweep,
            "alloc; store 1.0=0; discard 0; until idle",
        ),
        (
            Fault::AllocateWrongSense,
            "until get-roots; alloc; until idle",
        ),
        (
            Fault::GenerationNotBumped,
            "discard 0; until get-work; alloc",
        ),
    ] {
        let history = played(SHAPE, fault, &[lines]);
        assert_eq!(verdict(&history), Verdict::Violated, "{fault:?}");
    }
}

/// An accepted history with one event added or removed is refused.
#[test]
fn native_histories_are_not_accepted_whatever_they_say() {
    let history = long(2, SHAPE, Fault::None, 4);
    let free = |event: &&Recorded<Event>| matches!(event.event, Some(Event::Free { .. }));
    let freed = history.iter().filter(free).count();
    assert!(freed > 3, "{freed}");
    // The collector frees the first object, which all threads hold.
    let mut wrong = history.clone();
    let last = wrong.iter_mut().rev().find(|event| free(&&**event));
    last.expect("there is one").event = Some(Event::Free {
        reference: Reference {
            slot: 0,
            generation: 7,
        },
    });
    assert_eq!(verdict(&wrong), Verdict::Violated);
    // Nothing was freed: nothing to say.
    let mut quiet = history;
    quiet.truncate(3);
    assert_eq!(verdict(&quiet), Verdict::Incomplete);
}

/// An unrecorded event refutes nothing, whatever it was; a history that no event of its thread can complete is
/// refused.
#[test]
fn an_event_that_was_lost_may_have_been_any_step_of_its_thread() {
    let [one, two] = [0, 1].map(|slot| Reference {
        slot,
        generation: 0,
    });
    let (src, field, value) = (one, 0, Some(two));
    let alloc = |reference| Event::Alloc {
        reference: Some(reference),
        mark: None,
    };
    // Who did what, and whether only that thread can have.
    let steps = [
        (0, alloc(one), true),
        (0, alloc(two), true),
        (0, Event::Store { src, field, value }, false),
        (0, Event::Discard { reference: two }, true),
        (1, Event::Hold { reference: one }, true),
        (1, Event::Load { src, field, value }, true),
        // Leaving would do as well.
        (1, Event::Discard { reference: two }, false),
        (1, Event::Leave, true),
        (0, Event::Discard { reference: one }, true),
        (2, Event::Free { reference: one }, false),
        (2, Event::Free { reference: two }, false),
    ];
    let events = (0..).zip(steps).map(|(time, (thread, event, _))| Recorded {
        thread,
        place: 0,
        begin: 2 * time,
        end: Some(2 * time + 1),
        event: Some(event),
    });
    let history: Vec<_> = events.collect();
    let verdict = |mut history: Vec<Recorded<Event>>| {
        let mut places = [0; 4];
        for event in &mut history {
            let place = &mut places[event.thread as usize];
            event.place = *place;
            *place += 1;
        }
        verdict(&history)
    };
    assert_eq!(verdict(history.clone()), Verdict::Holds);
    for lost in 0..history.len() {
        let mut history = history.clone();
        history[lost].event = None;
        assert_eq!(verdict(history.clone()), Verdict::Holds, "{lost}");
        // Another thread's event may have been less.
        history[lost].thread = 3;
        let expected = if steps[lost].2 {
            Verdict::Violated
        } else {
            Verdict::Holds
        };
        assert_eq!(verdict(history), expected, "{lost} of another thread");
    }
}

/// A history of these events, each with its thread, one after the other.
fn in_turn(events: impl IntoIterator<Item = (u32, Event)>) -> History {
    let mut places = [0; 4];
    let events = (0..).zip(events).map(|(time, (thread, event))| {
        let place = &mut places[thread as usize];
        *place += 1;
        Recorded {
            thread,
            place: *place - 1,
            begin: 2 * time,
            end: Some(2 * time + 1),
            event: Some(event),
        }
    });
    events.collect()
}

/// The objects of that many slots.
fn objects(count: u32) -> Vec<Reference> {
    let object = |slot| Reference {
        slot,
        generation: 0,
    };
    (0..count).map(object).collect()
}

/// An object is reachable by whichever field of an object that is, and by none that has been overwritten.
#[test]
fn what_any_field_refers_to_is_not_freed() {
    let shape = Shape {
        objects: 8,
        fields: 3,
    };
    // A root, a child in each of its fields, and a child in each field of the second child.
    let all = objects(7);
    let edges = [
        (0, 0, 1),
        (0, 1, 2),
        (0, 2, 3),
        (2, 0, 4),
        (2, 1, 5),
        (2, 2, 6),
    ];
    let store = |(from, field, to): (usize, u32, Option<usize>)| Event::Store {
        src: all[from],
        field,
        value: to.map(|to| all[to]),
    };
    for (from, field, child) in edges {
        for is_cut in [false, true] {
            let alloc = |reference: &Reference| Event::Alloc {
                reference: Some(*reference),
                mark: None,
            };
            let mut events: Vec<_> = all.iter().map(alloc).collect();
            events.extend(edges.map(|(from, field, to)| store((from, field, Some(to)))));
            let others = all[1..].iter();
            events.extend(others.map(|reference| Event::Discard {
                reference: *reference,
            }));
            events.extend(is_cut.then(|| store((from, field, None))));
            events.push(Event::Fence);
            let mut history: Vec<_> = events.into_iter().map(|event| (0, event)).collect();
            let reference = all[child];
            history.push((1, Event::Free { reference }));
            let report = decided(shape, &in_turn(history)).report();
            let expected = if is_cut {
                Verdict::Holds
            } else {
                Verdict::Violated
            };
            assert_eq!(
                report.verdict,
                Some(expected),
                "{child}, {is_cut}: {report}"
            );
        }
    }
}

/// A thread reads the newest of its own stores to a field, whatever it has stored to it and to others before.
#[test]
fn the_newest_of_several_own_stores_is_read() {
    let all = objects(4);
    let at = all[0];
    let stores = [
        (0, Some(1)),
        (1, Some(2)),
        (0, Some(2)),
        (0, Some(3)),
        (1, None),
        (0, None),
        (1, Some(1)),
    ];
    let stores =
        stores.map(|(field, value): (u32, Option<usize>)| (field, value.map(|it| all[it])));
    let values = [None, Some(all[1]), Some(all[2]), Some(all[3])];
    for count in 1..=stores.len() {
        for field in 0..2 {
            let done = &stores[..count];
            let newest = done.iter().rev().find(|(to, _)| *to == field);
            let newest = newest.and_then(|(_, value)| *value);
            for value in values {
                let alloc = all.iter().map(|reference| Event::Alloc {
                    reference: Some(*reference),
                    mark: None,
                });
                let stores = done.iter().map(|(field, value)| Event::Store {
                    src: at,
                    field: *field,
                    value: *value,
                });
                let load = Event::Load {
                    src: at,
                    field,
                    value,
                };
                // Without a free a history says nothing.
                let garbage = Reference {
                    slot: 4,
                    generation: 0,
                };
                let end = [
                    Event::Alloc {
                        reference: Some(garbage),
                        mark: None,
                    },
                    Event::Discard { reference: garbage },
                ];
                let own = alloc.chain(stores).chain([load]).chain(end);
                let own = own.map(|event| (0, event));
                let history = in_turn(own.chain([(1, Event::Free { reference: garbage })]));
                let expected = if value == newest {
                    Verdict::Holds
                } else {
                    Verdict::Violated
                };
                assert_eq!(
                    verdict(&history),
                    expected,
                    "{count} stores, {field}: {value:?}"
                );
            }
        }
    }
}

#[test]
fn a_heap_has_a_shape_that_can_be() {
    let observed = |objects, fields| {
        let observed = ObservedHeap::new(Shape { objects, fields });
        observed.map(|observed| observed.specification().objects)
    };
    assert_eq!(observed(16, 0), Ok(16));
    assert_eq!(observed(0, 1), Err(ShapeError::Objects { given: 0 }));
    assert_eq!(observed(1, 256), Err(ShapeError::Fields { given: 256 }));
}

/// Every action of `next` is a step, and none frees a reachable object.
#[test]
fn the_specification_frees_only_garbage() {
    let system = CollectOnlyGarbage {
        mutators: 2,
        objects: 2,
        fields: 1,
    };
    let mut layer: Vec<State> = Vec::new();
    system.initial(&mut |state| layer.push(state));
    let mut freed = 0;
    for _ in 0..5 {
        let mut further = Vec::new();
        for from in &layer {
            let reached = from.reached();
            assert!(
                reached
                    .keys()
                    .all(|reference| from.heap.contains_key(reference))
            );
            system.next(from, &mut |action, to| {
                assert_eq!(successor(&system, from, &action).as_ref(), Some(to));
                freed += usize::from(to.heap.len() < from.heap.len());
                if !further.contains(to) && further.len() < 400 {
                    further.push(to.clone());
                }
            });
        }
        layer = further;
    }
    assert!(freed > 0);
}

/// Several numbers of threads, and several shapes.
#[test]
#[ignore = "ten minutes"]
fn nightly_native_stress_shows_nothing() {
    for (threads, objects, fields) in [(1, 8, 1), (2, 16, 2), (4, 32, 2), (8, 64, 3)] {
        println!("{}", soak(threads, Shape { objects, fields }, 136));
    }
}
