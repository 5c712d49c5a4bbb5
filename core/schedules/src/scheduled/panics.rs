//! Panics of executions, which are evidence and not printed.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use super::ended::Ended;
#[cfg(feature = "loom")]
use super::ended::Waiting;

thread_local! {
    /// True if panics of this thread are those of an execution.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
    /// Place of this thread's last panic within an execution.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs executions on the calling thread. Their panics are not printed.
pub(crate) fn quietly<R>(run: impl FnOnce() -> R) -> R {
    install();
    with(true, run)
}

/// Runs what is no part of an execution, between executions.
#[cfg(feature = "shuttle")]
pub(crate) fn aloud<R>(run: impl FnOnce() -> R) -> R {
    with(false, run)
}

fn with<R>(is_quiet: bool, run: impl FnOnce() -> R) -> R {
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            IS_QUIET.set(self.0);
        }
    }
    let _restored = Restored(IS_QUIET.replace(is_quiet));
    run()
}

/// Installs the panic hook that keeps executions quiet, once and for all threads.
///
/// The schedulers install hooks of their own when they first run, so they run first. Shuttle's prints for
/// every thread, and is dropped; Loom's leaves out panics by which its coroutines end, and stays.
fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        #[cfg(feature = "shuttle")]
        {
            run_shuttle();
            drop(panic::take_hook());
        }
        panic::set_hook(before);
        #[cfg(feature = "loom")]
        loom::model::Builder::new().check(|| ());
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_QUIET.try_with(Cell::get).unwrap_or(false) {
                remember(info);
            } else {
                before(info);
            }
        }));
    });
}

/// Runs Shuttle once, which installs its panic hook.
#[cfg(feature = "shuttle")]
fn run_shuttle() {
    use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
    use shuttle::{Config, Runner};

    /// Scheduler of one execution in which there is nothing to choose.
    #[derive(Default)]
    struct Nothing {
        is_begun: bool,
    }

    impl Scheduler for Nothing {
        fn new_execution(&mut self) -> Option<Schedule> {
            let is_begun = std::mem::replace(&mut self.is_begun, true);
            (!is_begun).then(|| Schedule::new(0))
        }

        fn next_task(&mut self, tasks: &[&Task], _: Option<TaskId>, _: bool) -> Option<TaskId> {
            tasks.first().map(|task| task.id())
        }

        fn next_u64(&mut self) -> u64 {
            0
        }
    }

    Runner::new(Nothing::default(), Config::new()).run(|| ());
}

fn remember(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string);
    let _ = PLACE.try_with(|last| last.replace(place));
}

/// The message of a panic, if it is a text.
fn message(payload: &(dyn Any + Send)) -> Option<&str> {
    let string = || payload.downcast_ref::<String>().map(String::as_str);
    payload
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(string)
}

/// True if Loom has panicked because no thread can go on.
#[cfg(feature = "loom")]
pub(crate) fn is_loom_deadlock(payload: &(dyn Any + Send)) -> bool {
    message(payload).is_some_and(|message| message.starts_with("deadlock; threads = "))
}

/// The end of an execution by the panic of one of its threads.
pub(crate) fn ended_by(payload: &(dyn Any + Send)) -> Ended {
    let place = PLACE.take();
    #[cfg(feature = "loom")]
    if payload.is::<Waiting>() {
        return Ended::Waiting;
    }
    let message = message(payload).unwrap_or("a value that is no text");
    let is_in = |source: &str| place.as_ref().is_some_and(|place| place.contains(source));
    if is_in("shuttle-std") && message.starts_with("deadlock! task ") {
        // A thread takes a lock that it has.
        return Ended::Deadlock;
    }
    if is_in("loom") && message.starts_with("deadlock; threads = ") {
        return Ended::Deadlock;
    }
    if is_in("loom") && message.starts_with("Model exceeded maximum number of branches") {
        return Ended::TooLong;
    }
    Ended::Panicked(match place {
        Some(place) => format!("{message} ({place})"),
        None => message.into(),
    })
}
