//! The record of the execution that runs on this thread: what its threads do to primitives.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::Location;
#[cfg(feature = "loom")]
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::ended::Ended;
#[cfg(feature = "loom")]
use super::ended::Waiting;
use super::panics::ended_by;
#[cfg(feature = "loom")]
use super::panics::is_loom_deadlock;
#[cfg(feature = "loom")]
use super::scheduler::{Scheduler, current};
use super::waits::{Read, Waits};

/// Number of rounds of loops in which nothing new is read, for each thread that has not ended, after which all that can run only wait: more
/// than those after which each lets others run, and so many that one that works is hardly passed over at random.
const FRUITLESS: u32 = 100;

/// A step of an execution, or a line of the tested program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Traced {
    /// Number of the thread, in the order in which they were spawned; 0 is the body.
    pub thread: u32,
    /// Place in the tested source. The release of a lock has none, and no line of a [`note`](crate::explore::note) has one.
    pub place: Option<&'static Location<'static>>,
    /// The step.
    pub text: String,
}

/// The record of one execution.
#[derive(Default)]
struct Record {
    is_traced: Cell<bool>,
    /// Number of rounds after which a thread under Loom that only waits lets others run.
    patience: Cell<u32>,
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
    /// By thread, what it reads again.
    waits: RefCell<Vec<Waits>>,
    /// By thread that has not ended, the place of its last step.
    last: RefCell<Vec<Option<&'static Location<'static>>>>,
    /// Number of rounds of loops that have read nothing new, since a thread last got somewhere.
    fruitless: Cell<u32>,
    /// Number of times that the loop of the thread that took the last step has gone round.
    again: Cell<u32>,
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

    /// Changes the reads of a thread.
    fn of_thread<R>(&self, thread: u32, change: impl FnOnce(&mut Waits) -> R) -> R {
        let mut all = self.waits.borrow_mut();
        let number = thread as usize;
        if all.len() <= number {
            all.resize_with(number + 1, Waits::default);
        }
        change(&mut all[number])
    }

    /// A thread reads; the number of times that its loop has gone round.
    fn reads(&self, thread: u32, read: Read, value: u64) -> u32 {
        self.is_at(thread, Some(read.0));
        let of_loop = |waits: &mut Waits| (waits.rounds, waits.read(read, value));
        let (before, again) = self.of_thread(thread, of_loop);
        self.again.set(again);
        match again {
            0 => self.fruitless.set(0),
            // A round of several reads counts once.
            _ if again > before => self.fruitless.set(self.fruitless.get() + 1),
            _ => (),
        }
        again
    }

    /// A thread gets somewhere, or ends.
    fn works(&self, thread: u32, place: Option<&'static Location<'static>>) {
        self.is_at(thread, place);
        self.of_thread(thread, Waits::works);
        self.again.set(0);
        self.fruitless.set(0);
    }

    fn is_at(&self, thread: u32, place: Option<&'static Location<'static>>) {
        let mut all = self.last.borrow_mut();
        let number = thread as usize;
        if all.len() <= number {
            all.resize(number + 1, None);
        }
        all[number] = place;
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
    /// Threads that have not ended, each with the place of its last step.
    pub(crate) last: Vec<(u32, &'static Location<'static>)>,
    /// True if a thread has let others run, since its loop only waits.
    #[cfg(feature = "loom")]
    pub(crate) has_waited: bool,
    /// Greatest number of rounds of a loop that reads the same and ended by itself.
    #[cfg(feature = "loom")]
    pub(crate) counted: u32,
}

/// Begins the record of an execution, whose body is thread 0. A thread under Loom that has gone round in a loop as often as `patience` says lets
/// others run.
pub(crate) fn begin(is_traced: bool, patience: u32) {
    RECORD.with(|record| {
        record.is_traced.set(is_traced);
        record.patience.set(patience);
        record.thread.set(0);
        record.threads.set(1);
        record.live.set(1);
        record.steps.set(0);
        record.sequentially_consistent.set(false);
        record.trace.take();
        record.blocked.take();
        record.panic.take();
        record.waits.take();
        record.last.take();
        record.fruitless.set(0);
        record.again.set(0);
    });
}

/// Ends the record. What is done later, while an execution is torn down, is not in it.
pub(crate) fn end() -> Recorded {
    RECORD.with(|record| {
        record.is_traced.set(false);
        #[cfg(feature = "loom")]
        let waits = record.waits.take();
        Recorded {
            steps: record.steps.get(),
            sequentially_consistent: record.sequentially_consistent.get(),
            trace: record.trace.take(),
            blocked: record.blocked.take().into_iter().flatten().collect(),
            panic: record.panic.take(),
            live: record.live.get(),
            last: (0..)
                .zip(record.last.take())
                .filter_map(|(thread, place)| Some((thread, place?)))
                .collect(),
            #[cfg(feature = "loom")]
            has_waited: waits.iter().any(|waits| waits.has_waited),
            #[cfg(feature = "loom")]
            counted: waits.iter().map(|waits| waits.counted).max().unwrap_or(0),
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
    let thread = thread();
    RECORD.with(|record| {
        if panic.is_none() {
            record.works(thread, None);
        }
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

/// True if no thread gets anywhere: those that can run have read again what they had read, and nothing else.
pub(crate) fn only_waits() -> bool {
    RECORD.with(|record| {
        // A thread that is alone may go on for as long as one beside another.
        let threads = record.live.get().max(2);
        record.fruitless.get() >= FRUITLESS.saturating_mul(threads)
    })
}

/// Number of times that the loop of the thread that took the last step has gone round without reading anything new.
#[cfg(feature = "shuttle")]
pub(crate) fn again() -> u32 {
    RECORD.with(|record| record.again.get())
}

/// True if the execution is traced.
pub(crate) fn is_traced() -> bool {
    RECORD.with(|record| record.is_traced.get())
}

/// The calling thread has taken a step on a primitive, by which it gets somewhere.
#[inline]
#[track_caller]
pub(crate) fn step(text: impl FnOnce() -> String) {
    step_at(Some(Location::caller()), text);
}

/// A step at a given place.
#[inline]
pub(crate) fn step_at(place: Option<&'static Location<'static>>, text: impl FnOnce() -> String) {
    let thread = thread();
    take(thread, place, text);
    // A destructor of another thread-local value may come too late to be recorded.
    let _ = RECORD.try_with(|record| record.works(thread, place));
}

/// A step that says nothing of whether the thread gets anywhere.
#[inline]
#[track_caller]
pub(crate) fn idle(text: impl FnOnce() -> String) {
    take(thread(), Some(Location::caller()), text);
}

/// The thread yields by itself.
#[track_caller]
pub(crate) fn yields(text: &'static str) {
    let thread = thread();
    take(thread, Some(Location::caller()), || text.into());
    let _ = RECORD.try_with(|record| record.of_thread(thread, Waits::yields));
}

/// A step on what is at an address: the value that it has read, if it has, and whether it has written another one.
///
/// Under Loom the thread lets others run if it has read the same there again and again: Loom does not have them run by itself.
#[inline]
#[track_caller]
pub(crate) fn access(
    address: usize,
    value: Option<u64>,
    has_written: bool,
    text: impl FnOnce() -> String,
) {
    let (thread, place) = (thread(), Location::caller());
    take(thread, Some(place), text);
    let read = (place, address);
    // A destructor of another thread-local value may come too late to be recorded.
    let again = RECORD.try_with(|record| {
        let again = value.map_or(0, |value| record.reads(thread, read, value));
        if has_written {
            record.works(thread, Some(place));
            return 0;
        }
        again
    });
    #[cfg(feature = "loom")]
    if current() == Scheduler::Loom
        && let Ok(again @ 1..) = again
    {
        wait(thread, read, again);
    }
    #[cfg(not(feature = "loom"))]
    let _ = again;
}

/// Lets others run under Loom, or ends the execution if all only wait, after a read that was made so many times `again`.
#[cfg(feature = "loom")]
#[cold]
fn wait(thread: u32, read: Read, again: u32) {
    if std::thread::panicking() {
        return;
    }
    if only_waits() {
        resume_unwind(Box::new(Waiting));
    }
    let lets_run = RECORD.with(|record| {
        let patience = record.patience.get();
        record.of_thread(thread, |waits| waits.lets_run(read, again, patience))
    });
    if lets_run {
        loom::thread::yield_now();
    }
}

/// Counts a step, and adds it to the trace.
#[inline]
fn take(thread: u32, place: Option<&'static Location<'static>>, text: impl FnOnce() -> String) {
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
    let thread = thread();
    RECORD.with(|record| record.works(thread, None));
    if is_traced() {
        let text = text();
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
                leave_behind();
            }
            resume_unwind(payload)
        });
    }
    operation()
}

#[cfg(feature = "loom")]
thread_local! {
    /// Told that the calling thread is left behind, which Loom runs.
    static LEFT_BEHIND: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

/// Has `told` called if the calling thread is left behind.
#[cfg(feature = "loom")]
pub(crate) fn if_left_behind(told: impl FnOnce() + 'static) {
    LEFT_BEHIND.set(Some(Box::new(told)));
}

/// Leaves the calling thread behind, which Loom runs, and whose stack must not be unwound at a deadlock.
#[cfg(feature = "loom")]
fn leave_behind() -> ! {
    if let Some(told) = LEFT_BEHIND.take() {
        told();
    }
    loop {
        std::thread::park();
    }
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
