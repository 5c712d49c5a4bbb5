//! How a program can end: every state from which no step is left, found by a plain search.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hashbrown::HashSet;
use hashbrown::hash_set::Entry;
use serde::Serialize;

use super::expression::{Fault, Value};
use super::machine::Machine;
use super::state::State;
use refmap::{StateOf, TransitionSystem};

/// How a program ended. It says nothing of how it got there, so that two semantics can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Outcome {
    /// What each location holds.
    pub memory: Vec<Value>,
    /// The threads.
    pub threads: Vec<ThreadOutcome>,
}

/// How a thread ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct ThreadOutcome {
    /// Where.
    pub end: ThreadEnd,
    /// What it showed to the world.
    pub output: Vec<Value>,
    /// What the registers hold that are kept, in their order, if it came to its end.
    pub kept: Vec<Value>,
}

/// Where a thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadEnd {
    /// At its end, with everything performed.
    Ended,
    /// At an atomic block that may not run.
    Stuck,
    /// At the bound on backward jumps.
    CutOff,
    /// At an assertion that failed, which has this number.
    Failed(u16),
    /// At something that it cannot compute.
    Faulty(Fault),
}

impl Outcome {
    /// Whether every thread came to its end.
    pub fn is_complete(&self) -> bool {
        self.threads
            .iter()
            .all(|thread| thread.end == ThreadEnd::Ended)
    }
}

/// The states in which a system ends.
#[derive(Clone, Debug)]
pub struct Ends<S> {
    /// The states without a step, in the order in which they were found.
    pub states: Vec<S>,
    /// How many states there are in all.
    pub explored: u64,
}

/// A search that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooManyStates {
    /// The limit was reached.
    #[error("there are more than {limit} states")]
    Limit {
        /// The most states that were allowed.
        limit: u64,
    },
    /// The states would take too much memory.
    #[error("the states take more than {bytes} bytes: stopped after {explored} states")]
    Memory {
        /// The most bytes that were allowed.
        bytes: u64,
        /// How many states had been found.
        explored: u64,
    },
    /// The time was up.
    #[error("the time of {} s is up: stopped after {explored} states", .limit.as_secs_f64())]
    Time {
        /// The most time that was allowed.
        limit: Duration,
        /// How many states had been found.
        explored: u64,
    },
    /// Somebody asked to stop.
    #[error("stopped after {explored} states")]
    Cancelled {
        /// How many states had been found.
        explored: u64,
    },
}

/// What a search may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits<'a> {
    /// The most states.
    pub states: u64,
    /// About how many bytes the states may take, as far as their size is told.
    pub bytes: u64,
    /// The most time.
    pub time: Option<Duration>,
    /// Set by somebody who wants the search to stop.
    pub cancel: Option<&'a AtomicBool>,
}

impl<'a> Limits<'a> {
    /// No limit but that of the number of states.
    fn of_states(states: u64, cancel: Option<&'a AtomicBool>) -> Self {
        Self {
            states,
            bytes: u64::MAX,
            time: None,
            cancel,
        }
    }
}

/// Visits every state of `system`, with how many steps it has. `size` says about how many bytes a
/// state takes.
fn explore<S: TransitionSystem>(
    system: &S,
    limits: Limits<'_>,
    size: impl Fn(&StateOf<S>) -> u64,
    mut visit: impl FnMut(StateOf<S>, usize),
) -> Result<u64, TooManyStates> {
    let Limits {
        states: limit,
        bytes,
        time,
        cancel,
    } = limits;
    let begun = Instant::now();
    let mut taken = 0_u64;
    let mut seen = HashSet::<_, foldhash::fast::RandomState>::default();
    let mut open = Vec::new();
    system.initial(&mut |state| {
        if seen.insert(state.clone()) {
            taken = taken.saturating_add(size(&state));
            open.push(state);
        }
    });
    while let Some(state) = open.pop() {
        let explored = seen.len() as u64;
        if explored > limit {
            return Err(TooManyStates::Limit { limit });
        }
        if taken > bytes {
            return Err(TooManyStates::Memory { bytes, explored });
        }
        if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(TooManyStates::Cancelled { explored });
        }
        if let Some(limit) = time.filter(|time| begun.elapsed() >= *time) {
            return Err(TooManyStates::Time { limit, explored });
        }
        let mut steps = 0;
        system.next(&state, &mut |_, to| {
            steps += 1;
            // A single state can have so many successors that it matters to stop among them.
            if taken <= bytes
                && let Entry::Vacant(unseen) = seen.entry(to)
            {
                taken = taken.saturating_add(size(unseen.get()));
                open.push(unseen.get().clone());
                unseen.insert();
            }
        });
        visit(state, steps);
    }
    if taken > bytes {
        let explored = seen.len() as u64;
        return Err(TooManyStates::Memory { bytes, explored });
    }
    Ok(seen.len() as u64)
}

/// Every state of `system` that has no successor.
///
/// # Errors
///
/// If there are more than `limit` states, or `cancel` is set on the way.
pub fn ends<S: TransitionSystem>(
    system: &S,
    limit: u64,
    cancel: Option<&AtomicBool>,
) -> Result<Ends<StateOf<S>>, TooManyStates> {
    let mut states = Vec::new();
    let limits = Limits::of_states(limit, cancel);
    let explored = explore(
        system,
        limits,
        |_| 0,
        |state, steps| {
            if steps == 0 {
                states.push(state);
            }
        },
    )?;
    Ok(Ends { states, explored })
}

/// Every state of `machine` that has no successor, within `limits`.
pub(super) fn ends_within(
    machine: &Machine,
    limits: Limits<'_>,
) -> Result<Ends<StateOf<Machine>>, TooManyStates> {
    let mut states = Vec::new();
    let explored = explore(machine, limits, State::bytes, |state, steps| {
        if steps == 0 {
            states.push(state);
        }
    })?;
    Ok(Ends { states, explored })
}

/// Every state of `system`.
pub(super) fn reachable<S: TransitionSystem>(
    system: &S,
    limit: u64,
) -> Result<Vec<StateOf<S>>, TooManyStates> {
    let mut states = Vec::new();
    let limits = Limits::of_states(limit, None);
    explore(system, limits, |_| 0, |state, _| states.push(state))?;
    Ok(states)
}

/// Every way in which the program of `machine` can end.
///
/// # Errors
///
/// If there are more than `limit` states.
pub fn outcomes(machine: &Machine, limit: u64) -> Result<BTreeSet<Outcome>, TooManyStates> {
    let ends = ends(machine, limit, None)?;
    let outcomes = ends.states.iter().map(|state| machine.outcome(state));
    Ok(outcomes.collect())
}
