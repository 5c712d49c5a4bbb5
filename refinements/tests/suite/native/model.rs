//! Validation of histories of the native collector on tiny heaps against the x86-TSO model.

use std::collections::HashMap;

use refmap::Verdict;
use refmap_histories::{Event as Recorded, Ordered, Settings, Validation, validate};
use refmap_refinements::native::ObservedModel;
use refmap_systems::native::model::Model;
use refmap_systems::native::on_the_fly::{Event, Fault, Reference, Shape, Stage};
use refmap_systems::native::{History, most_mutators};

use super::{long, played};

const SHAPE: Shape = Shape {
    objects: 4,
    fields: 2,
};

fn decided(shape: Shape, history: &History) -> Validation {
    decided_of(most_mutators(history).max(1), shape, history)
}

fn decided_of(mutators: usize, shape: Shape, history: &History) -> Validation {
    let size = [mutators as u32, shape.objects, shape.fields];
    let [mutators, objects, fields] = size.map(|number| number as u8);
    let model = Model::new(mutators, objects, fields).expect("the model has such an instance");
    let observed = ObservedModel::new(model);
    let events = Ordered::of(history.iter().cloned());
    validate(&observed, events, &Settings::default()).expect("the history is in order")
}

fn verdict(history: &History) -> Verdict {
    decided(SHAPE, history).verdict()
}

/// The reason why a history is refused; `None` if it is accepted.
fn refused(history: &History) -> Option<String> {
    let report = decided(SHAPE, history).report();
    report.counterexample.map(|found| found.explanation)
}

fn count(history: &History, is: impl Fn(&Event) -> bool) -> usize {
    let events = history.iter().filter_map(|recorded| recorded.event);
    events.filter(|event| is(event)).count()
}

/// On heaps of several shapes, with mutators that come and go.
#[test]
fn native_histories_are_runs_of_the_model() {
    let mut all = History::new();
    for (threads, objects, fields, seed) in [(1, 4, 2, 1), (2, 4, 2, 2), (2, 3, 1, 3), (1, 2, 1, 4)]
    {
        let shape = Shape { objects, fields };
        let history = long(threads, shape, Fault::None, seed);
        // Two threads that relay at the same moment make four mutators.
        if most_mutators(&history) > 3 {
            continue;
        }
        let report = decided(shape, &history).report();
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        all.extend(history);
    }
    assert!(count(&all, |e| matches!(e, Event::Free { .. })) > 10);
    assert!(count(&all, |e| matches!(e, Event::Mark { won: true, .. })) > 10);
    assert!(count(&all, |e| matches!(e, Event::Scan { value: Some(_), .. })) > 10);
    assert!(count(&all, |e| matches!(e, Event::Join { .. })) > 10);
}

/// Every fault except a race is detected in a history: the faults leave out a step of the model, or add one.
#[test]
fn native_faults_are_refused_by_name() {
    for (fault, reason) in [
        (Fault::NoDeletionBarrier, "is between two operations"),
        (Fault::NoInsertionBarrier, "`insertion: load fM` next"),
        (Fault::SkipIdleNoop, "`idle: mfence` next"),
        (Fault::SkipIdleFlipNoop, "`idle flip: mfence` next"),
        (Fault::SkipInitNoop, "`init: mfence` next"),
        (Fault::SkipMarkNoop, "`mark: mfence` next"),
        (Fault::NoHandshakeFence, "`idle: mfence` next"),
        (Fault::RootsNotMarked, "`get-roots: choose a root` next"),
        (Fault::NoGetWork, "`get-work: set type` next"),
        (Fault::AllocateWrongSense, "new objects are marked 0"),
        (Fault::EarlySweep, "`mark loop: choose src` next"),
        (Fault::WorklistNotHandedOver, "`mark loop: choose src` next"),
        (Fault::GenerationNotBumped, "its generation is at least 1"),
    ] {
        let refused = refused(&long(1, SHAPE, fault, 1));
        let reasons = refused.unwrap_or_else(|| panic!("{} is accepted", fault.name()));
        assert!(reasons.contains(reason), "{fault:?}: {reasons}");
    }
}

/// A plain store instead of the CAS is detected if two threads win.
#[test]
fn a_race_that_two_win_is_refused() {
    let lines = [
        "alloc; alloc; store 1.0=0; discard 0; until get-roots@claim",
        "until get-roots@claim",
    ];
    let history = played(SHAPE, Fault::MarkWithoutCas, &lines);
    let reasons = refused(&history).expect("two have won");
    assert!(reasons.contains("another thread has won"), "{reasons}");
}

/// A short history in which one object is freed and another kept.
fn short() -> History {
    let lines = ["alloc; discard 0; until idle; until idle"];
    let history = played(SHAPE, Fault::None, &lines);
    assert_eq!(verdict(&history), Verdict::Holds);
    history
}

/// The same, with some events left out: places close up.
fn without(history: &History, is_left_out: impl Fn(usize, &Event) -> bool) -> History {
    let mut places = HashMap::new();
    let events = history
        .iter()
        .enumerate()
        .filter(|(at, recorded)| !recorded.event.is_some_and(|event| is_left_out(*at, &event)));
    events
        .map(|(_, recorded)| {
            let place = places.entry(recorded.thread).or_insert(0);
            *place += 1;
            Recorded {
                place: *place - 1,
                ..recorded.clone()
            }
        })
        .collect()
}

/// The same, with the first event changed that can be.
fn changed(history: &History, change: impl Fn(&Event) -> Option<Event>) -> History {
    let mut history = history.clone();
    let mut events = history
        .iter_mut()
        .filter_map(|recorded| recorded.event.as_mut());
    let (event, to) = events
        .find_map(|event| change(event).map(|to| (event, to)))
        .expect("there is such an event");
    *event = to;
    history
}

#[test]
fn damage_is_refused_by_name() {
    let history = short();
    let stage_of = |event: &Event| match *event {
        Event::Ask { stage }
        | Event::Asked { stage }
        | Event::Handshake { stage }
        | Event::Answered { stage } => Some(stage),
        _ => None,
    };
    let told = |history: &History, reason: &str| {
        let reasons = refused(history).expect(reason);
        assert!(reasons.contains(reason), "{reasons}");
    };
    // A handshake is dropped: all of it, fences included, and one mutator's part of it.
    let is_of_init = |at: usize| {
        let thread = history[at].thread;
        let mut near = (0..at)
            .rev()
            .filter(|other| history[*other].thread == thread);
        let before = near.next();
        let after = (at + 1..history.len()).find(|other| history[*other].thread == thread);
        let is_init = |at: Option<usize>| {
            let event = at.and_then(|at| history[at].event);
            event.is_some_and(|event| stage_of(&event) == Some(Stage::Init))
        };
        is_init(before) || is_init(after)
    };
    let dropped = without(&history, |at, event| {
        let is_fence = matches!(event, Event::Fence) && is_of_init(at);
        is_fence || stage_of(event) == Some(Stage::Init)
    });
    told(&dropped, "`init: mfence` next");
    let unanswered = without(&history, |_, event| {
        matches!(event, Event::Handshake { stage: Stage::Init })
    });
    told(&unanswered, "asked, and without an answer: mutator");
    // A mark in the wrong sense.
    let wrong = changed(&history, |event| match *event {
        Event::Mark {
            reference,
            won: true,
            mark: Some(mark),
        } => Some(Event::Mark {
            reference,
            won: true,
            mark: Some(!mark),
        }),
        _ => None,
    });
    told(&wrong, "in the sense that it has not loaded");
    // A CAS recorded as lost, without a winner.
    let lost = changed(&history, |event| match *event {
        Event::Mark {
            reference,
            won: true,
            mark,
        } => Some(Event::Mark {
            reference,
            won: false,
            mark,
        }),
        _ => None,
    });
    told(&lost, "it would win");
    // A black object is freed: the one that the thread holds.
    let held = Reference {
        slot: 0,
        generation: 0,
    };
    let freed = changed(&history, |event| match event {
        Event::Free { .. } => Some(Event::Free { reference: held }),
        _ => None,
    });
    told(&freed, "0 is black");
    // What is white is not freed.
    let kept = without(&history, |_, event| matches!(event, Event::Free { .. }));
    told(&kept, "white, and not freed");
    // A sense that is not the one in memory: what is said of it is told besides.
    let mut senses = history.iter().filter_map(|recorded| match recorded.event {
        Some(Event::Sense { fm, .. }) => Some(fm),
        _ => None,
    });
    let fm = senses.next().expect("something is marked");
    let sense = changed(&history, |event| match *event {
        Event::Sense { reference, fm } => Some(Event::Sense { reference, fm: !fm }),
        _ => None,
    });
    told(&sense, &format!("fM is {}", u8::from(fm)));
    // A CAS of something else than what is being marked.
    let other = changed(&history, |event| match *event {
        Event::Mark {
            reference,
            won,
            mark,
        } => {
            assert_eq!(reference, held);
            Some(Event::Mark {
                reference: Reference { slot: 1, ..held },
                won,
                mark,
            })
        }
        _ => None,
    });
    told(&other, ": lock` next");
    // Two phases change places.
    let mut phases = history.clone();
    let mut stored = phases
        .iter_mut()
        .filter(|recorded| matches!(recorded.event, Some(Event::SetPhase { .. })));
    let [one, other] = [stored.next(), stored.next()].map(|stored| stored.expect("a cycle has 4"));
    std::mem::swap(&mut one.event, &mut other.event);
    told(&phases, "`phase ← Init` next");
    // A thread that has not joined.
    let unjoined = without(&history, |_, event| matches!(event, Event::Join { .. }));
    told(&unjoined, "it has not joined");
}

/// Loads of wrong values, and from objects that the mutator does not hold.
#[test]
fn damaged_loads_are_refused_by_name() {
    let lines = ["alloc; store 1.0=0; discard 0; load 0.0; until idle; until idle"];
    let history = played(SHAPE, Fault::None, &lines);
    assert_eq!(verdict(&history), Verdict::Holds);
    let told = |history: &History, reason: &str| {
        let reasons = refused(history).expect(reason);
        assert!(reasons.contains(reason), "{reasons}");
    };
    let load = changed(&history, |event| match *event {
        Event::Load { src, field, .. } => Some(Event::Load {
            src,
            field,
            value: None,
        }),
        _ => None,
    });
    told(&load, "it would read 1");
    let scan = changed(&history, |event| match *event {
        Event::Scan {
            src,
            field,
            value: Some(_),
        } => Some(Event::Scan {
            src,
            field,
            value: None,
        }),
        _ => None,
    });
    told(&scan, "it would read 1");
    // The object that the load reads has been let go of before.
    let unheld = changed(&history, |event| match *event {
        Event::Load {
            field,
            value: Some(src),
            ..
        } => Some(Event::Load {
            src,
            field,
            value: None,
        }),
        _ => None,
    });
    told(&unheld, "1 is no root of its mutator");
}

/// An unrecorded event refutes nothing, whatever it was; a history that no event of its thread can complete is
/// refused.
fn assert_a_lost_access_may_have_been_any(one_of: usize, most: usize) {
    let lines = ["alloc; store 1.0=0; discard 0; until idle", "until idle"];
    let history = played(SHAPE, Fault::None, &lines);
    let mutators = most_mutators(&history);
    let verdict = |history: &History| decided_of(mutators, SHAPE, history).verdict();
    assert_eq!(verdict(&history), Verdict::Holds);
    let collects = |recorded: &&Recorded<Event>| matches!(recorded.event, Some(Event::Ask { .. }));
    let collector = history.iter().find(collects).expect("there is a cycle");
    let unused = 1 + history
        .iter()
        .map(|recorded| recorded.thread)
        .max()
        .unwrap_or(0);
    let mut others = 0;
    for lost in (0..history.len()).step_by(one_of) {
        let recorded = &history[lost];
        let told = || format!("{lost}: {:?}", recorded.event);
        let mut unknown = history.clone();
        unknown[lost].event = None;
        assert_eq!(verdict(&unknown), Verdict::Holds, "{}", told());
        // A thread that is no mutator is taken for the collector, and may join.
        let mut of_other = without(&history, |at, _| at == lost);
        let is_needed = verdict(&of_other) == Verdict::Violated;
        of_other.insert(
            lost,
            Recorded {
                thread: unused,
                place: 0,
                event: None,
                ..recorded.clone()
            },
        );
        let expected = if is_needed && recorded.thread != collector.thread {
            Verdict::Violated
        } else {
            Verdict::Holds
        };
        assert_eq!(verdict(&of_other), expected, "{} of another thread", told());
        others += usize::from(expected == Verdict::Violated);
    }
    assert!(others > most, "{others}");
}

#[test]
fn an_access_that_was_lost_may_have_been_any_of_its_thread() {
    assert_a_lost_access_may_have_been_any(13, 0);
}

#[test]
#[ignore = "half a minute"]
fn slow_any_access_that_was_lost_may_have_been_any_of_its_thread() {
    assert_a_lost_access_may_have_been_any(1, 10);
}

/// Only events on which no later event depends can be left out of a history.
fn assert_hardly_one_can_be_left_out(one_of: usize) {
    let lines =
        ["alloc; store 1.0=0; discard 0; until get-roots; load 0.0; store 1.0=null; until idle"];
    let history = played(SHAPE, Fault::None, &lines);
    assert_eq!(verdict(&history), Verdict::Holds);
    for at in (0..history.len()).step_by(one_of) {
        let left_out = without(&history, |other, _| other == at);
        if verdict(&left_out) == Verdict::Holds {
            let event = history[at].event.expect("all are recorded");
            // What a thread did last, and what it loaded or let go of and holds by another root.
            let thread = history[at].thread;
            let is_last = history[at + 1..].iter().all(|later| later.thread != thread);
            let may_go = matches!(event, Event::Load { .. } | Event::Discard { .. });
            assert!(may_go || is_last, "{at}: {event:?}");
        }
    }
}

#[test]
fn hardly_an_event_can_be_left_out() {
    assert_hardly_one_can_be_left_out(5);
}

#[test]
#[ignore = "some ten seconds"]
fn slow_of_all_events_hardly_one_can_be_left_out() {
    assert_hardly_one_can_be_left_out(1);
}

#[test]
fn a_history_of_nothing_says_nothing() {
    assert_eq!(verdict(&History::new()), Verdict::Incomplete);
    // Joined, allocated, and no cycle of the collector.
    let is_early = |event: &Event| matches!(event, Event::Join { .. } | Event::Alloc { .. });
    let early = without(&short(), |_, event| !is_early(event));
    assert!(count(&early, is_early) >= 2);
    assert_eq!(verdict(&early), Verdict::Incomplete);
}

#[test]
#[ignore = "a minute"]
fn slow_many_native_histories_are_runs_of_the_model() {
    let (mut histories, mut events, mut larger) = (0, 0, 0);
    for seed in 0..2000u64 {
        let threads = 1 + (seed % 2) as usize;
        let shape = Shape {
            objects: 2 + (seed / 2 % 3) as u32,
            fields: 1 + (seed / 6 % 2) as u32,
        };
        let history = long(threads, shape, Fault::None, seed);
        if most_mutators(&history) > 3 {
            larger += 1;
            continue;
        }
        let report = decided(shape, &history).report();
        assert_eq!(
            report.verdict,
            Some(Verdict::Holds),
            "seed {seed}: {report}"
        );
        histories += 1;
        events += history.len();
    }
    println!("{histories} histories, {events} events; {larger} with more mutators");
}
