//! Traces, and replaying them on the model without the explorer: a counterexample is believed
//! because it replays, not because a search printed it.

use std::fmt::{self, Debug};

use crate::statement::system::{ActionOf, StateOf, TransitionSystem, successor};

/// A finite behaviour: an initial state, and the steps taken from it.
pub struct Trace<S: TransitionSystem> {
    /// State in which it begins.
    pub initial: StateOf<S>,
    /// Each action with the state to which it led.
    pub steps: Vec<(ActionOf<S>, StateOf<S>)>,
}

impl<S: TransitionSystem> Trace<S> {
    /// The state with which the trace ends.
    pub fn last(&self) -> &StateOf<S> {
        self.steps.last().map_or(&self.initial, |(_, state)| state)
    }

    /// Number of steps that it takes.
    pub fn length(&self) -> usize {
        self.steps.len()
    }

    /// The states of the trace, the initial one first.
    pub fn states(&self) -> impl Iterator<Item = &StateOf<S>> {
        std::iter::once(&self.initial).chain(self.steps.iter().map(|(_, state)| state))
    }
}

impl<S: TransitionSystem> Clone for Trace<S> {
    fn clone(&self) -> Self {
        Self {
            initial: self.initial.clone(),
            steps: self.steps.clone(),
        }
    }
}

impl<S: TransitionSystem> Debug for Trace<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace")
            .field("initial", &self.initial)
            .field("steps", &self.steps)
            .finish()
    }
}

impl<S: TransitionSystem> PartialEq for Trace<S> {
    fn eq(&self, other: &Self) -> bool {
        self.initial == other.initial && self.steps == other.steps
    }
}

impl<S: TransitionSystem> Eq for Trace<S> {}

/// Reason why a list of actions is not a behaviour of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The first state is not initial.
    #[error("the first state is not an initial state")]
    NotInitial,
    /// An action is not enabled where its turn comes.
    #[error("action {position} is not enabled")]
    NotEnabled {
        /// Number of the action, counted from 0.
        position: usize,
    },
}

/// Takes `actions` one after the other from `initial`.
///
/// # Errors
///
/// If `initial` is not an initial state of `system`, or an action is not enabled.
pub fn replay<S: TransitionSystem>(
    system: &S,
    initial: StateOf<S>,
    actions: impl IntoIterator<Item = ActionOf<S>>,
) -> Result<Trace<S>, ReplayError> {
    if !system.is_initial(&initial) {
        return Err(ReplayError::NotInitial);
    }
    let mut trace = Trace {
        initial,
        steps: Vec::new(),
    };
    for (position, action) in actions.into_iter().enumerate() {
        let to =
            successor(system, trace.last(), &action).ok_or(ReplayError::NotEnabled { position })?;
        trace.steps.push((action, to));
    }
    Ok(trace)
}
