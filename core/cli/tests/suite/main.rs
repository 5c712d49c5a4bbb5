//! Test suite of `refmap-cli`.

mod claims;
mod fences;
mod graph;
mod pictures;
mod run_all;
mod shell;
mod tables;
