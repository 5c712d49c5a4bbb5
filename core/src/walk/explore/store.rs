//! The store that a search leaves: its states by their numbers, and the behaviours that led to them.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::asymmetry::Asymmetry;
use super::codec::{StatesKept, with};
use super::keys::{Compared, Form, StateKey};
use super::predecessors::{Predecessor, Predecessors};
use super::quotienting::{Lifting, Quotienting};
use super::segments::{BLOCK, SegmentedVec};
use super::spill::Blocks;
use super::{Place, StateId};
use crate::statement::asked::model_call::{catch, named, tolerated};
use crate::statement::asked::visit::visit_steps;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};
use crate::statement::trace::Trace;

/// States by their numbers, and the behaviours that led to them: what a search reached, whatever is kept of it, or
/// what is to be shown of random walks.
pub(crate) trait States<S: TransitionSystem>: Send + Sync {
    /// Number of distinct states that were reached, as far as that is known.
    fn len(&self) -> usize;
    /// A state, unless states are not kept.
    fn state(&self, system: &S, id: StateId) -> Option<StateOf<S>>;
    /// The length of the path found to a state.
    fn length(&self, id: StateId) -> u32;
    /// Origin of the path found to a state.
    fn origin(&self, id: StateId) -> Origin<'_, S>;
    /// Warning about the origin of the behaviour to a state, if there is one.
    fn provenance(&self, _id: StateId) -> Option<&str> {
        None
    }
    /// The place of a state.
    fn place(&self, id: StateId) -> Place {
        Place {
            length: self.length(id),
            state: id,
            step: None,
        }
    }
}

/// Origin of the path found to a state.
pub(crate) enum Origin<'a, S: TransitionSystem> {
    /// The state is initial.
    Initial,
    /// A step of one of these leads to it.
    OneOf(Range<u64>),
    /// The behaviour itself was kept.
    Behaviour(&'a Trace<S>),
}

/// The keys of the states that a search reached, and how it reached them.
pub(super) trait Reached: Send + Sync {
    /// Number of states.
    fn len(&self) -> usize;
    /// Shows the key of a state to `look`, and says whether it was kept.
    fn look_at(&self, id: StateId, look: &mut dyn FnMut(StateKey<'_>)) -> bool;
    /// The length of the path found to a state.
    fn length(&self, id: StateId) -> u32;
    /// States of which a step leads to a state; none if it is initial.
    fn sources(&self, id: StateId) -> Range<u64>;
    /// Bytes that codes take, on average.
    fn bytes_of_code(&self) -> f64;
}

/// The states of a search, kept as `K`.
pub(super) struct Store<K> {
    pub log: SegmentedVec<K>,
    pub predecessors: Predecessors,
    /// Number of blocks of the log that are on disk, the first ones, and the bytes that their keys take in memory.
    pub on_disk: (usize, u64),
    /// The disk that has blocks of the log that are not in memory.
    pub disk: Option<DiskBlocks<K>>,
}

/// Blocks on disk, and the one of them that was asked for last.
pub(super) struct DiskBlocks<K> {
    blocks: Box<dyn Blocks<K>>,
    last: Mutex<(usize, Vec<K>)>,
}

impl<K> DiskBlocks<K> {
    pub fn new(blocks: Box<dyn Blocks<K>>) -> Self {
        Self {
            blocks,
            last: Mutex::new((usize::MAX, Vec::new())),
        }
    }
}

impl<K> Store<K> {
    /// The greatest length of a path to a state reached.
    pub fn depth(&self) -> u32 {
        let last = (self.log.len() as u64).checked_sub(1).map(StateId);
        last.map_or(0, |last| self.predecessors.length(last))
    }
}

impl<K: Compared> Reached for Store<K> {
    fn len(&self) -> usize {
        self.log.len()
    }

    fn look_at(&self, id: StateId, look: &mut dyn FnMut(StateKey<'_>)) -> bool {
        let id = id.0 as usize;
        let (block, within) = (id / BLOCK, id % BLOCK);
        let one = |key: &K, look: &mut dyn FnMut(StateKey<'_>)| {
            look(K::keys(std::slice::from_ref(key)).at(0));
        };
        if self.log.is_loaded(block) {
            one(self.log.get(id), look);
            return true;
        }
        let Some(disk) = &self.disk else {
            return false;
        };
        let mut last = disk.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != block {
            // A state that cannot be read is one that was not kept.
            let Ok(keys) = disk.blocks.read(block) else {
                return false;
            };
            *last = (block, keys);
        }
        let key = last.1[within].clone();
        drop(last);
        one(&key, look);
        true
    }

    fn length(&self, id: StateId) -> u32 {
        self.predecessors.length(id)
    }

    fn sources(&self, id: StateId) -> Range<u64> {
        self.predecessors.sources(id)
    }

    fn bytes_of_code(&self) -> f64 {
        let (on_disk, bytes_on_disk) = self.on_disk;
        let blocks = (on_disk..=self.log.len() / BLOCK).filter(|block| self.log.is_loaded(*block));
        let runs = blocks.map(|block| self.log.block(block));
        let beginning = (on_disk * BLOCK, bytes_on_disk);
        let (states, bytes) = runs.fold(beginning, |(states, bytes), run| {
            (states + run.len(), bytes + K::keys(run).bytes() as u64)
        });
        bytes as f64 / states.max(1) as f64
    }
}

/// The form in which states were kept, as people are told it.
pub(super) fn kept(reached: &dyn Reached, form: Form) -> StatesKept {
    match form {
        Form::Fixed { bits, .. } => StatesKept::Packed { bits },
        Form::Varying => StatesKept::Encoded {
            bytes: reached.bytes_of_code(),
        },
        Form::Whole => StatesKept::Whole,
    }
}

/// Reason why a behaviour that a search found is not one when the model is asked again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrepeatable {
    /// A step that the search took, and that the model does not offer.
    #[error(
        "`next` is not a function of the state: the search went {first}, and asked again {again}"
    )]
    Step {
        /// The step that the search took.
        first: String,
        /// Steps that the model offers in its place.
        again: String,
    },
    /// States were identified, and no permutation leads from one to the other.
    #[error("the symmetry is none: {0}")]
    Asymmetry(#[from] Asymmetry),
}

const CLONE: &str = "`clone` of a state";

/// Number of steps that are shown of those that are offered in the place of one.
const SHOWN: usize = 8;

impl Unrepeatable {
    fn new<S: TransitionSystem>(system: &S, from: &StateOf<S>, first: String) -> Self {
        let mut offered = Vec::new();
        let mut count = 0;
        let _ = catch(|| {
            visit_steps(system, from, &mut |action, to| {
                if offered.len() < SHOWN {
                    offered.push(format!("{action:?} to {to:?}"));
                }
                count += 1;
            });
        });
        let more = if count > SHOWN { ", …" } else { "" };
        Self::Step {
            first,
            again: format!("the steps are {count}: {}{more}", offered.join(", ")),
        }
    }
}

/// The step at `position` among those that `from` offers.
pub(crate) fn nth_step<S: TransitionSystem>(
    system: &S,
    from: &StateOf<S>,
    position: u32,
) -> Result<(ActionOf<S>, StateOf<S>), Unrepeatable> {
    let mut taken = None;
    let mut at = 0;
    // The step may be one whose evaluation is followed by a panic.
    let _ = tolerated(|| {
        named("`next` of the implementation", || {
            visit_steps(system, from, &mut |action, to| {
                if at == position {
                    taken = Some((action, to.clone()));
                }
                at += 1;
            });
        });
    });
    taken.ok_or_else(|| {
        let first = format!("by step {} of {from:?}", position + 1);
        Unrepeatable::new(system, from, first)
    })
}

/// Predicate that says which states are expanded.
pub(crate) type WithinConstraint<'a, S> = dyn Fn(&StateOf<S>) -> bool + 'a;

/// Predicate that says which steps lead farther, where each level was passed twice.
pub(crate) type LeadsFarther<'a, S> = dyn Fn(&StateOf<S>, &ActionOf<S>, &StateOf<S>) -> bool + 'a;

/// The behaviour found to `place`, taken anew. Steps lead from representative to representative where there is a symmetry, and
/// none from a state that is not `within` the constraint, if there is one. Where each level was passed twice, `farther` says which steps led
/// from one to the next.
pub(crate) fn trace<S: TransitionSystem>(
    states: &dyn States<S>,
    system: &S,
    symmetry: Option<&dyn Lifting<S>>,
    within: Option<&WithinConstraint<'_, S>>,
    farther: Option<&LeadsFarther<'_, S>>,
    place: Place,
) -> Result<Trace<S>, Unrepeatable> {
    let quotient = symmetry.map(|symmetry| symmetry as &dyn Quotienting<S>);
    let mut positions: Vec<u32> = place.step.into_iter().collect();
    let mut at = place.state;
    loop {
        let predecessor = match states.origin(at) {
            Origin::Initial => break,
            Origin::OneOf(sources) => {
                let is_far = states.length(StateId(sources.start)) < states.length(at);
                let is_taken = |from: &_, action: &_, to: &_| {
                    farther.is_none_or(|farther| farther(from, action, to) == is_far)
                };
                predecessor(states, system, quotient, within, &is_taken, at, sources)?
            }
            Origin::Behaviour(behaviour) => {
                let mut trace = behaviour.clone();
                if let Some(position) = place.step {
                    let step = nth_step(system, trace.last(), position)?;
                    trace.steps.push(step);
                }
                return Ok(trace);
            }
        };
        positions.push(predecessor.step);
        at = predecessor.source;
    }
    let mut from = states.state(system, at).expect("initial states are kept");
    let mut trace = Trace {
        initial: from.clone(),
        steps: Vec::with_capacity(positions.len()),
    };
    for position in positions.into_iter().rev() {
        let (action, to) = nth_step(system, &from, position)?;
        from = match symmetry {
            None => to.clone(),
            Some(symmetry) => symmetry.canonical(system, &to),
        };
        trace.steps.push((action, to));
    }
    let steps = trace.length() - usize::from(place.step.is_some());
    let reached: &StateOf<S> = trace.states().nth(steps).unwrap_or(&trace.initial);
    let reached = match symmetry {
        None => reached.clone(),
        Some(symmetry) => symmetry.canonical(system, reached),
    };
    if let Some(kept) = states.state(system, place.state)
        && kept != reached
    {
        let first = format!("to {kept:?} by a path that now leads to {reached:?}");
        return Err(Unrepeatable::new(system, &trace.initial, first));
    }
    Ok(match symmetry {
        None => trace,
        Some(symmetry) => symmetry.lift(system, trace)?,
    })
}

/// Number of the first step taken of a state that leads to another one, if one does.
fn first_step<S: TransitionSystem>(
    system: &S,
    symmetry: Option<&dyn Quotienting<S>>,
    within: Option<&WithinConstraint<'_, S>>,
    is_taken: &LeadsFarther<'_, S>,
    from: &StateOf<S>,
    wanted: &StateOf<S>,
) -> Option<u32> {
    let mut step = None;
    let mut at = 0;
    // A state before the one looked for may be one that panics.
    let _ = tolerated(|| {
        if within.is_some_and(|within| !within(from)) {
            return;
        }
        named("`next` of the implementation", || {
            visit_steps(system, from, &mut |action, to| {
                let hit = match symmetry {
                    None => *to == *wanted,
                    Some(symmetry) => symmetry.canonical(system, to) == *wanted,
                };
                if hit && step.is_none() && is_taken(from, &action, to) {
                    step = Some(at);
                }
                at += 1;
            });
        });
    });
    step
}

/// The first step taken of one of `sources` that leads to a state.
fn predecessor<S: TransitionSystem>(
    states: &dyn States<S>,
    system: &S,
    symmetry: Option<&dyn Quotienting<S>>,
    within: Option<&WithinConstraint<'_, S>>,
    is_taken: &LeadsFarther<'_, S>,
    id: StateId,
    sources: Range<u64>,
) -> Result<Predecessor, Unrepeatable> {
    let wanted = states.state(system, id).expect("states are kept");
    let first = StateId(sources.start);
    let count = sources.end - sources.start;
    let mut sources = sources.map(StateId);
    let found = sources.find_map(|source| {
        let from = states.state(system, source).expect("states are kept");
        let step = first_step(system, symmetry, within, is_taken, &from, &wanted)?;
        Some(Predecessor { source, step })
    });
    if let Some(found) = found {
        return Ok(found);
    }
    let from = states.state(system, first).expect("states are kept");
    let one_of = match count {
        1 => String::new(),
        _ => format!(" or one of the {} states after it", count - 1),
    };
    let first = format!("from {from:?}{one_of} to {wanted:?}");
    Err(Unrepeatable::new(system, &from, first))
}

impl<S: TransitionSystem> States<S> for Box<dyn Reached> {
    fn len(&self) -> usize {
        (**self).len()
    }

    fn state(&self, system: &S, id: StateId) -> Option<StateOf<S>> {
        let mut found = None;
        self.look_at(id, &mut |key| {
            found = Some(with(system, key, |state| named(CLONE, || state.clone())));
        });
        found
    }

    fn length(&self, id: StateId) -> u32 {
        (**self).length(id)
    }

    fn origin(&self, id: StateId) -> Origin<'_, S> {
        let sources = (**self).sources(id);
        if sources.is_empty() {
            Origin::Initial
        } else {
            Origin::OneOf(sources)
        }
    }
}
