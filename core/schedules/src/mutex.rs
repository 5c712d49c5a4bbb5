//! A lock.

use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError};

use crate::scheduler::{Scheduler, current};

/// The type of the same name of `std::sync`, of Shuttle or of Loom.
#[derive(Debug)]
pub struct Mutex<T>(Of<T>);

#[derive(Debug)]
enum Of<T> {
    OperatingSystem(std::sync::Mutex<T>),
    Shuttle(shuttle::sync::Mutex<T>),
    Loom(loom::sync::Mutex<T>),
}

/// What a lock gives access by.
#[derive(Debug)]
pub enum MutexGuard<'a, T> {
    /// The standard library's.
    OperatingSystem(std::sync::MutexGuard<'a, T>),
    /// Shuttle's.
    Shuttle(shuttle::sync::MutexGuard<'a, T>),
    /// Loom's.
    Loom(loom::sync::MutexGuard<'a, T>),
}

impl<T> Mutex<T> {
    /// Of the scheduler that was asked for.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(match current() {
            Scheduler::OperatingSystem => Of::OperatingSystem(std::sync::Mutex::new(value)),
            Scheduler::Shuttle => Of::Shuttle(shuttle::sync::Mutex::new(value)),
            Scheduler::Loom => Of::Loom(loom::sync::Mutex::new(value)),
        })
    }

    /// As that of the standard library.
    ///
    /// # Errors
    ///
    /// If a thread has panicked with it.
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        match &self.0 {
            Of::OperatingSystem(mutex) => mapped(mutex.lock(), MutexGuard::OperatingSystem),
            Of::Shuttle(mutex) => mapped(mutex.lock(), MutexGuard::Shuttle),
            Of::Loom(mutex) => mapped(mutex.lock(), MutexGuard::Loom),
        }
    }
}

fn mapped<A, B>(locked: LockResult<A>, map: impl Fn(A) -> B) -> LockResult<B> {
    match locked {
        Ok(guard) => Ok(map(guard)),
        Err(poisoned) => Err(PoisonError::new(map(poisoned.into_inner()))),
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::OperatingSystem(guard) => guard,
            Self::Shuttle(guard) => guard,
            Self::Loom(guard) => guard,
        }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Self::OperatingSystem(guard) => guard,
            Self::Shuttle(guard) => guard,
            Self::Loom(guard) => guard,
        }
    }
}
