//! Queue on which two pushes are under way while a third thread pushes by the hundred: each may have any place among those.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf, Effort, Run, test};
use refmap_histories::specifications::queue::Call;
use refmap_histories::specifications::{Operations, Queue};

use super::NEVER_POISONED;

/// Number of values that the third thread pushes.
const MANY: usize = 100;

struct Crowded;

#[derive(Default)]
struct Shared {
    values: Mutex<VecDeque<u8>>,
    /// True once the third thread has pushed all.
    is_full: AtomicBool,
}

impl Shared {
    fn values(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.values.lock().expect(NEVER_POISONED)
    }
}

struct Handle<'a> {
    queue: &'a Shared,
    thread: u32,
    /// Number of values that the thread has pushed.
    pushed: usize,
}

impl Handle<'_> {
    fn is_slow(&self) -> bool {
        self.thread < 2
    }

    fn has_pushed(&self) -> bool {
        self.pushed == if self.is_slow() { 1 } else { MANY }
    }

    fn wait(&self, is_over: impl Fn(&Shared) -> bool) {
        while !is_over(self.queue) {
            thread::yield_now();
        }
    }
}

impl Object for Crowded {
    type Specification = Operations<Queue<u8>>;
    type Shared = Shared;
    type Handle<'a> = Handle<'a>;

    fn specification(&self) -> Self::Specification {
        Operations(Queue::default())
    }

    fn make(&self) -> Shared {
        Shared::default()
    }

    fn handle<'a>(&self, queue: &'a Shared, thread: u32) -> Handle<'a> {
        Handle {
            queue,
            thread,
            pushed: 0,
        }
    }

    fn calls(&self, handle: &Handle<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        if !handle.has_pushed() {
            visit(Call::Push(handle.thread as u8));
        } else if !handle.is_slow() {
            visit(Call::Pop);
        }
    }

    fn call(&self, handle: &mut Handle<'_>, call: &CallOf<Self>) -> AnswerOf<Self> {
        let Call::Push(value) = call else {
            return handle.queue.values().pop_front().into();
        };
        if !handle.is_slow() {
            handle.wait(|queue| queue.values().len() >= 2);
        }
        handle.queue.values().push_back(*value);
        handle.pushed += 1;
        if handle.is_slow() {
            handle.wait(|queue| queue.is_full.load(Ordering::Acquire));
        } else if handle.has_pushed() {
            handle.queue.is_full.store(true, Ordering::Release);
        }
        ().into()
    }

    fn threads(&self) -> RangeInclusive<u32> {
        3..=3
    }
}

/// Pops after the pushes tell their order.
#[test]
fn a_run_with_many_orders_is_decided() {
    let effort = Effort {
        alone: 0,
        runs: 1,
        calls: 2 * MANY as u32,
        ..Effort::default()
    };
    let tested = test(Crowded, &effort);
    let threads = tested.parts.iter().find(|part| part.run == Run::Threads);
    assert_eq!(threads.expect("it is tried").undecided, 0, "{tested}");
    assert!(tested.finding().is_none(), "{tested}");
}
