//! A lock for readers and writers.

use std::fmt::{self, Debug, Display, Formatter};
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, TryLockResult};

use super::mutex::{Unlocks, mapped, tried, tried_step, tried_text};
use super::record;
use super::scheduler::{Scheduler, current};

/// `std::sync::RwLock`. Loom's is never poisoned. Under Shuttle a thread that reads while it reads deadlocks, as it may
/// by the standard library's.
#[derive(Debug)]
pub struct RwLock<T>(Of<T>);

#[derive(Debug)]
enum Of<T> {
    OperatingSystem(std::sync::RwLock<T>),
    #[cfg(feature = "shuttle")]
    Shuttle(shuttle::sync::RwLock<T>),
    #[cfg(feature = "loom")]
    Loom(loom::sync::RwLock<T>),
}

/// Declares a guard.
macro_rules! guard {
    ($name:ident, $Of:ident, $unlock:literal) => {
        #[doc = concat!("`std::sync::", stringify!($name), "`.")]
        #[must_use = "if unused the RwLock will immediately unlock"]
        pub struct $name<'a, T> {
            // Dropped before the guard.
            _unlocks: Unlocks,
            of: $Of<'a, T>,
        }

        enum $Of<'a, T> {
            OperatingSystem(std::sync::$name<'a, T>),
            #[cfg(feature = "shuttle")]
            Shuttle(shuttle::sync::$name<'a, T>),
            #[cfg(feature = "loom")]
            Loom(loom::sync::$name<'a, T>),
        }

        impl<'a, T> From<$Of<'a, T>> for $name<'a, T> {
            fn from(of: $Of<'a, T>) -> Self {
                let is_scheduled = !matches!(of, $Of::OperatingSystem(_));
                let _unlocks = Unlocks::new(is_scheduled, $unlock);
                Self { _unlocks, of }
            }
        }

        impl<T> Deref for $name<'_, T> {
            type Target = T;

            fn deref(&self) -> &T {
                match &self.of {
                    $Of::OperatingSystem(guard) => guard,
                    #[cfg(feature = "shuttle")]
                    $Of::Shuttle(guard) => guard,
                    #[cfg(feature = "loom")]
                    $Of::Loom(guard) => guard,
                }
            }
        }

        impl<T: Debug> Debug for $name<'_, T> {
            fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                Debug::fmt(&**self, formatter)
            }
        }

        impl<T: Display> Display for $name<'_, T> {
            fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                Display::fmt(&**self, formatter)
            }
        }
    };
}

guard!(RwLockReadGuard, OfRead, "unlock, read");
guard!(RwLockWriteGuard, OfWrite, "unlock, write");

impl<T> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.of {
            OfWrite::OperatingSystem(guard) => guard,
            #[cfg(feature = "shuttle")]
            OfWrite::Shuttle(guard) => guard,
            #[cfg(feature = "loom")]
            OfWrite::Loom(guard) => guard,
        }
    }
}

/// Declares how a lock is taken.
macro_rules! lock {
    ($lock:ident, $try_lock:ident, $guard:ident, $Of:ident) => {
        impl<T> RwLock<T> {
            /// As that of the standard library.
            ///
            /// # Errors
            ///
            /// If a thread has panicked while it could write.
            #[track_caller]
            pub fn $lock(&self) -> LockResult<$guard<'_, T>> {
                match &self.0 {
                    Of::OperatingSystem(lock) => {
                        mapped(lock.$lock(), |guard| $Of::OperatingSystem(guard).into())
                    }
                    #[cfg(feature = "shuttle")]
                    Of::Shuttle(lock) => {
                        let guard = record::blocking(|| stringify!($lock).into(), || lock.$lock());
                        mapped(guard, |guard| $Of::Shuttle(guard).into())
                    }
                    #[cfg(feature = "loom")]
                    Of::Loom(lock) => {
                        let guard = record::blocking(|| stringify!($lock).into(), || lock.$lock());
                        mapped(guard, |guard| $Of::Loom(guard).into())
                    }
                }
            }

            /// As that of the standard library.
            ///
            /// # Errors
            ///
            /// If it is locked, or a thread has panicked while it could write.
            #[track_caller]
            pub fn $try_lock(&self) -> TryLockResult<$guard<'_, T>> {
                let guard = match &self.0 {
                    Of::OperatingSystem(lock) => {
                        let guard = lock.$try_lock();
                        return tried(guard, |guard| $Of::OperatingSystem(guard).into());
                    }
                    #[cfg(feature = "shuttle")]
                    Of::Shuttle(lock) => {
                        tried(lock.$try_lock(), |guard| $Of::Shuttle(guard).into())
                    }
                    #[cfg(feature = "loom")]
                    Of::Loom(lock) => tried(lock.$try_lock(), |guard| $Of::Loom(guard).into()),
                };
                tried_step(&self.0, &guard, || {
                    tried_text(stringify!($try_lock), &guard)
                });
                guard
            }
        }
    };
}

lock!(read, try_read, RwLockReadGuard, OfRead);
lock!(write, try_write, RwLockWriteGuard, OfWrite);

impl<T> RwLock<T> {
    /// A lock of the scheduler that runs the calling thread.
    #[must_use]
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self(match current() {
            Scheduler::OperatingSystem => Of::OperatingSystem(std::sync::RwLock::new(value)),
            #[cfg(feature = "shuttle")]
            Scheduler::Shuttle => Of::Shuttle(shuttle::sync::RwLock::new(value)),
            #[cfg(feature = "loom")]
            Scheduler::Loom => Of::Loom(loom::sync::RwLock::new(value)),
        })
    }

    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// If a thread has panicked while it could write.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        match &mut self.0 {
            Of::OperatingSystem(lock) => lock.get_mut(),
            #[cfg(feature = "shuttle")]
            Of::Shuttle(lock) => lock.get_mut(),
            #[cfg(feature = "loom")]
            Of::Loom(lock) => lock.get_mut(),
        }
    }

    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// If a thread has panicked while it could write.
    pub fn into_inner(self) -> LockResult<T> {
        match self.0 {
            Of::OperatingSystem(lock) => lock.into_inner(),
            #[cfg(feature = "shuttle")]
            Of::Shuttle(lock) => lock.into_inner(),
            #[cfg(feature = "loom")]
            Of::Loom(lock) => lock.into_inner(),
        }
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}
