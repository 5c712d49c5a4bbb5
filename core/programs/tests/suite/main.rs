//! The tests of `refmap-programs`, in one program.

mod cut_off;
mod litmus;
mod memory;
