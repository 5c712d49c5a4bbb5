//! Naive search for all terminal states, and for the outcomes of a program.

use refmap::internal::counted;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hashbrown::HashSet;

use super::machine::Machine;
use super::outcome::Outcome;
use super::state::State;
use refmap::{StateOf, TransitionSystem};

/// Terminal states of a system.
#[derive(Clone, Debug)]
pub struct Ends<S> {
    /// States without a step, in the order in which they were found.
    pub states: Vec<S>,
    /// Number of all reachable states.
    pub explored: u64,
}

/// Error: the search was stopped by a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooManyStates {
    /// The limit on states was reached.
    #[error("there are more than {limit} states")]
    Limit {
        /// The limit.
        limit: u64,
    },
    /// The limit on memory was reached.
    #[error("the states take more than {}: stopped after {}", counted(*bytes, "byte"), counted(*explored, "state"))]
    Memory {
        /// The limit, in bytes.
        bytes: u64,
        /// Number of states found so far.
        explored: u64,
    },
    /// The limit on time was reached.
    #[error("the time of {} s is up: stopped after {}", .limit.as_secs_f64(), counted(*explored, "state"))]
    Time {
        /// The limit.
        limit: Duration,
        /// Number of states found so far.
        explored: u64,
    },
    /// The search was cancelled.
    #[error("stopped after {}", counted(*explored, "state"))]
    Cancelled {
        /// Number of states found so far.
        explored: u64,
    },
}

/// Limits of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits<'a> {
    /// Greatest number of states.
    pub states: u64,
    /// Approximate greatest number of bytes for states, as far as their size is known.
    pub bytes: u64,
    /// Greatest duration.
    pub time: Option<Duration>,
    /// Cancels the search when set.
    pub cancel: Option<&'a AtomicBool>,
}

impl<'a> Limits<'a> {
    /// Limits the number of states only.
    fn of_states(states: u64, cancel: Option<&'a AtomicBool>) -> Self {
        Self {
            states,
            bytes: u64::MAX,
            time: None,
            cancel,
        }
    }
}

/// Visits every reachable state of `system` with its number of steps. `size` estimates the bytes of a state.
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
            // A single state can have very many successors, so the limits are checked among them too.
            if taken <= bytes {
                seen.get_or_insert_with(to, |to| {
                    taken = taken.saturating_add(size(to));
                    open.push(to.clone());
                    to.clone()
                });
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

/// Finds the terminal states of `system`.
///
/// # Errors
///
/// If there are more than `limit` states, or `cancel` is set during the search.
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

/// Finds the terminal states of `machine` within `limits`.
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

/// Finds all reachable states of `system`.
pub(super) fn reachable<S: TransitionSystem>(
    system: &S,
    limit: u64,
) -> Result<Vec<StateOf<S>>, TooManyStates> {
    let mut states = Vec::new();
    let limits = Limits::of_states(limit, None);
    explore(system, limits, |_| 0, |state, _| states.push(state))?;
    Ok(states)
}

/// Finds all outcomes of the program of `machine`.
///
/// # Errors
///
/// If there are more than `limit` states.
pub fn outcomes(machine: &Machine, limit: u64) -> Result<BTreeSet<Outcome>, TooManyStates> {
    let ends = ends(machine, limit, None)?;
    let outcomes = ends.states.iter().map(|state| machine.outcome(state));
    Ok(outcomes.collect())
}
