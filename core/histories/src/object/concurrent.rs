//! Concurrent object under test.

use std::ops::RangeInclusive;

use super::specified::Specified;

/// Call of an object.
pub type CallOf<O> = <<O as Object>::Specification as Specified>::Call;
/// Answer of an object.
pub type AnswerOf<O> = <<O as Object>::Specification as Specified>::Answer;

/// Recorded event of an object.
pub(super) type EventOf<O> = <<O as Object>::Specification as crate::Observed>::Event;

/// Concurrent object under test, with the specification that it is held against.
pub trait Object: Send + Sync + 'static {
    /// Adapter of the specification, such as [`Operations`](crate::specifications::Operations) of a ready one.
    type Specification: Specified;
    /// The object that threads share.
    type Shared: Send + Sync + 'static;
    /// Access of one thread to the object: a reference to it, a producer or a consumer, a lock with its guard.
    type Handle<'a>;

    /// The specification, of the state in which [`make`](Self::make) leaves the object.
    fn specification(&self) -> Self::Specification;

    /// Makes an object.
    fn make(&self) -> Self::Shared;

    /// Access of thread `thread` to the object; threads are numbered from 0. Called once a thread, by that thread.
    fn handle<'a>(&self, shared: &'a Self::Shared, thread: u32) -> Self::Handle<'a>;

    /// Visits the calls that the thread of `handle` may make now. Each of their rules is as likely as the next, and then each call of it. If it
    /// visits none, the thread makes no more.
    fn calls(&self, handle: &Self::Handle<'_>, visit: &mut impl FnMut(CallOf<Self>));

    /// Carries out a call.
    fn call(&self, handle: &mut Self::Handle<'_>, call: &CallOf<Self>) -> AnswerOf<Self>;

    /// A call that the thread has to make before it stops, such as the release of a lock that it holds; asked again after it. None by default.
    fn last(&self, _handle: &Self::Handle<'_>) -> Option<CallOf<Self>> {
        None
    }

    /// True if the code under test names its primitives by `refmap_schedules`, so that it can be tried under schedules (feature
    /// `shuttle`) and under Loom (feature `loom`). False by default.
    fn has_schedules(&self) -> bool {
        false
    }

    /// True if each thread may make every call at any time, and no call depends on which thread makes it, as of [`Shared`](super::Shared). False by
    /// default, which has more programs tried than need be.
    fn is_alike(&self) -> bool {
        false
    }

    /// Numbers of threads with which the object is tried; 2 to 4 by default.
    fn threads(&self) -> RangeInclusive<u32> {
        2..=4
    }
}
