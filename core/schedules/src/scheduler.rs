//! Who decides which thread takes the next step.

use std::cell::Cell;

/// What decides which thread takes the next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheduler {
    /// The operating system, as wherever nothing else is asked for.
    OperatingSystem,
    /// Shuttle: one thread at a time, sequentially consistent.
    Shuttle,
    /// Loom: every behaviour of its model of memory.
    Loom,
}

thread_local! {
    /// Shuttle and Loom run all threads of an execution as coroutines of one thread: this one.
    static SCHEDULER: Cell<Scheduler> = const { Cell::new(Scheduler::OperatingSystem) };
}

/// Has `test` make its threads, and what they share, those of `scheduler`. It is `test` that starts
/// Shuttle or Loom; outside of their executions their primitives panic.
pub fn under<R>(scheduler: Scheduler, test: impl FnOnce() -> R) -> R {
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

/// What was asked for.
pub(crate) fn current() -> Scheduler {
    SCHEDULER.get()
}

/// Whether something else than the operating system runs the threads.
pub fn is_scheduled() -> bool {
    current() != Scheduler::OperatingSystem
}
