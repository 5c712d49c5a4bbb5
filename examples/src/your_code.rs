//! A queue of your own, held against a bounded queue: under schedules, and on real threads.
//!
//! The one idea: what the queue is to be is a specification that is there already, so that a test of it is a list of calls and how each
//! is carried out. Nobody writes an interleaving down. The queue looks whether it has room, and then takes its lock again to push: two threads
//! that look before either pushes both find room for one.

use std::collections::VecDeque;
use std::sync::PoisonError;

use refmap_histories::object::{Effort, Shared, Tested, repeat, test};
use refmap_histories::specifications::{Bounded, Operations, bounded::Call};
// ANCHOR: queue
use refmap_schedules::sync::{Mutex, MutexGuard};

/// Number of values for which there is room.
const CAPACITY: usize = 1;

/// Number of times that a push takes the lock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Locking {
    Once,
    /// To look whether there is room, and again to push.
    Twice,
}

/// A queue with room for one value.
pub struct Queue {
    values: Mutex<VecDeque<u8>>,
    locking: Locking,
}

impl Queue {
    pub fn new(locking: Locking) -> Self {
        let values = Mutex::new(VecDeque::new());
        Self { values, locking }
    }

    #[track_caller]
    fn values(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether there was room.
    pub fn push(&self, value: u8) -> bool {
        let mut values = self.values();
        if values.len() == CAPACITY {
            return false;
        }
        if self.locking == Locking::Twice {
            drop(values);
            values = self.values();
        }
        values.push_back(value);
        true
    }

    pub fn pop(&self) -> Option<u8> {
        self.values().pop_front()
    }
}
// ANCHOR_END: queue

// ANCHOR: object
/// The queue as an object that can be tested.
fn object(locking: Locking) -> impl refmap_histories::Object {
    let calls = [Call::Pop, Call::Push(1), Call::Push(2)];
    let bounded = Operations(Bounded::new(CAPACITY));
    let make = move || Queue::new(locking);
    let object = Shared::new(bounded, make, calls, |queue, call| match call {
        Call::Push(value) => queue.push(*value).into(),
        Call::Pop => queue.pop().into(),
    });
    object.with_schedules()
}
// ANCHOR_END: object

/// A test with the usual effort.
fn tested(locking: Locking) -> Tested {
    test(object(locking), &Effort::default())
}

/// Names of the outputs that the book quotes.
#[cfg(test)]
pub const OUTPUTS: [&str; 1] = ["lost room"];

/// Text that the book quotes, by its name.
#[cfg(test)]
pub fn output(name: &str) -> Option<String> {
    match name {
        "lost room" => Some(tested(Locking::Twice).finding()?.to_string()),
        _ => None,
    }
}

pub fn main() {
    let wrong = tested(Locking::Twice);
    println!("{wrong}");
    // What a finding says repeats it.
    if let Some(run) = wrong.finding().and_then(|finding| finding.repeat.clone()) {
        println!("{}", repeat(object(Locking::Twice), &run));
    }
    println!("{}", tested(Locking::Once));
}

#[cfg(test)]
mod tests {
    use super::*;
    use refmap::Verdict;
    use refmap_histories::check;

    // ANCHOR: test
    #[test]
    fn it_is_a_bounded_queue() {
        check(object(Locking::Once));
    }
    // ANCHOR_END: test

    #[test]
    fn a_push_that_takes_the_lock_twice_is_found_under_schedules_and_on_threads() {
        let wrong = tested(Locking::Twice);
        assert_eq!(wrong.verdict(), Verdict::Violated);
        let run = wrong.finding().and_then(|finding| finding.repeat.clone());
        let again = repeat(object(Locking::Twice), &run.expect("a schedule shows it"));
        assert_eq!(again.verdict(), Verdict::Violated);
        let on_threads = Effort {
            programs: 0,
            ..Effort::default()
        };
        let wrong = test(object(Locking::Twice), &on_threads);
        assert_eq!(wrong.verdict(), Verdict::Violated, "{wrong}");
    }
}
