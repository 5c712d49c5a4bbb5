#![cfg_attr(all(feature = "shuttle", feature = "loom"), doc = include_str!("../README.md"))]
#![cfg_attr(
    not(all(feature = "shuttle", feature = "loom")),
    doc = "The primitives of concurrent Rust, which a test can have run by Shuttle or Loom: see the crate's README."
)]

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
