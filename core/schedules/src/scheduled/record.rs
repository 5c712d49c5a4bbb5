//! The record of the execution that runs on this thread: what its threads do to primitives.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::Location;

use crate::explore::{Traced, panic_text};

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
    /// Panic that no catch within the tested program stopped.
    panic: RefCell<Option<String>>,
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
    pub(crate) panic: Option<String>,
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

/// Ends it. What is done while an abandoned execution is torn down is not recorded.
pub(crate) fn end(is_deadlock: bool) -> Recorded {
    RECORD.with(|record| {
        record.is_traced.set(false);
        let mut trace = record.trace.take();
        if is_deadlock {
            trace.extend(record.blocked.take().into_iter().flatten());
        }
        Recorded {
            steps: record.steps.get(),
            sequentially_consistent: record.sequentially_consistent.get(),
            trace,
            panic: record.panic.take(),
            live: record.live.get(),
        }
    })
}

/// Number of the calling thread.
pub(crate) fn thread() -> u32 {
    #[cfg(feature = "loom")]
    if current() == Scheduler::Loom {
        // Destructors of other thread-local values may come too late to ask.
        return LOOM_THREAD.try_with(Cell::get).unwrap_or(0);
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
    let panic = panic.map(|payload| panic_text(&**payload));
    RECORD.with(|record| {
        record.live.set(record.live.get() - 1);
        let mut first = record.panic.borrow_mut();
        if first.is_none() {
            *first = panic;
        }
    });
}

/// Whether a thread has ended by a panic.
pub(crate) fn has_panicked() -> bool {
    RECORD.with(|record| record.panic.borrow().is_some())
}

/// Whether the execution is traced.
pub(crate) fn is_traced() -> bool {
    RECORD.with(|record| record.is_traced.get())
}

/// The calling thread has taken a step on a primitive.
#[inline]
#[track_caller]
pub(crate) fn step(text: impl FnOnce() -> String) {
    step_at(Some(Location::caller()), text);
}

/// A step with a given place.
pub(crate) fn step_at(place: Option<&'static Location<'static>>, text: impl FnOnce() -> String) {
    let thread = thread();
    // A destructor of another thread-local value may come too late to be recorded.
    let _ = RECORD.try_with(|record| {
        if thread != 0 {
            record.steps.set(record.steps.get() + 1);
        }
        if record.is_traced.get() {
            let text = text();
            record.trace.borrow_mut().push(Traced {
                thread,
                place,
                text,
            });
        }
    });
}

/// A line of the tested program.
pub(crate) fn line(text: impl FnOnce() -> String) {
    if is_traced() {
        let (thread, place, text) = (thread(), None, text());
        let line = Traced {
            thread,
            place,
            text,
        };
        RECORD.with(|record| record.trace.borrow_mut().push(line));
    }
}

/// A step that may block for ever.
#[inline]
#[track_caller]
pub(crate) fn blocking<R>(text: &'static str, operation: impl FnOnce() -> R) -> R {
    let place = Location::caller();
    if is_traced() {
        set_blocked(Some((place, text)));
    }
    let result = operation();
    if is_traced() {
        set_blocked(None);
    }
    step_at(Some(place), || text.into());
    result
}

/// A wait, which is a step when it begins and one when it ends.
#[inline]
#[track_caller]
pub(crate) fn waiting<R>(text: &'static str, wait: impl FnOnce() -> R) -> R {
    let place = Location::caller();
    step_at(Some(place), || text.into());
    if is_traced() {
        set_blocked(Some((place, text)));
    }
    let result = wait();
    if is_traced() {
        set_blocked(None);
    }
    step_at(Some(place), || format!("{text}: woken"));
    result
}

/// Notes the operation that the calling thread may be blocked in.
fn set_blocked(operation: Option<(&'static Location<'static>, &'static str)>) {
    let thread = thread();
    let blocked = operation.map(|(place, text)| Traced {
        thread,
        place: Some(place),
        text: format!("{text}: blocked"),
    });
    RECORD.with(|record| {
        let mut all = record.blocked.borrow_mut();
        let number = thread as usize;
        if all.len() <= number {
            all.resize_with(number + 1, || None);
        }
        all[number] = blocked;
    });
}

/// An access that is sequentially consistent.
pub(crate) fn sequentially_consistent() {
    let _ = RECORD.try_with(|record| record.sequentially_consistent.set(true));
}
