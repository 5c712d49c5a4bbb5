//! A state of the implementation and futures of it, of which each abstract state that its past leaves fails one: why no image
//! can be chosen before the future is known.

use super::antichain::Antichain;
use super::automaton::{Bounds, Stop};
use super::edge::{Edge, StepLabel};
use super::simulation::Sides;
use crate::walk::explore::Limit;

/// Work of a search for what the abstract states of one set fail.
const WORK: u64 = 1 << 18;

/// Pairs of a state and a set of abstract states that are looked at.
const MOST_LOOKED_AT: usize = 256;

/// Abstract states of a set that is looked at.
const MOST_MEMBERS: usize = 64;

/// Future of a state of the implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Future {
    pub edges: Vec<Edge>,
}

impl Future {
    /// Labels of its visible steps.
    pub fn labels(&self) -> Vec<StepLabel> {
        let labels = self.edges.iter().map(|edge| edge.label);
        labels
            .filter(|label| *label != StepLabel::INVISIBLE)
            .collect()
    }
}

/// State of which no image serves all futures.
pub(super) struct Torn {
    /// Place of the pair of the state and the abstract states after the same trace.
    pub at: u32,
    /// Futures; each of the abstract states fails one of them.
    pub futures: Vec<Future>,
    /// The first future that each abstract state fails, in the order of the set.
    pub failed: Vec<usize>,
}

/// Finds a state that is torn between futures, two if possible, among the first pairs of an inclusion that holds.
pub(super) fn torn(
    inclusion: &Antichain,
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
) -> Result<Option<Torn>, Limit> {
    let mut fewest: Option<Torn> = None;
    let pairs = inclusion.met.iter().enumerate();
    let several = pairs.filter(|(_, pair)| {
        let members = inclusion.sets.members(pair.set).len();
        (2..=MOST_MEMBERS).contains(&members)
    });
    for (at, pair) in several.take(MOST_LOOKED_AT) {
        let members = inclusion.sets.members(pair.set);
        let torn = bounds.allow(WORK, |bounds| {
            let Some(futures) = futures(pair.state, members, sides, bounds)? else {
                return Ok(None);
            };
            split(at as u32, members, futures, sides, bounds)
        });
        let Some(torn) = torn?.flatten() else {
            continue;
        };
        if torn.futures.len() == 2 {
            return Ok(Some(torn));
        }
        let is_fewer = |other: &Torn| torn.futures.len() < other.futures.len();
        if fewest.as_ref().is_none_or(is_fewer) {
            fewest = Some(torn);
        }
    }
    Ok(fewest)
}

/// A shortest future of a state for each abstract state that it fails, each future once; none if an abstract state fails none.
fn futures(
    state: u32,
    members: &[u32],
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
) -> Result<Option<Vec<Future>>, Stop> {
    let mut futures = Vec::new();
    for member in members {
        let mut search = Antichain::new();
        let Some(unmatched) = search.search(state, *member, sides, bounds)? else {
            return Ok(None);
        };
        let past = search.past(unmatched.at);
        let steps = past.iter().filter_map(|at| {
            let met = search.met[*at as usize];
            let reached = met.reached_by?;
            Some(Edge {
                label: reached.label,
                to: met.state,
            })
        });
        let future = Future {
            edges: steps.chain([unmatched.edge]).collect(),
        };
        if !futures.contains(&future) {
            futures.push(future);
        }
    }
    Ok(Some(futures))
}

/// The fewest of some futures such that each abstract state fails one: two if that is possible, else one after the other.
fn split(
    at: u32,
    members: &[u32],
    futures: Vec<Future>,
    sides: &mut Sides<'_>,
    bounds: &mut Bounds<'_>,
) -> Result<Option<Torn>, Stop> {
    let mut runs = Antichain::new();
    let mut fails = Vec::new();
    for future in &futures {
        let labels = future.labels();
        let mut row = Vec::new();
        for member in members {
            row.push(!runs.can_show(*member, &labels, sides, bounds)?);
        }
        fails.push(row);
    }
    let all = 0..futures.len();
    let is_enough = |chosen: &[usize]| {
        (0..members.len()).all(|member| chosen.iter().any(|future| fails[*future][member]))
    };
    let pairs = all
        .clone()
        .flat_map(|one| (one + 1..futures.len()).map(move |other| [one, other]));
    let chosen = pairs
        .filter(|pair| is_enough(pair))
        .map(|pair| pair.to_vec())
        .next();
    let chosen = chosen.unwrap_or_else(|| {
        // What the others fail already is left out.
        let mut chosen: Vec<usize> = all.collect();
        for future in (0..futures.len()).rev() {
            let others = chosen.iter().copied().filter(|other| *other != future);
            let others: Vec<usize> = others.collect();
            if is_enough(&others) {
                chosen = others;
            }
        }
        chosen
    });
    if chosen.len() < 2 || !is_enough(&chosen) {
        return Ok(None);
    }
    let failed = (0..members.len()).map(|member| {
        let first = chosen.iter().position(|future| fails[*future][member]);
        first.expect("each abstract state fails a future")
    });
    Ok(Some(Torn {
        at,
        failed: failed.collect(),
        futures: chosen.iter().map(|at| futures[*at].clone()).collect(),
    }))
}
