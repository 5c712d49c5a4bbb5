//! The validator against all interleavings, and what it says.

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
