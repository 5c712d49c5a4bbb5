//! A second semantics for all models: candidate executions, and the axioms that choose among them.
//!
//! A candidate says of every read which write it reads from (rf), and of the writes to a location in
//! which order memory saw them (co); fr leads from a read to the writes that come after what it read.
//! It is an execution of the model if
//!
//! - *coherence*: program order per location, rf, co and fr have no cycle together, and
//! - *global order*: what the model keeps of program order, rf between threads, co and fr have none.
//!
//! An update, or an atomic block, is one event that reads and writes, so that its atomicity follows
//! from the second axiom. Program order is kept where the model's table says so, across fences, from
//! a read to what depends on it by data, address or control, from the reads behind an address to all
//! that follows the access, and from the reads behind a store's value to a read of that store.
//!
//! Source: Alglave, Maranget & Tautschnig, *Herding Cats*, for the shape of the axioms;
//! Ugawa, Abe & Maeda, section 3.1, for what is kept.
//!
//! Left out: LL and SC, whose failure no event shows; executions in which a thread is stuck before an
//! atomic block, or comes to what it cannot compute.

mod execution;
mod run;

use std::collections::BTreeSet;

use super::model::MemoryModel;
use super::outcome::Outcome;
use super::program::Program;
use execution::executions;
use run::runs;

/// The most events of an execution.
const MOST_EVENTS: usize = 64;

/// Why the executions of a program are not enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotEnumerated {
    /// An instruction that is left out.
    #[error("LL and SC have no axioms here")]
    Exclusive,
    /// Too much to enumerate.
    #[error("there are more than {limit} candidates")]
    TooMany {
        /// The most that were allowed.
        limit: u64,
    },
    /// Too many events for one execution.
    #[error("an execution has more than {MOST_EVENTS} events")]
    TooLong,
}

/// Every way in which `program` can end under `model`, but for ends in which a thread is stuck or
/// faulty.
///
/// # Errors
///
/// If the program uses LL or SC, or there are more than `limit` candidates to look at.
pub fn outcomes(
    program: &Program,
    model: MemoryModel,
    limit: u64,
) -> Result<BTreeSet<Outcome>, NotEnumerated> {
    executions(program, model, limit, &runs(program, limit)?)
}
