//! The engine that walks state spaces: breadth-first, exact, the same for any number of threads.
//!
//! What is done at each state and step is a [`Visitor`]'s business; the engine knows of no
//! obligation. It numbers states in the order of a sequential search; a smaller number
//! never means a greater distance from the initial states.
//!
//! A state is kept once, as it is or packed, and beside it a few bytes by which it is found again.
//! Nothing is kept of how it was reached, since that can be found out when it is asked for.

mod asymmetry;
mod codec;
mod disk;
mod duplicates;
mod exchange;
mod expansion;
mod exploration;
mod explored;
mod filtered;
mod graph;
mod keys;
mod limits;
pub(crate) mod memory;
mod no_outcome;
mod options;
mod peers;
mod place;
mod predecessors;
mod quotienting;
mod search;
mod segments;
mod set;
mod span;
mod spill;
mod store;
#[cfg(test)]
mod tests;
mod visitor;
mod watchdog;
mod words;

pub use crate::statement::asked::model_call::Panic;
pub use asymmetry::Asymmetry;
pub use codec::StatesKept;
pub(crate) use disk::Journal;
pub use disk::{Checkpoints, DiskError, Start, Written};
pub use exchange::Exchange;
pub(crate) use expansion::published;
pub use exploration::explore;
pub(crate) use exploration::{Means, explore_on};
pub use explored::{End, Explored};
pub use graph::{Graph, NodeId};
pub use limits::{Clock, Limit, Limits, OfPeers, Phase, Progress, Watch, Work};
pub(crate) use memory::resident_bytes;
#[cfg(test)]
pub(crate) use memory::tests::REFUSED;
pub(crate) use no_outcome::NoOutcome;
pub use options::{Options, Record, Storage};
pub(crate) use peers::{Attended, Party, conclude};
pub use peers::{Peers, PeersError};
pub use place::{Place, StateId};
pub use quotienting::{Lifting, Quotienting};
pub use spill::{Spilled, Spilling};
pub use store::Unrepeatable;
pub(crate) use store::{Origin, States, trace};
pub use visitor::Visitor;
pub(crate) use visitor::{look_at, look_at_step};
pub(crate) use watchdog::STACK;
pub use watchdog::{Unreturned, Watchdog};
