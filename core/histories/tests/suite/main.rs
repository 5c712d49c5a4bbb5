//! Tests of the validator against an enumeration of all interleavings, and of its reports.

mod agreement;
mod apart;
mod automaton;
mod bounds;
mod contradicting;
mod endless;
mod explaining;
mod failing;
mod foreign;
mod format;
mod heap;
mod memory;
mod object;
mod oracle;
mod queue;
mod random;
mod recording;
mod specifications;
mod stopping;
mod store;
mod traces;

use std::ops::{Bound, RangeBounds};

use refmap_histories::{Event, Observed, Ordered, Outcome, Settings, Validation, validate};

/// Event of a thread at that place, in an interval of time that may have no end.
fn event_in<E>(thread: u32, place: u64, interval: impl RangeBounds<u64>, what: E) -> Event<E> {
    let time = |bound: Bound<&u64>| match bound {
        Bound::Included(time) => Some(*time),
        Bound::Excluded(_) | Bound::Unbounded => None,
    };
    Event {
        thread,
        place,
        begin: time(interval.start_bound()).expect("it begins"),
        end: time(interval.end_bound()),
        event: Some(what),
    }
}

/// Validation of events that are in order.
fn validated<O: Observed>(
    observed: &O,
    events: &[Event<O::Event>],
    settings: &Settings<'_>,
) -> Validation {
    let events = Ordered::of(events.iter().cloned());
    validate(observed, events, settings).expect("it is in order")
}

/// True if it is decided that events are a behaviour, and false if they are decided to be none.
#[track_caller]
fn is_behaviour<O: Observed>(
    observed: &O,
    events: &[Event<O::Event>],
    settings: &Settings<'_>,
) -> bool {
    let validation = validated(observed, events, settings);
    assert_eq!(validation.panicked, None);
    match validation.outcome {
        Outcome::Behaviour => true,
        Outcome::Refuted(_) => false,
        other => panic!("{other:?}: {events:?}"),
    }
}
