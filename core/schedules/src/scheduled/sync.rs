//! `std::sync`.

pub use super::arc::Arc;
pub use super::condvar::Condvar;
pub use super::mutex::{Mutex, MutexGuard};
pub use super::rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// `std::sync::atomic`.
pub mod atomic {
    pub use crate::scheduled::atomic::{
        AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8,
        AtomicU16, AtomicU32, AtomicU64, AtomicUsize, fence,
    };
    pub use std::sync::atomic::Ordering;
}
