//! Published concurrent queues as objects, each to be held against any specification of its calls.

mod few;

use std::ops::RangeInclusive;

use refmap_histories::Object;
use refmap_histories::object::{Shared, Specified};
use refmap_histories::specifications::{Answer, bounded, queue};

use few::Few;

/// Number of values for which there is room in a bounded queue: few, so that it is often full and often empty.
pub const CAPACITY: usize = 4;
/// The same of the ring of `atomicring`, which keeps one more slot than it has room: a slot comes again after two pushes.
pub const RING_CAPACITY: usize = 1;
/// Values that are pushed: few, so that a thread takes little time to choose.
const VALUES: RangeInclusive<u8> = 0..=7;
/// Numbers of threads on a queue without a known fault, those of the default.
const SOME: RangeInclusive<u32> = 2..=4;
/// Numbers of threads on a queue with a fault: where they are more than the processors, some are interrupted within a call.
const MANY: RangeInclusive<u32> = 4..=6;

/// Specification of a bounded queue of small numbers.
pub trait OfBounded: Specified<Call = bounded::Call<u8>, Answer = Answer<u8>> + Clone {}
impl<S: Specified<Call = bounded::Call<u8>, Answer = Answer<u8>> + Clone> OfBounded for S {}

/// Specification of a queue of small numbers without a bound.
pub trait OfQueue: Specified<Call = queue::Call<u8>, Answer = Answer<u8>> + Clone {}
impl<S: Specified<Call = queue::Call<u8>, Answer = Answer<u8>> + Clone> OfQueue for S {}

/// Object of a bounded queue, by what makes it, pushes and pops.
fn bounded<Q: Send + Sync + 'static>(
    specification: impl OfBounded,
    threads: RangeInclusive<u32>,
    make: fn() -> Q,
    push: fn(&Q, u8) -> bool,
    pop: fn(&Q) -> Option<u8>,
) -> impl Object {
    use bounded::Call::{Pop, Push};
    let calls = VALUES.map(Push).chain([Pop]);
    let object = Shared::new(specification, make, calls, move |queue, call| match call {
        Push(value) => push(queue, *value).into(),
        Pop => pop(queue).into(),
    });
    object.with_threads(threads)
}

/// Object of a queue without a bound, by what makes it, pushes and pops.
fn unbounded<Q: Send + Sync + 'static>(
    specification: impl OfQueue,
    make: fn() -> Q,
    push: fn(&Q, u8),
    pop: fn(&Q) -> Option<u8>,
) -> impl Object {
    use queue::Call::{Pop, Push};
    let calls = VALUES.map(Push).chain([Pop]);
    let object = Shared::new(specification, make, calls, move |queue, call| match call {
        Push(value) => {
            push(queue, *value);
            ().into()
        }
        Pop => pop(queue).into(),
    });
    object.with_threads(SOME)
}

/// The ring of `atomicring`.
pub fn atomicring(specification: impl OfBounded) -> impl Object {
    let make = || atomicring::AtomicRingBuffer::with_capacity(RING_CAPACITY + 1);
    bounded(
        specification,
        MANY,
        make,
        |ring, value| ring.try_push(value).is_ok(),
        |ring| ring.try_pop(),
    )
}

/// The queue of `mpmc`.
pub fn mpmc(specification: impl OfBounded) -> impl Object {
    let make = || mpmc::Queue::with_capacity(CAPACITY);
    bounded(
        specification,
        MANY,
        make,
        |queue, value| queue.push(value).is_ok(),
        |queue| queue.pop(),
    )
}

/// The queue of `lockfree`.
pub fn lockfree(specification: impl OfQueue) -> impl Object {
    Few {
        specification,
        make: lockfree::queue::Queue::new,
        push: |queue, value| queue.push(value),
        pop: |queue| queue.pop(),
    }
}

/// The bounded queue of `crossbeam-queue`.
pub fn array_queue(specification: impl OfBounded) -> impl Object {
    let make = || crossbeam_queue::ArrayQueue::new(CAPACITY);
    bounded(
        specification,
        SOME,
        make,
        |queue, value| queue.push(value).is_ok(),
        |queue| queue.pop(),
    )
}

/// The queue without a bound of `crossbeam-queue`.
pub fn seg_queue(specification: impl OfQueue) -> impl Object {
    let make = crossbeam_queue::SegQueue::new;
    unbounded(
        specification,
        make,
        |queue, value| queue.push(value),
        |queue| queue.pop(),
    )
}

/// The bounded queue of `concurrent-queue`.
pub fn concurrent_bounded(specification: impl OfBounded) -> impl Object {
    let make = || concurrent_queue::ConcurrentQueue::bounded(CAPACITY);
    bounded(
        specification,
        SOME,
        make,
        |queue, value| queue.push(value).is_ok(),
        |queue| queue.pop().ok(),
    )
}

/// The queue without a bound of `concurrent-queue`.
pub fn concurrent_unbounded(specification: impl OfQueue) -> impl Object {
    let make = concurrent_queue::ConcurrentQueue::unbounded;
    unbounded(
        specification,
        make,
        |queue, value| assert!(queue.push(value).is_ok(), "nobody closes it"),
        |queue| queue.pop().ok(),
    )
}
