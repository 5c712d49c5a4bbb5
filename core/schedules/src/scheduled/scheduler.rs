//! The scheduler that runs the calling thread.

use std::cell::Cell;

/// The scheduler that decides which thread takes the next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scheduler {
    /// The operating system's, wherever no other is asked for.
    OperatingSystem,
    /// Shuttle: one thread at a time, sequentially consistent.
    #[cfg(feature = "shuttle")]
    Shuttle,
    /// Loom: every execution of its model of memory.
    #[cfg(feature = "loom")]
    Loom,
}

thread_local! {
    /// Shuttle and Loom run all threads of an execution as coroutines of one thread: this one.
    static SCHEDULER: Cell<Scheduler> = const { Cell::new(Scheduler::OperatingSystem) };
}

/// Runs `test`; the primitives that are made in it are those of `scheduler`.
pub(crate) fn under<R>(scheduler: Scheduler, test: impl FnOnce() -> R) -> R {
    /// Another test may run on the same thread, also after a panic.
    struct Restored(Scheduler);
    impl Drop for Restored {
        fn drop(&mut self) {
            SCHEDULER.set(self.0);
        }
    }
    let _restored = Restored(SCHEDULER.replace(scheduler));
    test()
}

/// The scheduler of the calling thread.
pub(crate) fn current() -> Scheduler {
    SCHEDULER.get()
}

/// True if Shuttle or Loom runs the calling thread.
///
/// A loop that waits can back off by [`yield_now`](crate::thread::yield_now) alone then.
#[must_use]
pub fn is_scheduled() -> bool {
    current() != Scheduler::OperatingSystem
}
