//! A condition variable.

use std::sync::LockResult;

use super::mutex::{MutexGuard, OfGuard, mapped};
use super::record;
use super::scheduler::{Scheduler, current};

/// `std::sync::Condvar`, without the methods that take a time: neither Shuttle nor Loom has time pass.
///
/// Neither lets a wait end spuriously.
///
/// ```
/// use refmap_schedules::sync::{Condvar, Mutex};
///
/// let (mutex, changed) = (Mutex::new(()), Condvar::new());
/// let waited = changed.wait_while(mutex.lock().unwrap(), |()| false);
/// # drop(waited);
/// ```
///
/// ```compile_fail,E0599
/// use std::time::Duration;
///
/// use refmap_schedules::sync::{Condvar, Mutex};
///
/// let (mutex, changed) = (Mutex::new(()), Condvar::new());
/// let waited = changed.wait_timeout(mutex.lock().unwrap(), Duration::ZERO);
/// # drop(waited);
/// ```
#[derive(Debug)]
pub struct Condvar(Of);

#[derive(Debug)]
enum Of {
    OperatingSystem(std::sync::Condvar),
    #[cfg(feature = "shuttle")]
    Shuttle(shuttle::sync::Condvar),
    #[cfg(feature = "loom")]
    Loom(loom::sync::Condvar),
}

impl Condvar {
    /// A condition variable of the scheduler that runs the calling thread.
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Self(match current() {
            Scheduler::OperatingSystem => Of::OperatingSystem(std::sync::Condvar::new()),
            #[cfg(feature = "shuttle")]
            Scheduler::Shuttle => Of::Shuttle(shuttle::sync::Condvar::new()),
            #[cfg(feature = "loom")]
            Scheduler::Loom => Of::Loom(loom::sync::Condvar::new()),
        })
    }

    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// If a thread has panicked with the lock.
    ///
    /// # Panics
    ///
    /// If the lock was made under another scheduler.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let MutexGuard { unlocks, of } = guard;
        unlocks.forget();
        match (&self.0, of) {
            (Of::OperatingSystem(condvar), OfGuard::OperatingSystem(guard)) => {
                mapped(condvar.wait(guard), |guard| {
                    OfGuard::OperatingSystem(guard).into()
                })
            }
            #[cfg(feature = "shuttle")]
            (Of::Shuttle(condvar), OfGuard::Shuttle(guard)) => {
                let guard = record::waiting("wait", || condvar.wait(guard));
                mapped(guard, |guard| OfGuard::Shuttle(guard).into())
            }
            #[cfg(feature = "loom")]
            (Of::Loom(condvar), OfGuard::Loom(guard)) => {
                let guard = record::waiting("wait", || condvar.wait(guard));
                mapped(guard, |guard| OfGuard::Loom(guard).into())
            }
            #[cfg(any(feature = "shuttle", feature = "loom"))]
            _ => panic!("the lock and the condition variable are of different schedulers"),
        }
    }

    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// If a thread has panicked with the lock.
    ///
    /// # Panics
    ///
    /// If the lock was made under another scheduler.
    #[track_caller]
    pub fn wait_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As that of the standard library.
    #[track_caller]
    pub fn notify_one(&self) {
        match &self.0 {
            Of::OperatingSystem(condvar) => return condvar.notify_one(),
            #[cfg(feature = "shuttle")]
            Of::Shuttle(condvar) => condvar.notify_one(),
            #[cfg(feature = "loom")]
            Of::Loom(condvar) => condvar.notify_one(),
        }
        record::step(|| "notify_one".into());
    }

    /// As that of the standard library.
    #[track_caller]
    pub fn notify_all(&self) {
        match &self.0 {
            Of::OperatingSystem(condvar) => return condvar.notify_all(),
            #[cfg(feature = "shuttle")]
            Of::Shuttle(condvar) => condvar.notify_all(),
            #[cfg(feature = "loom")]
            Of::Loom(condvar) => condvar.notify_all(),
        }
        record::step(|| "notify_all".into());
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}
