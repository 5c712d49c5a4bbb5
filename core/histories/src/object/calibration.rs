//! Calibration of a test: a wrong answer that is put into the record of a sound run has to be refused.
//!
//! A specification that permits everything, calls of which each has one answer, and values that nothing tells apart are found so.

use std::time::Duration;

use refmap::Action;
use refmap::random::Generator;

use super::Object;
use super::concurrent::EventOf;
use super::judge::within;
use crate::{Event, Ordered, Outcome, validate};

/// Number of wrong records that are tried.
const TRIES: usize = 30;

/// True if one of some wrong records of a sound run is refused.
pub(super) fn refuses_wrong<O: Object>(
    specification: &O::Specification,
    patience: Duration,
    events: &[Event<EventOf<O>>],
    generator: &mut Generator,
) -> bool {
    (0..TRIES).any(|number| {
        if events.is_empty() {
            return false;
        }
        let mut wrong = events.to_vec();
        let at = generator.below(events.len());
        let is_changed = match number % 2 {
            0 => exchange::<O>(&mut wrong, at),
            _ => leave_out(&mut wrong, at),
        };
        is_changed && is_refused::<O>(specification, patience, wrong)
    })
}

/// Exchanges the answer of a call with the next other one of the same rule, if there is one.
fn exchange<O: Object>(events: &mut [Event<EventOf<O>>], at: usize) -> bool {
    let answered = |event: &Event<EventOf<O>>| {
        let called = event.event.as_ref()?;
        Some((called.call.rule(&()), called.answer.clone()?))
    };
    let Some((rule, answer)) = answered(&events[at]) else {
        return false;
    };
    let mut others = (at + 1..events.len()).chain(0..at).filter_map(|other| {
        let (of, other_answer) = answered(&events[other])?;
        (of == rule && other_answer != answer).then_some((other, other_answer))
    });
    let Some((other, other_answer)) = others.next() else {
        return false;
    };
    for (at, answer) in [(at, other_answer), (other, answer)] {
        if let Some(called) = &mut events[at].event {
            called.answer = Some(answer);
        }
    }
    true
}

/// Leaves a call out of the record, as if it had not been made.
fn leave_out<E>(events: &mut Vec<Event<E>>, at: usize) -> bool {
    let left_out = events.remove(at);
    for event in &mut events[at..] {
        if event.thread == left_out.thread {
            event.place -= 1;
        }
    }
    true
}

fn is_refused<O: Object>(
    specification: &O::Specification,
    patience: Duration,
    events: Vec<Event<EventOf<O>>>,
) -> bool {
    validate(specification, Ordered::of(events), &within(patience))
        .is_ok_and(|validation| matches!(validation.outcome, Outcome::Refuted(_)))
}
