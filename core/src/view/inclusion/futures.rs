//! A state of the implementation and futures of it, of which each abstract state that its past leaves fails one: why no image
//! can be chosen before the future is known.

use super::antichain::{Antichain, edges};
use super::edge::Edge;
use super::sides::{Sides, Stop};
use crate::walk::explore::Limit;

/// Work of a search for what the abstract states of one set fail.
const WORK: u64 = 1 << 18;

/// Pairs of a state and a set of abstract states that are looked at.
const MOST_LOOKED_AT: usize = 256;

/// Abstract states of a set that is looked at.
const MOST_MEMBERS: usize = 64;

/// State of which no image serves all futures.
pub(super) struct Torn {
    /// Place of the pair of the state and the abstract states after the same trace.
    pub at: u32,
    /// Shortest futures that abstract states fail, each once.
    pub futures: Vec<Vec<Edge>>,
    /// The future that each abstract state fails, in the order of the set.
    pub failed: Vec<usize>,
}

/// Finds a state that is torn between the fewest futures, among the first pairs of an inclusion that holds.
pub(super) fn torn(inclusion: &Antichain, sides: &mut Sides<'_>) -> Result<Option<Torn>, Limit> {
    let mut fewest: Option<Torn> = None;
    let pairs = inclusion.walk.nodes().zip(0..);
    let several = pairs.filter_map(|(pair, at)| {
        let members = inclusion.sets.members(pair.set);
        let is_looked_at = (2..=MOST_MEMBERS).contains(&members.len());
        is_looked_at.then_some((at, pair.by.to, members))
    });
    for (at, state, members) in several.take(MOST_LOOKED_AT) {
        let torn = sides.allow(WORK, |sides| torn_at(at, state, members, sides))?;
        let Some(torn) = torn.flatten() else {
            continue;
        };
        let is_fewer = |other: &Torn| torn.futures.len() < other.futures.len();
        if fewest.as_ref().is_none_or(is_fewer) {
            fewest = Some(torn);
        }
        if fewest.as_ref().is_some_and(|torn| torn.futures.len() == 2) {
            break;
        }
    }
    Ok(fewest)
}

/// A shortest future of a state for each abstract state that fails one; none if an abstract state fails none.
fn torn_at(
    at: u32,
    state: u32,
    members: &[u32],
    sides: &mut Sides<'_>,
) -> Result<Option<Torn>, Stop> {
    let (mut futures, mut failed) = (Vec::new(), Vec::new());
    for member in members {
        let mut search = Antichain::default();
        let Some(unmatched) = search.search(state, *member, sides)? else {
            return Ok(None);
        };
        let mut future = edges(&search.walk.path(unmatched.at));
        future.push(unmatched.edge);
        let known = futures.iter().position(|other| *other == future);
        failed.push(known.unwrap_or(futures.len()));
        if known.is_none() {
            futures.push(future);
        }
    }
    Ok(Some(Torn {
        at,
        futures,
        failed,
    }))
}
