//! Queue on which two pushes are under way while a third thread pushes by the hundred: each may have any place among those.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf, Effort, Run, Tested, test};
use refmap_histories::specifications::queue::{Call, Order};
use refmap_histories::specifications::{Operations, Queue};

use super::{NEVER_POISONED, assert_vacuous};

struct Crowded {
    order: Order,
    /// Number of values that the third thread pushes.
    many: usize,
}

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
    /// Number of values that the thread has pushed, and of those that the third thread pushes.
    pushed: usize,
    many: usize,
}

impl Handle<'_> {
    fn is_slow(&self) -> bool {
        self.thread < 2
    }

    fn has_pushed(&self) -> bool {
        self.pushed == if self.is_slow() { 1 } else { self.many }
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
        Operations(Queue {
            order: self.order,
            ..Queue::default()
        })
    }

    fn make(&self) -> Shared {
        Shared::default()
    }

    fn handle<'a>(&self, queue: &'a Shared, thread: u32) -> Handle<'a> {
        Handle {
            queue,
            thread,
            pushed: 0,
            many: self.many,
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
            let mut values = handle.queue.values();
            return match self.order {
                Order::Fifo => values.pop_front().into(),
                Order::Lifo => values.pop_back().into(),
            };
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

fn crowded(order: Order, many: usize) -> Tested {
    let effort = Effort {
        alone: 0,
        runs: 1,
        calls: 2 * many as u32,
        patience: Duration::from_secs(1),
        ..Effort::default()
    };
    test(Crowded { order, many }, &effort)
}

/// What is popped tells the order of the pushes.
#[test]
fn a_run_with_many_orders_is_decided() {
    let tested = crowded(Order::Fifo, 100);
    let threads = tested.parts.iter().find(|part| part.run == Run::Threads);
    assert_eq!(threads.expect("it is tried").undecided, 0, "{tested}");
    assert!(tested.finding().is_none(), "{tested}");
}

/// A stack says of no state that it is hopeless.
#[test]
fn a_run_with_too_many_orders_is_given_up() {
    let tested = crowded(Order::Lifo, 500);
    assert_vacuous(&tested, Run::Threads, "1 run not decided within the limits");
}
