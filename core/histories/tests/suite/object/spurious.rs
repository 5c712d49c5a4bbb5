//! Bounded queue that refuses a call while another one holds its lock: wrong as a queue, and right as one in which calls may be refused.

use std::collections::VecDeque;

use refmap_histories::Object;
use refmap_histories::object::{Effort, Run, Shared, Specified, test};
use refmap_histories::specifications::bounded::Call;
use refmap_histories::specifications::{Answer, Bounded, MayRefuse, Operations};
use refmap_schedules::sync::Mutex;

use super::{assert_sound, found};

const CAPACITY: usize = 2;

/// Answer of a call that finds the lock held.
fn refusal(call: &Call<u8>) -> Option<Answer<u8>> {
    Some(match call {
        Call::Push(_) => false.into(),
        Call::Pop => None.into(),
    })
}

fn object<S>(specification: S) -> impl Object
where
    S: Specified<Call = Call<u8>, Answer = Answer<u8>> + Clone,
{
    let calls = [Call::Pop, Call::Push(1), Call::Push(2)];
    let make = Mutex::<VecDeque<u8>>::default;
    let object = Shared::new(specification, make, calls, |queue, call| {
        let Ok(mut values) = queue.try_lock() else {
            return refusal(call).expect("each call has one");
        };
        match call {
            Call::Push(_) if values.len() == CAPACITY => false.into(),
            Call::Push(value) => {
                values.push_back(*value);
                true.into()
            }
            Call::Pop => values.pop_front().into(),
        }
    });
    object.with_schedules()
}

#[test]
fn a_call_that_is_refused_without_a_reason_is_found() {
    let queue = Operations(Bounded::new(CAPACITY));
    let tested = test(object(queue), &Effort::default());
    found(&tested, Run::Schedules, &["here, and not"]);
}

#[test]
fn a_queue_in_which_calls_may_be_refused_is_sound() {
    let queue = MayRefuse {
        object: Bounded::new(CAPACITY),
        refusal,
    };
    assert_sound(object(Operations(queue)));
}
