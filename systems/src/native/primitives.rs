//! What threads have in common, from one place, so that the same source can be run under schedulers
//! that try other orders of its steps.

use std::time::Duration;

pub(crate) use std::sync::Mutex;
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
pub(crate) use std::thread;

/// Looks again before long: `round` is how often one has looked in vain.
pub(crate) fn wait(round: u32) {
    match round {
        0..=7 => std::hint::spin_loop(),
        8..=63 => thread::yield_now(),
        // Who is waited for may want this processor.
        _ => thread::sleep(Duration::from_micros(20)),
    }
}

/// Lingers where another thread may come between.
pub(crate) fn dwell() {
    thread::sleep(Duration::from_micros(60));
}
