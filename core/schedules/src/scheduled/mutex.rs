//! A lock.

use std::fmt::{self, Debug, Display, Formatter};
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use super::record;
use super::scheduler::{Scheduler, current};

/// `std::sync::Mutex`. Loom's is never poisoned.
#[derive(Debug)]
pub struct Mutex<T>(Of<T>);

#[derive(Debug)]
enum Of<T> {
    OperatingSystem(std::sync::Mutex<T>),
    #[cfg(feature = "shuttle")]
    Shuttle(shuttle::sync::Mutex<T>),
    #[cfg(feature = "loom")]
    Loom(loom::sync::Mutex<T>),
}

/// `std::sync::MutexGuard`.
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T> {
    // Fields are dropped in this order.
    pub(super) unlocks: Unlocks,
    pub(super) of: OfGuard<'a, T>,
}

pub(super) enum OfGuard<'a, T> {
    OperatingSystem(std::sync::MutexGuard<'a, T>),
    #[cfg(feature = "shuttle")]
    Shuttle(shuttle::sync::MutexGuard<'a, T>),
    #[cfg(feature = "loom")]
    Loom(loom::sync::MutexGuard<'a, T>),
}

/// Records that a lock is released, when it is dropped.
pub(super) struct Unlocks(Option<&'static str>);

impl Unlocks {
    /// One whose step is `text`, if a scheduler has the lock.
    pub(super) fn new(is_scheduled: bool, text: &'static str) -> Self {
        Self(is_scheduled.then_some(text))
    }

    /// Does not record it.
    pub(super) fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for Unlocks {
    fn drop(&mut self) {
        if let Some(text) = self.0 {
            record::step_at(None, || text.into());
        }
    }
}

impl<T> Mutex<T> {
    /// A lock of the scheduler that runs the calling thread.
    #[must_use]
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self(match current() {
            Scheduler::OperatingSystem => Of::OperatingSystem(std::sync::Mutex::new(value)),
            #[cfg(feature = "shuttle")]
            Scheduler::Shuttle => Of::Shuttle(shuttle::sync::Mutex::new(value)),
            #[cfg(feature = "loom")]
            Scheduler::Loom => Of::Loom(loom::sync::Mutex::new(value)),
        })
    }

    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// If a thread has panicked with the lock.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        match &self.0 {
            Of::OperatingSystem(mutex) => {
                mapped(mutex.lock(), |guard| OfGuard::OperatingSystem(guard).into())
            }
            #[cfg(feature = "shuttle")]
            Of::Shuttle(mutex) => {
                let guard = record::blocking(|| "lock".into(), || mutex.lock());
                mapped(guard, |guard| OfGuard::Shuttle(guard).into())
            }
            #[cfg(feature = "loom")]
            Of::Loom(mutex) => {
                let guard = record::blocking(|| "lock".into(), || mutex.lock());
                mapped(guard, |guard| OfGuard::Loom(guard).into())
            }
        }
    }

    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// If a thread has the lock, or has panicked with it.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let guard = match &self.0 {
            Of::OperatingSystem(mutex) => {
                return tried(mutex.try_lock(), |guard| {
                    OfGuard::OperatingSystem(guard).into()
                });
            }
            #[cfg(feature = "shuttle")]
            Of::Shuttle(mutex) => tried(mutex.try_lock(), |guard| OfGuard::Shuttle(guard).into()),
            #[cfg(feature = "loom")]
            Of::Loom(mutex) => tried(mutex.try_lock(), |guard| OfGuard::Loom(guard).into()),
        };
        tried_step(&self.0, &guard, || tried_text("try_lock", &guard));
        guard
    }

    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// If a thread has panicked with the lock.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        match &mut self.0 {
            Of::OperatingSystem(mutex) => mutex.get_mut(),
            #[cfg(feature = "shuttle")]
            Of::Shuttle(mutex) => mutex.get_mut(),
            #[cfg(feature = "loom")]
            Of::Loom(mutex) => mutex.get_mut(),
        }
    }

    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// If a thread has panicked with the lock.
    pub fn into_inner(self) -> LockResult<T> {
        match self.0 {
            Of::OperatingSystem(mutex) => mutex.into_inner(),
            #[cfg(feature = "shuttle")]
            Of::Shuttle(mutex) => mutex.into_inner(),
            #[cfg(feature = "loom")]
            Of::Loom(mutex) => mutex.into_inner(),
        }
    }
}

/// The result of a lock, with the guard of this crate.
pub(super) fn mapped<A, B>(locked: LockResult<A>, map: impl FnOnce(A) -> B) -> LockResult<B> {
    match locked {
        Ok(guard) => Ok(map(guard)),
        Err(poisoned) => Err(PoisonError::new(map(poisoned.into_inner()))),
    }
}

/// The result of an attempt, with the guard of this crate.
pub(super) fn tried<A, B>(locked: TryLockResult<A>, map: impl FnOnce(A) -> B) -> TryLockResult<B> {
    match locked {
        Ok(guard) => Ok(map(guard)),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        Err(TryLockError::Poisoned(poisoned)) => Err(TryLockError::Poisoned(PoisonError::new(
            map(poisoned.into_inner()),
        ))),
    }
}

/// Records an attempt: one that fails reads that the lock is taken.
#[track_caller]
pub(super) fn tried_step<L, G>(lock: &L, locked: &TryLockResult<G>, text: impl FnOnce() -> String) {
    let has_failed = matches!(locked, Err(TryLockError::WouldBlock));
    record::access(
        std::ptr::from_ref(lock).addr(),
        Some(has_failed.into()),
        !has_failed,
        text,
    );
}

/// The text of an attempt.
pub(super) fn tried_text<G>(name: &str, locked: &TryLockResult<G>) -> String {
    match locked {
        Err(TryLockError::WouldBlock) => format!("{name}: failed"),
        Ok(_) | Err(TryLockError::Poisoned(_)) => name.into(),
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<'a, T> From<OfGuard<'a, T>> for MutexGuard<'a, T> {
    fn from(of: OfGuard<'a, T>) -> Self {
        let is_scheduled = !matches!(of, OfGuard::OperatingSystem(_));
        let unlocks = Unlocks::new(is_scheduled, "unlock");
        Self { unlocks, of }
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.of {
            OfGuard::OperatingSystem(guard) => guard,
            #[cfg(feature = "shuttle")]
            OfGuard::Shuttle(guard) => guard,
            #[cfg(feature = "loom")]
            OfGuard::Loom(guard) => guard,
        }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.of {
            OfGuard::OperatingSystem(guard) => guard,
            #[cfg(feature = "shuttle")]
            OfGuard::Shuttle(guard) => guard,
            #[cfg(feature = "loom")]
            OfGuard::Loom(guard) => guard,
        }
    }
}

impl<T: Debug> Debug for MutexGuard<'_, T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&**self, formatter)
    }
}

impl<T: Display> Display for MutexGuard<'_, T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&**self, formatter)
    }
}
