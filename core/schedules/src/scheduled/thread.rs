//! `std::thread`, without what depends on time: neither Shuttle nor Loom has time pass.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use super::record;
use super::scheduler::{Scheduler, current as scheduler};
#[cfg(feature = "shuttle")]
use super::task;

pub use std::thread::{Result, panicking};

/// `std::thread::JoinHandle`.
#[derive(Debug)]
pub struct JoinHandle<T>(OfHandle<T>);

#[derive(Debug)]
enum OfHandle<T> {
    OperatingSystem(std::thread::JoinHandle<T>),
    #[cfg(feature = "shuttle")]
    Shuttle(u32, shuttle::thread::JoinHandle<Result<T>>),
    #[cfg(feature = "loom")]
    Loom(u32, loom::thread::JoinHandle<Result<T>>),
}

impl<T> JoinHandle<T> {
    /// As that of the standard library. Under Shuttle a thread that panics ends the execution.
    ///
    /// # Errors
    ///
    /// The panic of the thread.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            OfHandle::OperatingSystem(handle) => handle.join(),
            #[cfg(feature = "shuttle")]
            OfHandle::Shuttle(number, handle) => joined(number, || handle.join()),
            #[cfg(feature = "loom")]
            OfHandle::Loom(number, handle) => joined(number, || handle.join()),
        }
    }

    /// As that of the standard library.
    #[must_use]
    pub fn thread(&self) -> Thread {
        Thread(match &self.0 {
            OfHandle::OperatingSystem(handle) => OfThread::OperatingSystem(handle.thread().clone()),
            #[cfg(feature = "shuttle")]
            OfHandle::Shuttle(_, handle) => OfThread::Shuttle(handle.thread().clone()),
            #[cfg(feature = "loom")]
            OfHandle::Loom(_, handle) => OfThread::Loom(handle.thread().clone()),
        })
    }
}

/// Runs the work of a thread, and records how it ends.
pub(crate) fn run<T>(number: u32, work: impl FnOnce() -> T) -> Result<T> {
    record::started(number);
    let result = catch_unwind(AssertUnwindSafe(work));
    record::ended(result.as_ref().err());
    match result {
        #[cfg(feature = "loom")]
        Err(panic) if scheduler() == Scheduler::Loom => resume_unwind(panic),
        result => result,
    }
}

/// Waits for thread `number`.
#[cfg(any(feature = "shuttle", feature = "loom"))]
#[track_caller]
fn joined<T>(number: u32, join: impl FnOnce() -> Result<Result<T>>) -> Result<T> {
    record::blocking(|| format!("join {number}"), join).flatten()
}

/// Number of a thread of Shuttle.
#[cfg(feature = "shuttle")]
fn shuttle_number(thread: &shuttle::thread::Thread) -> u32 {
    task::number(thread.id()).expect("the guard is no thread")
}

/// `std::thread::spawn`.
///
/// # Panics
///
/// Under Loom, for more than four threads beside the body.
#[track_caller]
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let handle = Builder::new().spawn(work);
    handle.expect("the operating system has another thread")
}

/// `std::thread::Builder`, without the size of a stack.
#[derive(Default, Debug)]
pub struct Builder {
    name: Option<String>,
}

/// Words of a stack of Loom's. Only what is used takes memory.
#[cfg(feature = "loom")]
const LOOM_STACK: usize = 0x8000;

impl Builder {
    /// As that of the standard library.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// As that of the standard library.
    #[must_use]
    pub fn name(self, name: String) -> Self {
        Self { name: Some(name) }
    }

    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// If the operating system has no thread.
    ///
    /// # Panics
    ///
    /// Under Loom, for more than four threads beside the body.
    #[track_caller]
    pub fn spawn<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> std::io::Result<JoinHandle<T>> {
        /// Names the thread, if it has a name.
        macro_rules! named {
            ($builder:expr) => {
                match self.name {
                    Some(name) => $builder.name(name),
                    None => $builder,
                }
            };
        }
        Ok(JoinHandle(match scheduler() {
            Scheduler::OperatingSystem => {
                OfHandle::OperatingSystem(named!(std::thread::Builder::new()).spawn(work)?)
            }
            #[cfg(feature = "shuttle")]
            Scheduler::Shuttle => {
                let number = record::spawned();
                let builder = named!(shuttle::thread::Builder::new());
                let handle = builder.spawn(move || run(number, work))?;
                // Other threads may have been spawned since.
                let number = shuttle_number(handle.thread());
                record::step(|| format!("spawn {number}"));
                OfHandle::Shuttle(number, handle)
            }
            #[cfg(feature = "loom")]
            Scheduler::Loom => {
                let number = record::spawned();
                assert!(
                    (number as usize) < loom::MAX_THREADS,
                    "Loom runs {} threads at most, with the body's",
                    loom::MAX_THREADS
                );
                let builder = named!(loom::thread::Builder::new()).stack_size(LOOM_STACK);
                let handle = builder.spawn(move || run(number, work))?;
                record::step(|| format!("spawn {number}"));
                OfHandle::Loom(number, handle)
            }
        }))
    }
}

/// `std::thread::yield_now`.
#[track_caller]
pub fn yield_now() {
    match scheduler() {
        Scheduler::OperatingSystem => return std::thread::yield_now(),
        #[cfg(feature = "shuttle")]
        Scheduler::Shuttle => shuttle::thread::yield_now(),
        #[cfg(feature = "loom")]
        Scheduler::Loom => loom::thread::yield_now(),
    }
    record::yields("yield_now");
}

/// `std::thread::sleep`. Under a scheduler the thread yields, since no time passes.
#[track_caller]
pub fn sleep(duration: Duration) {
    match scheduler() {
        Scheduler::OperatingSystem => return std::thread::sleep(duration),
        #[cfg(feature = "shuttle")]
        Scheduler::Shuttle => shuttle::thread::yield_now(),
        #[cfg(feature = "loom")]
        Scheduler::Loom => loom::thread::yield_now(),
    }
    record::yields("sleep");
}

/// `std::thread::park`. Shuttle lets it end spuriously.
#[track_caller]
pub fn park() {
    match scheduler() {
        Scheduler::OperatingSystem => std::thread::park(),
        #[cfg(feature = "shuttle")]
        Scheduler::Shuttle => record::waiting("park", shuttle::thread::park),
        #[cfg(feature = "loom")]
        Scheduler::Loom => record::waiting("park", loom::thread::park),
    }
}

/// `std::thread::Thread`.
#[derive(Clone, Debug)]
pub struct Thread(OfThread);

#[derive(Clone, Debug)]
enum OfThread {
    OperatingSystem(std::thread::Thread),
    #[cfg(feature = "shuttle")]
    Shuttle(shuttle::thread::Thread),
    #[cfg(feature = "loom")]
    Loom(loom::thread::Thread),
}

impl Thread {
    /// As that of the standard library.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            OfThread::OperatingSystem(thread) => return thread.unpark(),
            #[cfg(feature = "shuttle")]
            OfThread::Shuttle(thread) => thread.unpark(),
            #[cfg(feature = "loom")]
            OfThread::Loom(thread) => thread.unpark(),
        }
        record::step(|| "unpark".into());
    }

    /// As that of the standard library.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            OfThread::OperatingSystem(thread) => thread.name(),
            #[cfg(feature = "shuttle")]
            OfThread::Shuttle(thread) => thread.name(),
            #[cfg(feature = "loom")]
            OfThread::Loom(thread) => thread.name(),
        }
    }

    /// As that of the standard library.
    #[must_use]
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.0 {
            OfThread::OperatingSystem(thread) => OfId::OperatingSystem(thread.id()),
            #[cfg(feature = "shuttle")]
            OfThread::Shuttle(thread) => OfId::Shuttle(thread.id()),
            #[cfg(feature = "loom")]
            OfThread::Loom(thread) => OfId::Loom(thread.id()),
        })
    }
}

/// `std::thread::ThreadId`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadId(OfId);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum OfId {
    OperatingSystem(std::thread::ThreadId),
    #[cfg(feature = "shuttle")]
    Shuttle(shuttle::thread::ThreadId),
    #[cfg(feature = "loom")]
    Loom(loom::thread::ThreadId),
}

/// `std::thread::current`.
#[must_use]
pub fn current() -> Thread {
    Thread(match scheduler() {
        Scheduler::OperatingSystem => OfThread::OperatingSystem(std::thread::current()),
        #[cfg(feature = "shuttle")]
        Scheduler::Shuttle => OfThread::Shuttle(shuttle::thread::current()),
        #[cfg(feature = "loom")]
        Scheduler::Loom => OfThread::Loom(loom::thread::current()),
    })
}

/// `std::thread::Scope`, which is handed on by value.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'scope, 'env>(OfScope<'scope, 'env>);

#[derive(Clone, Copy, Debug)]
enum OfScope<'scope, 'env> {
    OperatingSystem(&'scope std::thread::Scope<'scope, 'env>),
    #[cfg(feature = "shuttle")]
    Shuttle(&'scope shuttle::thread::Scope<'scope, 'env>),
}

/// `std::thread::ScopedJoinHandle`.
#[derive(Debug)]
pub struct ScopedJoinHandle<'scope, T>(OfScopedHandle<'scope, T>);

#[derive(Debug)]
enum OfScopedHandle<'scope, T> {
    OperatingSystem(std::thread::ScopedJoinHandle<'scope, T>),
    #[cfg(feature = "shuttle")]
    Shuttle(u32, shuttle::thread::ScopedJoinHandle<'scope, Result<T>>),
}

/// `std::thread::scope`.
///
/// # Panics
///
/// Under Loom, which has no scoped threads; and as that of the standard library.
#[track_caller]
pub fn scope<'env, T>(work: impl for<'scope> FnOnce(Scope<'scope, 'env>) -> T) -> T {
    match scheduler() {
        Scheduler::OperatingSystem => {
            std::thread::scope(|scope| work(Scope(OfScope::OperatingSystem(scope))))
        }
        #[cfg(feature = "shuttle")]
        Scheduler::Shuttle => {
            // What the threads borrow has to live until they have ended, also if `work` panics.
            let result = shuttle::thread::scope(|scope| {
                catch_unwind(AssertUnwindSafe(|| work(Scope(OfScope::Shuttle(scope)))))
            });
            result.unwrap_or_else(|panic| resume_unwind(panic))
        }
        #[cfg(feature = "loom")]
        Scheduler::Loom => panic!("Loom has no scoped threads"),
    }
}

impl<'scope> Scope<'scope, '_> {
    /// As that of the standard library.
    #[track_caller]
    pub fn spawn<T: Send + 'scope>(
        self,
        work: impl FnOnce() -> T + Send + 'scope,
    ) -> ScopedJoinHandle<'scope, T> {
        ScopedJoinHandle(match self.0 {
            OfScope::OperatingSystem(scope) => OfScopedHandle::OperatingSystem(scope.spawn(work)),
            #[cfg(feature = "shuttle")]
            OfScope::Shuttle(scope) => {
                let number = record::spawned();
                let handle = scope.spawn(move || run(number, work));
                let number = shuttle_number(handle.thread());
                record::step(|| format!("spawn {number}"));
                OfScopedHandle::Shuttle(number, handle)
            }
        })
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// As that of the standard library. Under Shuttle a thread that panics ends the execution.
    ///
    /// # Errors
    ///
    /// The panic of the thread.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            OfScopedHandle::OperatingSystem(handle) => handle.join(),
            #[cfg(feature = "shuttle")]
            OfScopedHandle::Shuttle(number, handle) => joined(number, || handle.join()),
        }
    }
}
