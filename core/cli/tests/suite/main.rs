//! Test suite of `refmap-cli`.

mod claims;
mod drops;
mod escapes;
mod fences;
mod graph;
mod histories;
mod include;
mod objects;
mod obligations;
mod outputs;
mod pictures;
mod run_all;
mod samples;
mod shell;
mod tables;
