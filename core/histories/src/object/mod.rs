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
//! - *schedules*, with the feature `shuttle`: small programs of up to four threads under schedules of few preemptions (PCT), where the code
//!   names its primitives by `refmap_schedules`. A failure is repeatable, and shown step by step;
//! - *memory*, with the feature `loom`: every execution of tiny programs, with the weak memory of Rust's atomics, as far as Loom has it: of all
//!   programs of two and three calls, those first that are not equal up to names, and then of random ones;
//! - *threads*: real threads that make many calls on one object, since a rare interleaving comes about among many calls and not in
//!   many short runs. What they did is validated call by call, in memory that depends on one run and not on their number.
//!
//! # What a verdict means
//!
//! `violated`: there is a run that the specification does not permit, and it is shown. `holds`: none was among those that were
//! tried, of which the number is told, and how many calls were under way at once at most; nothing is claimed of others. `incomplete`: a run said less than it seemed to, as one in which no two
//! calls overlapped, no call changed the object, or a wrong answer that was put into the record was not refused.
//!
//! Under a scheduler a loop that only waits, as that of a spin lock, lets others run though it does not yield. If all threads only wait, and the
//! specification permits one to go on, the verdict is `incomplete`, with their places. A loop that writes in each round, and waits all the same, is
//! to yield (`hint::spin_loop` or `thread::yield_now` of `refmap_schedules`): its executions are given up as too long, which is told.
//! In *memory* a loop that gives up after many rounds, and was not seen to, counts as one that waits, and what follows then is left out: the README of
//! `refmap_schedules` says after how many.
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
mod concurrent;
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
#[cfg(any(feature = "shuttle", feature = "loom"))]
#[cfg_attr(
    not(feature = "loom"),
    expect(dead_code, reason = "Loom has all tiny programs")
)]
mod tiny;
mod trials;

use std::sync::atomic::{AtomicBool, Ordering};

pub use child::test_in_child;
pub use concurrent::{AnswerOf, CallOf, Object};
pub use effort::Effort;
pub use finding::Finding;
pub use kind::Run;
pub use shared::Shared;
pub use specified::Specified;
pub use tested::{Part, Tested};

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
    test_until(object, effort, &AtomicBool::new(false))
}

/// The same until `cancel` is set, between two runs: then the test is incomplete.
pub fn test_until<O: Object>(object: O, effort: &Effort, cancel: &AtomicBool) -> Tested {
    trials::test(object, effort, &|_| !cancel.load(Ordering::Relaxed))
}
