//! The collectors under schedulers that try other orders of their threads' steps.

mod loom;
mod shuttle;
