//! The record of the execution that runs on this thread: what its threads do to primitives.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::Location;
#[cfg(feature = "loom")]
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::explore::{Ended, Traced, ended_by};
#[cfg(feature = "loom")]
use crate::explore::{is_loom_deadlock, under_loom};

#[cfg(feature = "loom")]
use super::scheduler::{Scheduler, current};

/// The record of one execution.
#[derive(Default)]
struct Record {
    is_traced: Cell<bool>,
    /// Number of the thread that runs, by Shuttle.
    thread: Cell<u32>,
    /// Number of threads started so far.
    threads: Cell<u32>,
    /// Number of threads that have not ended.
    live: Cell<u32>,
    steps: Cell<u64>,
    sequentially_consistent: Cell<bool>,
    trace: RefCell<Vec<Traced>>,
    /// By thread, the operation that it may be blocked in.
    blocked: RefCell<Vec<Option<Traced>>>,
    /// End by the first panic that a thread did not catch.
    panic: RefCell<Option<Ended>>,
}

impl Record {
    #[cold]
    fn trace(&self, thread: u32, place: Option<&'static Location<'static>>, text: String) {
        if let Some(blocked) = self.blocked.borrow_mut().get_mut(thread as usize) {
            *blocked = None;
        }
        let traced = Traced {
            thread,
            place,
            text,
        };
        self.trace.borrow_mut().push(traced);
    }
}

thread_local! {
    static RECORD: Record = Record::default();
}

#[cfg(feature = "loom")]
loom::thread_local! {
    static LOOM_THREAD: Cell<u32> = Cell::new(0);
}

/// Result of an execution's record.
pub(crate) struct Recorded {
    pub(crate) steps: u64,
    pub(crate) sequentially_consistent: bool,
    pub(crate) trace: Vec<Traced>,
    /// Operations that threads are blocked in.
    pub(crate) blocked: Vec<Traced>,
    /// The end by a panic, if a thread has panicked.
    pub(crate) panic: Option<Ended>,
    /// Number of threads that have not ended.
    pub(crate) live: u32,
}

/// Begins the record of an execution, whose body is thread 0.
pub(crate) fn begin(is_traced: bool) {
    RECORD.with(|record| {
        record.is_traced.set(is_traced);
        record.thread.set(0);
        record.threads.set(1);
        record.live.set(1);
        record.steps.set(0);
        record.sequentially_consistent.set(false);
        record.trace.take();
        record.blocked.take();
        record.panic.take();
    });
}

/// Ends the record. What is done later, while an execution is torn down, is not in it.
pub(crate) fn end() -> Recorded {
    RECORD.with(|record| {
        record.is_traced.set(false);
        Recorded {
            steps: record.steps.get(),
            sequentially_consistent: record.sequentially_consistent.get(),
            trace: record.trace.take(),
            blocked: record.blocked.take().into_iter().flatten().collect(),
            panic: record.panic.take(),
            live: record.live.get(),
        }
    })
}

/// Number of the calling thread.
pub(crate) fn thread() -> u32 {
    // While a panic unwinds Loom may not answer; the thread is the one that took the last step.
    #[cfg(feature = "loom")]
    if current() == Scheduler::Loom && !std::thread::panicking() {
        // Destructors of other thread-local values may come too late to ask.
        let thread = LOOM_THREAD.try_with(Cell::get).unwrap_or(0);
        RECORD.with(|record| record.thread.set(thread));
        return thread;
    }
    RECORD.with(|record| record.thread.get())
}

/// Shuttle runs `thread` next.
#[cfg(feature = "shuttle")]
pub(crate) fn runs(thread: u32) {
    RECORD.with(|record| record.thread.set(thread));
}

/// Number of the thread that is spawned now.
pub(crate) fn spawned() -> u32 {
    RECORD.with(|record| {
        record.live.set(record.live.get() + 1);
        record.threads.replace(record.threads.get() + 1)
    })
}

/// The calling thread is `thread`.
pub(crate) fn started(thread: u32) {
    #[cfg(feature = "loom")]
    if current() == Scheduler::Loom {
        let _ = LOOM_THREAD.try_with(|number| number.set(thread));
    }
    let _ = thread;
}

/// The calling thread ends, by `panic` if there is one.
pub(crate) fn ended(panic: Option<&Box<dyn Any + Send>>) {
    let panic = panic.map(|payload| ended_by(&**payload));
    RECORD.with(|record| {
        record.live.set(record.live.get() - 1);
        let mut first = record.panic.borrow_mut();
        if first.is_none() {
            *first = panic;
        }
    });
}

/// True if a thread has ended by a panic.
#[cfg(feature = "shuttle")]
pub(crate) fn has_panicked() -> bool {
    RECORD.with(|record| record.panic.borrow().is_some())
}

/// True if the execution is traced.
pub(crate) fn is_traced() -> bool {
    RECORD.with(|record| record.is_traced.get())
}

/// The calling thread has taken a step on a primitive.
#[inline]
#[track_caller]
pub(crate) fn step(text: impl FnOnce() -> String) {
    step_at(Some(Location::caller()), text);
}

/// A step at a given place.
#[inline]
pub(crate) fn step_at(place: Option<&'static Location<'static>>, text: impl FnOnce() -> String) {
    let thread = thread();
    // A destructor of another thread-local value may come too late to be recorded.
    let _ = RECORD.try_with(|record| {
        if thread != 0 {
            record.steps.set(record.steps.get() + 1);
        }
        if record.is_traced.get() {
            record.trace(thread, place, text());
        }
    });
}

/// A line of the tested program.
pub(crate) fn line(text: impl FnOnce() -> String) {
    if is_traced() {
        let (thread, text) = (thread(), text());
        RECORD.with(|record| record.trace(thread, None, text));
    }
}

/// A step that may block for ever.
#[inline]
#[track_caller]
pub(crate) fn blocking<R>(text: impl Fn() -> String, operation: impl FnOnce() -> R) -> R {
    let place = Location::caller();
    if is_traced() {
        set_blocked(place, text());
    }
    let result = unblocked(operation);
    step_at(Some(place), text);
    result
}

/// Runs an operation at which there may be a deadlock.
fn unblocked<R>(operation: impl FnOnce() -> R) -> R {
    #[cfg(feature = "loom")]
    if current() == Scheduler::Loom {
        let result = catch_unwind(AssertUnwindSafe(operation));
        return result.unwrap_or_else(|payload| {
            if is_loom_deadlock(&*payload) {
                under_loom::leave_behind();
            }
            resume_unwind(payload)
        });
    }
    operation()
}

/// A wait, which is a step when it begins and one when it ends.
#[inline]
#[track_caller]
pub(crate) fn waiting<R>(text: &'static str, wait: impl FnOnce() -> R) -> R {
    let place = Location::caller();
    step_at(Some(place), || text.into());
    if is_traced() {
        set_blocked(place, text.into());
    }
    let result = unblocked(wait);
    step_at(Some(place), || format!("{text}: woken"));
    result
}

/// The operation that the calling thread is blocked in, if it takes no further step.
#[cold]
fn set_blocked(place: &'static Location<'static>, operation: String) {
    let thread = thread();
    let blocked = Traced {
        thread,
        place: Some(place),
        text: format!("{operation}: blocked"),
    };
    RECORD.with(|record| {
        let mut all = record.blocked.borrow_mut();
        let number = thread as usize;
        if all.len() <= number {
            all.resize_with(number + 1, || None);
        }
        all[number] = Some(blocked);
    });
}

/// An access that is sequentially consistent.
pub(crate) fn sequentially_consistent() {
    let _ = RECORD.try_with(|record| record.sequentially_consistent.set(true));
}
