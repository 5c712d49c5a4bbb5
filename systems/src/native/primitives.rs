//! Synchronisation primitives, from one place: in this crate's own tests a scheduler of `schedules` may replace them
//! to control the interleaving.

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
    sync::Mutex,
    sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    thread,
};

/// Backs off in a polling loop: `round` is the number of unsuccessful polls.
pub(crate) fn wait(round: u32) {
    #[cfg(test)]
    if refmap_schedules::is_scheduled() {
        return thread::yield_now();
    }
    match round {
        0..=7 => std::hint::spin_loop(),
        8..=63 => thread::yield_now(),
        // The awaited thread may need this processor.
        _ => thread::sleep(Duration::from_micros(20)),
    }
}

/// Delays the thread, so that another one can interleave.
pub(crate) fn dwell() {
    #[cfg(test)]
    if refmap_schedules::is_scheduled() {
        // Long enough for the collector to complete one or two handshakes.
        return (0..20).for_each(|_| thread::yield_now());
    }
    thread::sleep(Duration::from_micros(60));
}
