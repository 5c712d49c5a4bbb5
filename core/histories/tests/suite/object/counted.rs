//! Bounded queue under a lock, of which the length is read without it. The specification is this test's own.

use std::collections::VecDeque;

use refmap::State;
use refmap_histories::object::{Effort, Run, Shared, test};
use refmap_histories::specifications::{Answer, Operations, Sequential};
use refmap_histories::{Object, calls};
use refmap_schedules::sync::Mutex;
use refmap_schedules::sync::atomic::{AtomicU8, Ordering};
use serde::Serialize;

use super::{NEVER_POISONED, assert_scheduled, assert_sound, found, little};

const CAPACITY: usize = 3;

/// Queue of at most three values, which tells their number.
#[derive(Clone, Default)]
pub struct Specification;

calls! {
    pub enum Call -> u8 {
        Push(#[action(range = 1..=1)] u8) -> Is,
        Pop -> ValueOrNothing,
        Len -> Value,
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
pub struct Values(VecDeque<u8>);

/// Carries out a call.
fn execute(values: &mut VecDeque<u8>, call: &Call) -> Answer<u8> {
    match call {
        Call::Push(_) if values.len() == CAPACITY => false.into(),
        Call::Push(value) => {
            values.push_back(*value);
            true.into()
        }
        Call::Pop => values.pop_front().into(),
        Call::Len => Answer::Value(values.len() as u8),
    }
}

impl Sequential for Specification {
    type State = Values;
    type Call = Call;
    type Answer = Answer<u8>;

    fn initial(&self) -> Values {
        Values(VecDeque::new())
    }

    fn execute(&self, call: &Call, Values(values): &mut Values) -> Option<Answer<u8>> {
        Some(execute(values, call))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The length is stored after the lock was released.
    StaleLength,
}

#[derive(Default)]
struct Queue {
    values: Mutex<VecDeque<u8>>,
    length: AtomicU8,
}

pub fn counted(fault: Fault) -> impl Object + Clone {
    let calls = [Call::Len, Call::Pop, Call::Push(1), Call::Push(2)];
    let specification = Operations(Specification);
    let object = Shared::new(specification, Queue::default, calls, move |queue, call| {
        if *call == Call::Len {
            return Answer::Value(queue.length.load(Ordering::Acquire));
        }
        let mut values = queue.values.lock().expect(NEVER_POISONED);
        let answer = execute(&mut values, call);
        let length = values.len() as u8;
        if fault == Fault::StaleLength {
            drop(values);
        }
        queue.length.store(length, Ordering::Release);
        answer
    });
    object.with_schedules()
}

#[test]
fn a_stale_length_is_found() {
    let fault = Fault::StaleLength;
    assert_scheduled(counted(fault), "counted.rs", &["len →", "and not"]);
}

#[test]
fn a_length_that_is_stored_under_the_lock_is_sound() {
    assert_sound(counted(Fault::None));
}

/// Of two tests, what one found stays found.
#[test]
fn a_finding_outlives_a_test_that_finds_nothing() {
    let faulty = test(counted(Fault::StaleLength), &Effort::default());
    let sound = test(counted(Fault::None), &little());
    for both in [
        faulty.clone().and(sound.clone()),
        sound.and(faulty.clone()),
        faulty.clone().and(faulty),
    ] {
        found(&both, Run::Schedules, &["len →"]);
    }
}
