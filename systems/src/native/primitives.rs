//! What threads have in common, from one place: in this crate's own tests a scheduler may run them that tries other
//! orders of their steps (`schedules`).

use std::time::Duration;

#[cfg(not(test))]
pub(crate) use std::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
};
#[cfg(not(test))]
pub(crate) use std::thread;

#[cfg(test)]
pub(crate) use refmap_schedules::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Mutex, Ordering, fence, thread,
};

/// Looks again before long: `round` is how often one has looked in vain.
pub(crate) fn wait(round: u32) {
    #[cfg(test)]
    if refmap_schedules::is_scheduled() {
        return thread::yield_now();
    }
    match round {
        0..=7 => std::hint::spin_loop(),
        8..=63 => thread::yield_now(),
        // Who is waited for may want this processor.
        _ => thread::sleep(Duration::from_micros(20)),
    }
}

/// Lingers where another thread may come between.
pub(crate) fn dwell() {
    #[cfg(test)]
    if refmap_schedules::is_scheduled() {
        // So long that the collector gets through a handshake or two.
        return (0..20).for_each(|_| thread::yield_now());
    }
    thread::sleep(Duration::from_micros(60));
}
