//! Test suite of `refmap-programs`.

mod cut_off;
mod identical;
mod litmus;
mod memory;
mod two_of_everything;
mod unbounded;
