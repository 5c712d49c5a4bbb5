//! Tests of the validator against an enumeration of all interleavings, and of its reports.

mod agreement;
mod apart;
mod automaton;
mod bounds;
mod contradicting;
mod endless;
mod explaining;
mod failing;
mod foreign;
mod format;
mod heap;
mod memory;
mod object;
mod oracle;
mod queue;
mod random;
mod recording;
mod specifications;
mod stopping;
mod store;
mod traces;
