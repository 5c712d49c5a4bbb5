//! The comparison's helpers. A bench has no test harness, so its files are tested from here.

#[path = "../../benches/compare/main.rs"]
mod bench;
