//! Test suite of `refmap-cli`.

mod claims;
mod damaged;
mod escapes;
mod fences;
mod graph;
mod histories;
mod include;
mod names;
mod objects;
mod obligations;
mod outputs;
mod pictures;
mod reading;
mod run_all;
mod samples;
mod several;
mod shell;
mod tables;
