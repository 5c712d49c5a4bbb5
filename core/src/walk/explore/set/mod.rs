//! The states already reached: three ways to remember them, behind one trait.
//!
//! A wave of the search first asks, with several threads, which targets were there before it, unless the
//! set would rather sort them, and then adds those that were not, each once, in the order in which a
//! sequential search meets them. So a state has the same number for any number of threads, and the
//! set is never read while it is written.

mod candidate;
mod compact;
mod exact;
mod hasher;
mod index;
mod insert;
mod mixer;
mod numbered;
mod partition;
mod prefetch;
#[cfg(test)]
mod schedules;
#[cfg(feature = "disk")]
mod stored;
#[cfg(test)]
mod tests;
mod visited;

pub(super) use candidate::Candidate;
pub(super) use exact::ExactSet;
pub(super) use numbered::{NumberedSet, OfAnyKind, OfWords};
pub(super) use partition::Partition;
#[cfg(feature = "disk")]
pub(super) use stored::Stored;
pub(super) use visited::{Drain, InsertSink, Lookup, Visited};
