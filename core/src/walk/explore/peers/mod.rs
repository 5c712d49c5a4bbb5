//! Peers: processes that search together, each with the states that it owns.
//!
//! A state belongs to a process by a hash of its key. The processes expand a level at a time, and send each other the targets that they do
//! not own, a bounded number of words at a time; that all have sent and got these is the only thing that they wait for. When a level is
//! complete each sorts what is new of its own, so that the number of a state among those of its level says which keys are less, however many
//! processes there are. In the end one process has the findings of all, and asks the others for the states that it has to show.

mod attended;
mod error;
mod exchange;
mod notice;
mod texts;

pub(crate) use attended::Attended;
pub use error::PeersError;
pub use exchange::Peers;
pub(super) use exchange::{FIRST, meet, to_all, to_first};
pub(super) use notice::{Notice, Trouble};
use texts::push_text;
pub(super) use texts::{push_value, take_text, take_value};

use std::sync::Arc;

use serde_json::{Map, Value};

/// Peers of a search, and on what its outcome depends.
pub(crate) struct Party {
    pub peers: Arc<Attended>,
    /// Values that are the same in all processes if they search the same.
    pub identity: Map<String, Value>,
}

/// Ends the search of the other processes, which take `report` for theirs.
///
/// # Errors
///
/// If one of them was lost before.
pub(crate) fn conclude(peers: &dyn Peers, report: &str) -> Result<(), PeersError> {
    let mut words = Vec::new();
    push_text(&mut words, report);
    peers.exchange(to_all(peers, &words))?;
    Ok(())
}
