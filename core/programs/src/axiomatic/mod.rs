//! Axiomatic semantics of all models: candidate executions, and the axioms that select among them.
//!
//! A candidate execution assigns to every read the write that it reads from (rf), and to each location the order in
//! which its writes reach memory (co). fr relates a read to the writes that are co-after the write it reads from. A
//! candidate is an execution of the model if
//!
//! - *coherence*: program order per location, rf, co and fr have no common cycle, and
//! - *global order*: preserved program order, external rf, co and fr have none.
//!
//! An update or an atomic block is one event that reads and writes, so that its atomicity follows from the second
//! axiom. Preserved program order contains the pairs that the model's table orders; pairs across fences; from a
//! read to the events that depend on it by data, address or control; from the reads behind an address to everything
//! after the access; and from the reads behind a store's value to a read of that store.
//!
//! Source: Alglave, Maranget & Tautschnig, *Herding Cats*, for the form of the axioms; Ugawa, Abe & Maeda, section
//! 3.1, for the preserved program order.
//!
//! Not covered: LL and SC, since no event shows their failure; loads of several locations at once; executions in which
//! a thread is blocked before an atomic block, or stops at a fault.

mod error;
mod event;
mod execution;
mod run;

use std::collections::BTreeSet;

use super::model::MemoryModel;
use super::outcome::Outcome;
use super::program::Program;
pub use error::NotEnumerated;
use execution::executions;
use run::runs;

/// Enumerates all outcomes of `program` under `model`, except those in which a thread is blocked or faulty.
///
/// # Errors
///
/// If the program uses LL or SC, or loads several locations at once, or there are more than `limit` candidates.
pub fn outcomes(
    program: &Program,
    model: MemoryModel,
    limit: u64,
) -> Result<BTreeSet<Outcome>, NotEnumerated> {
    executions(program, model, limit, &runs(program, limit)?)
}
