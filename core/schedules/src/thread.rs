//! Threads.

use std::thread::Result;

use crate::scheduler::{Scheduler, current};

pub use std::thread::sleep;

/// A thread to wait for.
#[derive(Debug)]
pub enum JoinHandle<T> {
    /// Of the standard library.
    OperatingSystem(std::thread::JoinHandle<T>),
    /// Of Shuttle.
    Shuttle(shuttle::thread::JoinHandle<T>),
    /// Of Loom.
    Loom(loom::thread::JoinHandle<T>),
}

impl<T> JoinHandle<T> {
    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// What the thread has panicked with.
    pub fn join(self) -> Result<T> {
        match self {
            Self::OperatingSystem(handle) => handle.join(),
            Self::Shuttle(handle) => handle.join(),
            Self::Loom(handle) => handle.join(),
        }
    }
}

/// As that of the standard library, of the scheduler that was asked for.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    match current() {
        Scheduler::OperatingSystem => JoinHandle::OperatingSystem(std::thread::spawn(work)),
        Scheduler::Shuttle => JoinHandle::Shuttle(shuttle::thread::spawn(work)),
        Scheduler::Loom => JoinHandle::Loom(loom::thread::spawn(work)),
    }
}

/// As that of the standard library.
pub fn yield_now() {
    match current() {
        Scheduler::OperatingSystem => std::thread::yield_now(),
        Scheduler::Shuttle => shuttle::thread::yield_now(),
        Scheduler::Loom => loom::thread::yield_now(),
    }
}

/// Where scoped threads are started. Loom has none.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'scope, 'env> {
    /// Of the standard library.
    OperatingSystem(&'scope std::thread::Scope<'scope, 'env>),
    /// Of Shuttle.
    Shuttle(&'scope shuttle::thread::Scope<'scope, 'env>),
}

/// A scoped thread to wait for.
#[derive(Debug)]
pub enum ScopedJoinHandle<'scope, T> {
    /// Of the standard library.
    OperatingSystem(std::thread::ScopedJoinHandle<'scope, T>),
    /// Of Shuttle.
    Shuttle(shuttle::thread::ScopedJoinHandle<'scope, T>),
}

/// As that of the standard library.
///
/// # Panics
///
/// Under Loom.
pub fn scope<'env, T>(work: impl for<'scope> FnOnce(Scope<'scope, 'env>) -> T) -> T {
    match current() {
        Scheduler::OperatingSystem => {
            std::thread::scope(|scope| work(Scope::OperatingSystem(scope)))
        }
        Scheduler::Shuttle => shuttle::thread::scope(|scope| work(Scope::Shuttle(scope))),
        Scheduler::Loom => panic!("Loom has no scoped threads"),
    }
}

impl<'scope> Scope<'scope, '_> {
    /// As that of the standard library.
    pub fn spawn<T: Send + 'scope>(
        self,
        work: impl FnOnce() -> T + Send + 'scope,
    ) -> ScopedJoinHandle<'scope, T> {
        match self {
            Self::OperatingSystem(scope) => ScopedJoinHandle::OperatingSystem(scope.spawn(work)),
            Self::Shuttle(scope) => ScopedJoinHandle::Shuttle(scope.spawn(work)),
        }
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// What the thread has panicked with.
    pub fn join(self) -> Result<T> {
        match self {
            Self::OperatingSystem(handle) => handle.join(),
            Self::Shuttle(handle) => handle.join(),
        }
    }
}
