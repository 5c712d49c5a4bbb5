//! What threads have in common, from one place, so that the same source can be run under a scheduler
//! that tries other orders of their steps.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
pub(crate) use std::thread;
