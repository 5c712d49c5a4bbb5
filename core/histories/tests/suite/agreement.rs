//! Tests that the validator agrees with an enumeration of all interleavings on thousands of small histories.

use std::collections::{BTreeMap, BTreeSet};

use refmap::random::Generator;
use refmap_histories::specifications::register::Call;
use refmap_histories::specifications::{Answer, Called, Operations, Register};
use refmap_histories::{Criterion, Effect, Event, Outcome, Settings, Validation};

use super::heap::Heap;
use super::memory::{Access, Buffers, ObservedMemory, Stores, THREADS};
use super::queue::{Queue, Use};
use super::random::{Corruption, Loss, Size, Subject, history};
use super::{event_in, is_behaviour, validated};
use crate::oracle::Oracle;

fn run<S: Subject>(subject: &S, events: &[Event<S::Event>]) -> Validation {
    by(Criterion::Linearizable, None, subject, events)
}

fn by<S: Subject>(
    criterion: Criterion,
    buffer: Option<u32>,
    subject: &S,
    events: &[Event<S::Event>],
) -> Validation {
    let settings = Settings {
        criterion,
        buffer,
        ..Settings::default()
    };
    validated(subject, events, &settings)
}

/// Compares the two verdicts, and returns whether the history is accepted.
fn agree<S: Subject>(subject: &S, events: &[Event<S::Event>], case: &str) -> bool {
    agree_by(Criterion::Linearizable, None, subject, events, case)
}

fn agree_by<S: Subject>(
    criterion: Criterion,
    buffer: Option<u32>,
    subject: &S,
    events: &[Event<S::Event>],
    case: &str,
) -> bool {
    let validation = by(criterion, buffer, subject, events);
    let oracle = Oracle::by(criterion, subject, events, buffer);
    let accepted = match &validation.outcome {
        Outcome::Behaviour => true,
        Outcome::Refuted(explanation) => {
            assert!(!explanation.prefixes.is_empty(), "{case}");
            let prefix = &explanation.prefixes[0];
            // All steps are shown of so short a history, but for those of a specification that moves by itself, and for those with
            // which an event was delayed before the part that is shown.
            let shown = prefix.steps.iter().filter_map(|step| step.event.as_ref());
            let endless = shown.filter(|event| event.end.is_none());
            let endless: BTreeSet<_> = endless.map(|event| (event.thread, event.place)).collect();
            let endless = endless.len();
            let longest = prefix.events as usize - endless;
            let end = explanation.event.as_ref().and_then(|event| event.end);
            let same_end = events.iter().filter(|event| event.end == end).count();
            // By the other criteria events end together.
            if criterion == Criterion::Linearizable
                && let Some(end) = end
                && same_end == 1
            {
                assert_eq!(longest, oracle.longest(end), "{case}: {events:?}");
            }
            false
        }
        Outcome::Undecided(limit) => panic!("{case}: {limit}"),
        Outcome::Misled => panic!("{case}: the adapter is wrong"),
    };
    assert_eq!(accepted, oracle.accepts(), "{case}: {events:?}");
    accepted
}

/// Counts of the histories of one subject.
#[derive(Debug, Default)]
struct Tally {
    valid: u64,
    partial: u64,
    spoilt: BTreeMap<String, u64>,
    caught: BTreeMap<String, u64>,
}

fn compare<S: Subject>(name: &str, subject: &S, seeds: std::ops::Range<u64>, size: Size) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut random = Generator::new(seed);
        let Some(valid) = history(subject, &mut random, size) else {
            continue;
        };
        let case = format!("{name}, seed {seed}");
        assert!(agree(subject, &valid, &case), "{case}: {valid:?}");
        tally.valid += 1;
        for loss in Loss::ALL {
            let Some(partial) = loss.lose(subject, &valid, &mut random) else {
                continue;
            };
            let case = format!("{case}, without {loss:?}");
            let accepted = agree(subject, &partial, &case);
            // An unrecorded event is a step within its interval, so a delayed event cannot become one.
            let is_delayed = |event: &S::Event| subject.effect(event) == Effect::Delayed;
            let mut all = valid.iter().filter_map(|event| event.event.as_ref());
            let fits = loss != Loss::Event || !all.any(is_delayed);
            assert!(accepted || !fits, "{case}: {partial:?}");
            tally.partial += 1;
        }
        for corruption in Corruption::ALL {
            let Some(spoilt) = corruption.spoil(subject, &valid, &mut random) else {
                continue;
            };
            let kind = format!("{corruption:?}");
            let accepted = agree(subject, &spoilt, &format!("{case}, {kind}"));
            *tally.spoilt.entry(kind.clone()).or_default() += 1;
            *tally.caught.entry(kind).or_default() += u64::from(!accepted);
        }
    }
    tally
}

/// Number of histories in the default tests.
const SEEDS: u64 = 400;
const SMALL: Size = Size {
    threads: THREADS,
    events: 6,
};

impl Tally {
    /// Asserts that each kind of corruption was tried and detected at least `least` times.
    fn assert_caught(&self, kinds: &[Corruption], least: u64) {
        assert!(self.valid >= least, "{self:?}");
        assert!(self.partial >= least, "{self:?}");
        for kind in kinds {
            let caught = self.caught.get(&format!("{kind:?}"));
            assert!(caught.is_some_and(|caught| *caught >= least), "{self:?}");
        }
    }
}

const WITHOUT_FREE: [Corruption; 3] = [
    Corruption::DropEvent,
    Corruption::SwapTwo,
    Corruption::ChangeValue,
];

#[test]
fn on_a_memory() {
    for stores in [Stores::AtOnce, Stores::Delayed] {
        let name = format!("memory, {stores:?}");
        let tally = compare(&name, &ObservedMemory(stores), 0..SEEDS, SMALL);
        tally.assert_caught(&WITHOUT_FREE, 20);
    }
}

#[test]
fn on_a_memory_with_store_buffers_of_its_own() {
    let size = Size {
        threads: 2,
        events: 5,
    };
    let tally = compare("buffers", &Buffers, 0..SEEDS / 2, size);
    tally.assert_caught(&WITHOUT_FREE, 5);
}

#[test]
fn on_a_queue() {
    let tally = compare("queue", &Queue, 0..SEEDS, SMALL);
    tally.assert_caught(&WITHOUT_FREE, 20);
}

#[test]
fn on_a_heap() {
    for stores in [Stores::AtOnce, Stores::Delayed] {
        let name = format!("heap, {stores:?}");
        let tally = compare(&name, &Heap(stores), 0..2 * SEEDS, SMALL);
        tally.assert_caught(&[Corruption::DropEvent, Corruption::FreeLive], 20);
        tally.assert_caught(&[Corruption::SwapTwo, Corruption::ChangeValue], 10);
    }
}

/// Numbers of the histories of one subject by what accepts them.
#[derive(Debug, Default)]
struct Accepted {
    all: u64,
    linearizable: u64,
    sequential: u64,
    quiescent: u64,
}

/// Compares the verdicts by every criterion, of valid, partial and spoilt histories. A linearizable one is accepted by each.
fn compare_criteria<S: Subject>(
    name: &str,
    subject: &S,
    seeds: std::ops::Range<u64>,
    size: Size,
) -> Accepted {
    let mut accepted = Accepted::default();
    for seed in seeds {
        let mut random = Generator::numbered(seed, 2);
        let Some(mut valid) = history(subject, &mut random, size) else {
            continue;
        };
        // Some histories have more times at which nothing is under way, and so more order.
        for event in &mut valid {
            let is_sparse = seed.is_multiple_of(2);
            let quiet = event.begin - event.begin % 4;
            event.begin += if is_sparse { quiet } else { 0 };
            event.end = event
                .end
                .map(|end| end + if is_sparse { end - end % 4 } else { 0 });
        }
        let lost = Loss::ALL.map(|loss| loss.lose(subject, &valid, &mut random));
        let spoilt = Corruption::ALL.map(|kind| kind.spoil(subject, &valid, &mut random));
        let spoilt: Vec<_> = spoilt.into_iter().flatten().collect();
        // What is refused with an end may be permitted without, as the times at which nothing is under way are others.
        let open = spoilt
            .iter()
            .map(|events| Loss::End.lose(subject, events, &mut random));
        let open: Vec<_> = open.flatten().collect();
        let lost = lost.into_iter().flatten();
        let all = [valid].into_iter().chain(lost).chain(spoilt).chain(open);
        for (number, events) in all.enumerate() {
            let case = format!("{name}, seed {seed}, history {number}");
            let [linearizable, sequential, quiescent] = Criterion::ALL.map(|criterion| {
                let case = format!("{case}, {criterion:?}");
                agree_by(criterion, None, subject, &events, &case)
            });
            assert!(!linearizable || sequential, "{case}: {events:?}");
            assert!(!linearizable || quiescent, "{case}: {events:?}");
            accepted.all += 1;
            accepted.linearizable += u64::from(linearizable);
            accepted.sequential += u64::from(sequential);
            accepted.quiescent += u64::from(quiescent);
        }
    }
    accepted
}

#[test]
fn criteria_are_what_their_definitions_say() {
    let accepted = [
        compare_criteria(
            "memory",
            &ObservedMemory(Stores::AtOnce),
            0..SEEDS / 3,
            SMALL,
        ),
        compare_criteria(
            "delays",
            &ObservedMemory(Stores::Delayed),
            0..SEEDS / 3,
            SMALL,
        ),
        compare_criteria("queue", &Queue, 0..SEEDS / 3, SMALL),
        compare_criteria("heap", &Heap(Stores::AtOnce), 0..SEEDS / 3, SMALL),
    ];
    for of in accepted {
        // Each of the two permits what the default refuses, and refuses something.
        assert!(of.linearizable + 2 < of.sequential, "{of:?}");
        assert!(of.linearizable + 6 < of.quiescent, "{of:?}");
        assert!(of.sequential + 6 < of.all, "{of:?}");
        assert!(of.quiescent + 6 < of.all, "{of:?}");
    }
}

/// The same history with the intervals that a criterion makes of its own, each event a thread where the order of threads is not kept.
fn stretched(criterion: Criterion, events: &[Event<Use>]) -> Vec<Event<Use>> {
    let mut stretched = events.to_vec();
    match criterion {
        Criterion::Linearizable => (),
        Criterion::Sequential => {
            for event in &mut stretched {
                (event.begin, event.end) = (0, event.end.map(|_| 0));
            }
        }
        Criterion::Quiescent => {
            let last = events.iter().filter_map(|event| event.end).max();
            let last = last.unwrap_or(0);
            let is_quiet = |time: &u64| {
                let mut events = events.iter();
                events.all(|event| event.begin > *time || event.end.is_some_and(|end| end <= *time))
            };
            let quiet: Vec<u64> = (0..last).filter(is_quiet).collect();
            for (thread, event) in (0..).zip(&mut stretched) {
                (event.thread, event.place) = (thread, 0);
                // From the latest quiet time before it to the first one after it; an interval has both its bounds.
                let before = quiet.partition_point(|time| *time < event.begin);
                event.begin = before.checked_sub(1).map_or(0, |at| quiet[at] + 1);
                event.end = event.end.map(|end| {
                    let after = quiet.partition_point(|time| *time < end);
                    quiet.get(after).copied().unwrap_or(last)
                });
            }
        }
    }
    stretched
}

/// More threads and events than an enumeration could decide.
#[test]
fn criteria_are_linearizability_of_other_intervals() {
    let mut seen: BTreeMap<(&str, bool), u32> = BTreeMap::new();
    for seed in 0..200 {
        let mut random = Generator::numbered(seed, 3);
        let size = Size {
            threads: [2, 5, 70][random.below(3)],
            events: [10, 30, 90][random.below(3)],
        };
        let Some(mut events) = history(&Queue, &mut random, size) else {
            continue;
        };
        if random.below(3) > 0 {
            let kind = WITHOUT_FREE[random.below(3)];
            events = kind.spoil(&Queue, &events, &mut random).unwrap_or(events);
        }
        if random.below(3) == 0 {
            events = Loss::End
                .lose(&Queue, &events, &mut random)
                .unwrap_or(events);
        }
        for criterion in Criterion::ALL {
            let decided = |criterion, events: &[Event<Use>]| {
                let settings = Settings {
                    criterion,
                    configurations: 1 << 8,
                    ..Settings::default()
                };
                match validated(&Queue, events, &settings).outcome {
                    Outcome::Behaviour => Some(true),
                    Outcome::Refuted(_) => Some(false),
                    Outcome::Undecided(_) => None,
                    Outcome::Misled => panic!("{seed}: the adapter is wrong"),
                }
            };
            let own = decided(criterion, &events);
            let other = decided(Criterion::Linearizable, &stretched(criterion, &events));
            if let (Some(own), Some(other)) = (own, other) {
                assert_eq!(own, other, "{criterion:?}, seed {seed}: {events:?}");
                *seen.entry((criterion.name(), own)).or_default() += 1;
            }
        }
    }
    for criterion in Criterion::ALL {
        for accepted in [false, true] {
            let number = seen.get(&(criterion.name(), accepted));
            assert!(number.is_some_and(|number| *number > 2), "{seen:?}");
        }
    }
}

/// The order of each of many threads counts: of two steps of one thread, the other way round than they are possible, the second is found.
#[test]
fn each_of_many_threads_has_its_order() {
    const THREADS: u16 = 70;
    let chain = Operations(Register {
        initial: 0,
        values: Vec::new(),
    });
    let step = |thread: u16, place, from: u16| {
        event_in(
            u32::from(thread) << 16,
            place,
            0..=0,
            Called {
                call: Call::CompareAndSwap { from, to: from + 1 },
                answer: Some(Answer::Is(true)),
            },
        )
    };
    for of_two in [0, 1, 31, 62, 63, 64, 65, THREADS - 1] {
        // The last thread takes the first step between those of the thread that takes two.
        let others = (0..THREADS).filter(|thread| *thread != of_two);
        let others = (1..).zip(others.rev());
        for (is_right, [first, second]) in [(true, [0, THREADS]), (false, [THREADS, 0])] {
            let others = others.clone().map(|(from, thread)| step(thread, 0, from));
            let mut events: Vec<_> = others.collect();
            events.push(step(of_two, 0, first));
            events.sort_by_key(|event| event.thread);
            events.push(step(of_two, 1, second));
            for criterion in Criterion::ALL {
                let settings = Settings {
                    criterion,
                    ..Settings::default()
                };
                let expected = is_right || criterion == Criterion::Quiescent;
                let found = is_behaviour(&chain, &events, &settings);
                assert_eq!(found, expected, "{of_two}, {criterion:?}");
            }
        }
    }
}

/// A small buffer refuses histories that a larger one permits. One thread stores three times, another one loads
/// twice, in all orders and with all results.
#[test]
fn on_store_buffers_that_are_soon_full() {
    let memory = ObservedMemory(Stores::Delayed);
    let stores = [(0, 1), (1, 1), (0, 2)].map(|(cell, value)| Access::Store { cell, value });
    let all = (0..6).map(|number| Access::load(number / 3, number as u8 % 3));
    let loads: Vec<_> = all.collect();
    let mut refused = [0, 0];
    // Bits of the five events that are loads.
    for order in (0_u32..32).filter(|order| order.count_ones() == 2) {
        for (first, second) in (0..36).map(|pair| (pair / 6, pair % 6)) {
            let mut loads = [&loads[first], &loads[second]].into_iter();
            let mut stores = stores.iter();
            let events = (0..5).map(|time| {
                let thread = order >> time & 1;
                let (access, left) = match thread {
                    0 => (stores.next(), 3 - stores.len()),
                    _ => (loads.next(), 2 - loads.len()),
                };
                Event {
                    thread,
                    place: left as u64 - 1,
                    begin: 2 * time,
                    end: Some(2 * time + 1),
                    event: access.cloned(),
                }
            });
            let events: Vec<_> = events.collect();
            let accepted = [None, Some(2), Some(1)].map(|buffer| {
                let case = format!("a buffer of {buffer:?}");
                agree_by(Criterion::Linearizable, buffer, &memory, &events, &case)
            });
            refused[0] += u32::from(accepted[0] && !accepted[1]);
            refused[1] += u32::from(accepted[1] && !accepted[2]);
        }
    }
    assert!(refused[0] > 0 && refused[1] > refused[0], "{refused:?}");
}

/// Two stores in sequence, and another thread that later reads neither.
#[test]
fn a_full_buffer_has_to_give_something_up() {
    let store = |cell| Access::Store { cell, value: 1 };
    let old = Access::load(0, 0);
    let steps = [(0, 0, store(0)), (0, 1, store(1)), (1, 0, old)];
    let events = (0..).zip(steps).map(|(time, (thread, place, access))| {
        event_in(thread, place, 2 * time..=2 * time + 1, access)
    });
    let events: Vec<_> = events.collect();
    let memory = ObservedMemory(Stores::Delayed);
    for (buffer, accepted) in [(Some(1), false), (Some(2), true), (None, true)] {
        let case = format!("{buffer:?}");
        assert_eq!(
            agree_by(Criterion::Linearizable, buffer, &memory, &events, &case),
            accepted
        );
    }
}

#[test]
#[ignore = "takes minutes"]
fn nightly_at_length() {
    let size = Size {
        threads: THREADS,
        events: 7,
    };
    for stores in [Stores::AtOnce, Stores::Delayed] {
        compare("memory", &ObservedMemory(stores), SEEDS..10_000, size);
        compare("heap", &Heap(stores), SEEDS..10_000, size);
    }
    compare("queue", &Queue, SEEDS..10_000, size);
    compare("buffers", &Buffers, SEEDS..3_000, SMALL);
    for stores in [Stores::AtOnce, Stores::Delayed] {
        compare_criteria("memory", &ObservedMemory(stores), SEEDS..4_000, SMALL);
        compare_criteria("heap", &Heap(stores), SEEDS..4_000, SMALL);
    }
    compare_criteria("queue", &Queue, SEEDS..4_000, SMALL);
}

/// Delayed effects and store buffers in the specification state the same memory, so they accept the same histories.
/// This covers more histories than an oracle could decide.
#[test]
fn delayed_stores_are_those_of_a_store_buffer() {
    let size = Size {
        threads: THREADS,
        events: 14,
    };
    let delayed = ObservedMemory(Stores::Delayed);
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..100 {
        let mut random = Generator::numbered(seed, 1);
        let Some(valid) = history(&delayed, &mut random, size) else {
            continue;
        };
        let kind = WITHOUT_FREE[random.below(3)];
        let spoilt = kind.spoil(&delayed, &valid, &mut random);
        for events in [Some(valid), spoilt].into_iter().flatten() {
            let one = matches!(run(&delayed, &events).outcome, Outcome::Behaviour);
            let other = matches!(run(&Buffers, &events).outcome, Outcome::Behaviour);
            assert_eq!(one, other, "seed {seed}, {kind:?}: {events:?}");
            if one { accepted += 1 } else { refused += 1 }
        }
    }
    assert!(accepted > 75 && refused > 7, "{accepted} {refused}");
}
