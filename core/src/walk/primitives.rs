//! Primitives that threads have in common, from one place: in this crate's own tests a scheduler may run them that tries other
//! orders of their steps (`schedules`).

#[cfg(not(test))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
#[cfg(not(test))]
pub(crate) use std::thread;

#[cfg(test)]
pub(crate) use refmap_schedules::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
#[cfg(test)]
pub(crate) use refmap_schedules::thread;
