//! The tests of `refmap-cli`, in one program.

mod claims;
mod fences;
mod tables;
