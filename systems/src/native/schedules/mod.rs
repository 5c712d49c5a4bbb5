//! The collectors under schedulers that control the interleaving of their threads.

mod loom;
mod shuttle;
