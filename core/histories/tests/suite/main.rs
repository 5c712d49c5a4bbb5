//! Tests of the validator against an enumeration of all interleavings, and of its reports.

mod agreement;
mod bounds;
mod contradicting;
mod explaining;
mod format;
mod heap;
mod memory;
mod oracle;
mod queue;
mod random;
mod recording;
mod traces;
