//! The native collectors: on real threads, under Shuttle's schedules and in Loom's model of memory.

// The same files are compiled once under each scheduler; an unwrap that fails is a test that fails.
#![allow(clippy::duplicate_mod, clippy::unwrap_used)]

mod caught;
mod real_threads;
mod under_loom;
mod under_shuttle;
