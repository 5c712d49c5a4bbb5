//! Queue under a lock.

use std::collections::VecDeque;

use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf};
use refmap_histories::specifications::queue::Call;
use refmap_histories::specifications::{Operations, Queue};
use refmap_schedules::sync::Mutex;

use super::{NEVER_POISONED, assert_scheduled, assert_sound};

/// Greatest number by which a thread's pushes outnumber its pops.
const MOST_PUSHED: i32 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The lock is released between the look at a value and its removal, so that two pops answer one value.
    DoublePop,
}

#[derive(Clone, Copy)]
pub struct Fifo {
    pub fault: Fault,
}

type Shared = Mutex<VecDeque<u8>>;

pub struct Handle<'a> {
    queue: &'a Shared,
    /// The next value that the thread pushes.
    next: u8,
    /// Number of its pushes without that of its pops.
    pushed: i32,
}

impl Fifo {
    fn pop(self, queue: &Shared) -> Option<u8> {
        let mut values = queue.lock().expect(NEVER_POISONED);
        let value = values.front().copied();
        if self.fault == Fault::DoublePop {
            drop(values);
            values = queue.lock().expect(NEVER_POISONED);
        }
        values.pop_front();
        value
    }
}

impl Object for Fifo {
    type Specification = Operations<Queue<u8>>;
    type Shared = Shared;
    type Handle<'a> = Handle<'a>;

    fn specification(&self) -> Self::Specification {
        Operations(Queue::default())
    }

    fn make(&self) -> Shared {
        Mutex::default()
    }

    fn handle<'a>(&self, queue: &'a Shared, thread: u32) -> Handle<'a> {
        Handle {
            queue,
            next: thread as u8 * 64,
            pushed: 0,
        }
    }

    fn calls(&self, handle: &Handle<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        visit(Call::Pop);
        if handle.pushed < MOST_PUSHED {
            visit(Call::Push(handle.next));
        }
    }

    fn call(&self, handle: &mut Handle<'_>, call: &CallOf<Self>) -> AnswerOf<Self> {
        match call {
            Call::Push(value) => {
                let values = &mut handle.queue.lock().expect(NEVER_POISONED);
                values.push_back(*value);
                handle.next = handle.next.wrapping_add(1);
                handle.pushed += 1;
                ().into()
            }
            Call::Pop => {
                let value = self.pop(handle.queue);
                handle.pushed -= i32::from(value.is_some());
                value.into()
            }
        }
    }

    fn has_schedules(&self) -> bool {
        true
    }
}

#[test]
fn a_value_that_is_popped_twice_is_found() {
    let fault = Fault::DoublePop;
    assert_scheduled(Fifo { fault }, "fifo.rs", &["pop →"]);
}

#[test]
fn a_queue_under_a_lock_is_sound() {
    assert_sound(Fifo { fault: Fault::None });
}
