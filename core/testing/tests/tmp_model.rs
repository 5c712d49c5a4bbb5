#![allow(dead_code)]
#[path = "suite/oracle/mod.rs"]
mod oracle;
#[path = "suite/panics.rs"]
mod panics;
#[path = "suite/same_bytes.rs"]
mod same_bytes;
#[path = "suite/stepper.rs"]
mod stepper;
#[path = "suite/table/mod.rs"]
mod table;
#[path = "suite/wide.rs"]
mod wide;
