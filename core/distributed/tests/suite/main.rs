//! Tests of processes that are threads of a test, or processes of their own, and meet on the loopback interface.

#![allow(
    clippy::unwrap_used,
    reason = "an unwrap that fails is a test that fails"
)]

mod exchange;
mod greetings;
mod losses;
mod processes;
#[cfg(unix)]
mod silence;
