//! Test suite of `refmap-cli`.

mod claims;
mod fences;
mod graph;
mod run_all;
mod shell;
mod tables;
