//! The disk: what a search writes so that another one can go on from there.
//!
//! Of a search all follows from the list of the states that it reached, in the order in which it reached them. That list is only ever
//! appended to, and so is the list of what led to them: a checkpoint writes what is new of both, and then replaces one small
//! file, which says how much of them is valid. So a crash at any moment leaves the last complete checkpoint.

mod checkpoints;
mod checksum;
mod error;
mod folder;
mod journal;
mod list;
mod manifest;
mod medium;
#[cfg(test)]
mod tests;

pub use checkpoints::{Checkpoints, Start};
pub(super) use checksum::Checksum;
pub use error::DiskError;
pub(super) use folder::{CHUNKS, STATES};
pub(crate) use journal::Journal;
pub use journal::Written;
pub(super) use manifest::{Manifest, SavedChunk, SavedSpan, SavedState};
