#![doc = include_str!("../README.md")]

pub mod cell;

#[cfg(any(feature = "shuttle", feature = "loom"))]
pub mod explore;
#[cfg(any(feature = "shuttle", feature = "loom"))]
mod scheduled;
#[cfg(not(any(feature = "shuttle", feature = "loom")))]
mod standard;

#[cfg(any(feature = "shuttle", feature = "loom"))]
pub use scheduled::{hint, is_scheduled, sync, thread};
#[cfg(not(any(feature = "shuttle", feature = "loom")))]
pub use standard::{hint, is_scheduled, sync, thread};
