//! Calibration of a test: a wrong answer that is put into the record of a sound run has to be refused.
//!
//! A specification that permits everything, calls of which each has one answer, and values that nothing tells apart are found so.

use refmap::Action;
use refmap::random::Generator;

use super::Object;
use super::run::EventOf;
use crate::{Event, Ordered, Outcome, Settings, validate};

/// Number of wrong records that are tried.
const TRIES: usize = 30;
/// Number of the events of a run among which answers are exchanged.
const MOST: usize = 1 << 10;

/// True if one of some wrong records of a sound run is refused.
pub(super) fn refuses_wrong<O: Object>(
    specification: &O::Specification,
    events: &[Event<EventOf<O>>],
    generator: &mut Generator,
) -> bool {
    let most = events.len().min(MOST);
    (0..TRIES).any(|number| {
        if most == 0 {
            return false;
        }
        let mut wrong = events.to_vec();
        let at = generator.below(most);
        let is_changed = match number % 2 {
            0 => exchange::<O>(&mut wrong, at, most),
            _ => leave_out(&mut wrong, at),
        };
        is_changed && is_refused::<O>(specification, wrong)
    })
}

/// Exchanges the answer of a call with another one of the same rule among the first `most` events, if there is one.
fn exchange<O: Object>(events: &mut [Event<EventOf<O>>], at: usize, most: usize) -> bool {
    let answered = |event: &Event<EventOf<O>>| {
        let called = event.event.as_ref()?;
        Some((called.call.rule(), called.answer.clone()?))
    };
    let Some((rule, answer)) = answered(&events[at]) else {
        return false;
    };
    let others = (at + 1..most).chain(0..at).filter_map(|other| {
        let (of, other_answer) = answered(&events[other])?;
        (of == rule && other_answer != answer).then_some((other, other_answer))
    });
    let Some((other, other_answer)) = others.into_iter().next() else {
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

fn is_refused<O: Object>(specification: &O::Specification, events: Vec<Event<EventOf<O>>>) -> bool {
    validate(specification, Ordered::of(events), &Settings::default())
        .is_ok_and(|validation| matches!(validation.outcome, Outcome::Refuted(_)))
}
