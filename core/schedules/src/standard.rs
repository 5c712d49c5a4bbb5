//! The standard library's primitives, under the names that the schedulers have too.

/// `std::sync`.
pub mod sync {
    pub use std::sync::{
        Arc, Condvar, LockResult, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard,
        RwLockWriteGuard, TryLockError, TryLockResult,
    };

    /// `std::sync::atomic`.
    pub mod atomic {
        pub use std::sync::atomic::{
            AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr,
            AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
        };
    }
}

/// `std::thread`.
pub mod thread {
    pub use std::thread::{
        Builder, JoinHandle, Result, Scope, ScopedJoinHandle, Thread, ThreadId, current, panicking,
        park, scope, sleep, spawn, yield_now,
    };
}

/// `std::hint`.
pub mod hint {
    pub use std::hint::spin_loop;
}

/// True if a scheduler runs the calling thread: never, since no feature asks for one.
#[must_use]
pub const fn is_scheduled() -> bool {
    false
}
