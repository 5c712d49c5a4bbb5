//! Test of a concurrent object: code that threads share, held against a specification.
//!
//! [`check`] is a unit test. Of an object that threads share by a reference it takes four things: the specification, how to make the object,
//! the calls, and how to carry one out.
//!
//! ```
//! use std::sync::Mutex;
//! use refmap_histories::check;
//! use refmap_histories::object::Shared;
//! use refmap_histories::specifications::{Operations, Queue, queue::Call};
//!
//! let calls = [Call::Pop, Call::Push(1), Call::Push(2), Call::Push(3)];
//! let queue = Operations(Queue::default());
//! check(Shared::new(queue, Mutex::<Vec<u8>>::default, calls, |queue, call| {
//!     let mut queue = queue.lock().unwrap();
//!     match call {
//!         Call::Push(value) => { queue.push(*value); ().into() }
//!         Call::Pop if queue.is_empty() => None.into(),
//!         Call::Pop => Some(queue.remove(0)).into(),
//!     }
//! }));
//! ```
//!
//! An [`Object`] of your own gives each thread a handle: a producer or a consumer, or a lock with its guard.
//!
//! # Runs
//!
//! - *alone*: one thread, so that a mistake that needs no other thread is told as a short sequence of calls;
//! - *schedules*, with the feature `shuttle`: small programs under schedules of few preemptions (PCT), where the code names its
//!   primitives by `refmap_schedules`. A failure is repeatable, and shown step by step;
//! - *memory*, with the feature `loom`: every execution of tiny programs, with the weak memory of Rust's atomics, as far as Loom has it;
//! - *threads*: real threads that make many calls on one object, since a rare interleaving comes about among many calls and not in
//!   many short runs. What they did is validated call by call, in memory that depends on one run and not on their number.
//!
//! # What a verdict means
//!
//! `violated`: there is a run that the specification does not permit, and it is shown. `holds`: none was among those that were
//! tried, of which the number is told; nothing is claimed of others. `incomplete`: a run said less than it seemed to, as one in which no two
//! calls overlapped, no call changed the object, or a wrong answer that was put into the record was not refused.
//!
//! Source: the shape of a test is that of Koval, Fedorov, Sokolova, Tsitelov & Alistarh, *Lincheck: A Practical Framework for Testing
//! Concurrent Data Structures on JVM*, CAV 2023; schedules are those of Burckhardt, Kothari, Musuvathi & Nagarakatti, *A Randomized
//! Scheduler with Probabilistic Guarantees of Finding Bugs*, ASPLOS 2010.
//!
//! Left out: async objects, and threads that the object makes itself, unless it makes them by `refmap_schedules`.

mod alone;
mod calibration;
mod case;
mod child;
mod choice;
mod crew;
mod effort;
#[cfg(any(feature = "shuttle", feature = "loom"))]
mod executions;
mod fault;
mod finding;
mod judge;
mod kind;
mod lanes;
#[cfg(feature = "loom")]
mod memory;
mod once;
mod overlap;
mod program;
mod record;
mod report;
mod run;
#[cfg(feature = "shuttle")]
mod schedules;
mod shared;
mod slot;
mod specified;
#[cfg(any(feature = "shuttle", feature = "loom"))]
mod stuck;
mod tested;
mod threads;
mod trials;

use std::ops::RangeInclusive;

pub use child::test_in_child;
pub use effort::Effort;
pub use finding::Finding;
pub use kind::Run;
pub use shared::Shared;
pub use specified::Specified;
pub use tested::{Part, Tested};

/// Call of an object.
pub type CallOf<O> = <<O as Object>::Specification as Specified>::Call;
/// Answer of an object.
pub type AnswerOf<O> = <<O as Object>::Specification as Specified>::Answer;

/// Recorded event of an object.
type EventOf<O> = <<O as Object>::Specification as crate::Observed>::Event;

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

    /// Numbers of threads with which the object is tried; 2 to 4 by default.
    fn threads(&self) -> RangeInclusive<u32> {
        2..=4
    }
}

/// Tries an object with the default effort, some two seconds of an optimised build.
///
/// # Panics
///
/// Unless the verdict is `holds`; the message is the [`Tested`] as text.
#[track_caller]
pub fn check<O: Object>(object: O) {
    test(object, &Effort::default()).assert_holds();
}

/// Tries one schedule of an object again: `run` is what [`Finding::repeat`] says.
///
/// # Panics
///
/// If `run` is not of that form.
#[cfg(feature = "shuttle")]
pub fn repeat<O: Object>(object: O, run: &str) -> Tested {
    schedules::repeat(object, run)
}

/// Tries an object, until a run is found that the specification does not permit.
pub fn test<O: Object>(object: O, effort: &Effort) -> Tested {
    trials::test(object, effort, &|_| ())
}
