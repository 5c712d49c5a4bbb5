//! Test suite of `refmap-cli`.

mod claims;
mod fences;
mod graph;
mod pictures;
mod tables;
