#![doc = include_str!("../README.md")]

pub mod cell;

#[cfg(any(feature = "shuttle", feature = "loom"))]
pub mod explore;
#[cfg(any(feature = "shuttle", feature = "loom"))]
mod scheduled;
#[cfg(not(any(feature = "shuttle", feature = "loom")))]
mod standard;

#[cfg(any(feature = "shuttle", feature = "loom"))]
pub use scheduled::{Scheduler, hint, is_scheduled, sync, thread, under};
#[cfg(not(any(feature = "shuttle", feature = "loom")))]
pub use standard::{hint, is_scheduled, sync, thread};
