//! A state of the implementation and futures of it, of which each abstract state that its past leaves fails one: why no image
//! can be chosen before the future is known.

use super::edge::Edge;
use super::pair_search::{NoAnswer, SearchedPairs};
use super::pairs::TracePair;
use super::sides::Sides;
use crate::statement::erased::ErasedState;
use crate::walk::explore::StateId;

/// Work of a search for what the abstract states of one set fail.
const WORK: u64 = 1 << 18;

/// State of which no image serves all futures.
pub(super) struct Torn {
    /// Number of the pair of the state and the abstract states after the same trace.
    pub at: StateId,
    /// The abstract states.
    pub images: Vec<ErasedState>,
    /// Shortest futures that abstract states fail, each once.
    pub futures: Vec<Vec<Edge>>,
    /// The future that each abstract state fails, in their order.
    pub failed: Vec<usize>,
}

/// Finds a state that is torn between the fewest futures, among the first pairs of an inclusion that holds.
pub(super) fn torn<'a>(
    searched: &SearchedPairs<'a>,
    sides: &mut Sides<'a>,
) -> Result<Option<Torn>, NoAnswer> {
    let mut fewest: Option<Torn> = None;
    for (at, pair) in searched.several() {
        let Some(torn) = torn_at(at, &pair, searched, sides)? else {
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

/// A shortest future of a state for each abstract state that fails one; none if an abstract state fails none, or that was not found out.
fn torn_at<'a>(
    at: StateId,
    pair: &TracePair,
    searched: &SearchedPairs<'a>,
    sides: &mut Sides<'a>,
) -> Result<Option<Torn>, NoAnswer> {
    let images = searched.pairs.abstract_states(pair);
    let (mut futures, mut failed) = (Vec::new(), Vec::new());
    for image in &images {
        let states = [ErasedState::clone(&pair.state), image.clone()];
        let work = WORK / images.len() as u64;
        let Some(future) = sides.search_future(states, work)? else {
            return Ok(None);
        };
        let Some(future) = future.unmatched().ok().flatten() else {
            return Ok(None);
        };
        let future = sides.steps_of(&future);
        let known = futures.iter().position(|other| *other == future);
        failed.push(known.unwrap_or(futures.len()));
        if known.is_none() {
            futures.push(future);
        }
    }
    Ok(Some(Torn {
        at,
        images,
        futures,
        failed,
    }))
}
