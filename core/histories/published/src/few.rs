//! Queue on which each thread has few values.

use std::ops::RangeInclusive;

use refmap_histories::Object;
use refmap_histories::object::{AnswerOf, CallOf};
use refmap_histories::specifications::queue::Call;

use super::{MANY, OfQueue, VALUES};

/// Greatest number by which a thread's pushes outnumber the values that it has popped.
const MOST: u32 = 2;

/// Object of a queue without a bound on which each thread has few values.
///
/// A push that is interrupted before its value can be reached hides those of later pushes. Without a bound others go on to push by the
/// thousand, and an order is looked for in which the interrupted push has any place among them.
pub struct Few<S, Q> {
    pub specification: S,
    pub make: fn() -> Q,
    pub push: fn(&Q, u8),
    pub pop: fn(&Q) -> Option<u8>,
}

/// Access of a thread, and how many values it has on the queue.
pub struct Handle<'a, Q> {
    queue: &'a Q,
    values: u32,
}

impl<S: OfQueue + Sync, Q: Send + Sync + 'static> Object for Few<S, Q> {
    type Specification = S;
    type Shared = Q;
    type Handle<'a> = Handle<'a, Q>;

    fn specification(&self) -> S {
        self.specification.clone()
    }

    fn make(&self) -> Q {
        (self.make)()
    }

    fn handle<'a>(&self, queue: &'a Q, _: u32) -> Handle<'a, Q> {
        Handle { queue, values: 0 }
    }

    fn calls(&self, handle: &Handle<'_, Q>, visit: &mut impl FnMut(CallOf<Self>)) {
        visit(Call::Pop);
        if handle.values < MOST {
            VALUES.map(Call::Push).for_each(visit);
        }
    }

    fn call(&self, handle: &mut Handle<'_, Q>, call: &CallOf<Self>) -> AnswerOf<Self> {
        match call {
            Call::Push(value) => {
                (self.push)(handle.queue, *value);
                handle.values += 1;
                ().into()
            }
            Call::Pop => {
                let value = (self.pop)(handle.queue);
                // It may be of another thread.
                handle.values = handle.values.saturating_sub(u32::from(value.is_some()));
                value.into()
            }
        }
    }

    fn threads(&self) -> RangeInclusive<u32> {
        MANY
    }
}
