//! Semaphore: permits that threads acquire and release.

use refmap::{Action, State, StateOf, TransitionSystem};
use serde::{Deserialize, Serialize};

use super::answer::{Answer, AnswerKind, Answered, NoValue};
use super::operation::Operation;
use super::sequential::{Deterministic, Sequential, executed_answers, executed_steps};

/// Semaphore: permits that threads acquire and release.
///
/// Any thread may release a permit that is acquired; there are never more than at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semaphore {
    /// Number of permits, all of which are available at first.
    pub permits: u64,
}

/// Call of a semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[rule(
    process = "thread",
    source = "Dijkstra, *Cooperating sequential processes*, EWD 123, 1965: P and V"
)]
pub enum Call {
    /// Acquires a permit, if one is available; answers nothing.
    Acquire,
    /// Acquires a permit unless none is available; answers whether one was.
    TryAcquire,
    /// Releases a permit, if one is acquired; answers nothing.
    Release,
}

/// Permits of a semaphore that are available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, State)]
pub struct Available {
    /// Their number.
    pub permits: u64,
}

impl Answered for Call {
    type Value = NoValue;

    fn kind(&self) -> AnswerKind {
        match self {
            Self::Acquire | Self::Release => AnswerKind::Nothing,
            Self::TryAcquire => AnswerKind::Is,
        }
    }
}

impl Deterministic for Semaphore {
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
        [Call::Acquire, Call::TryAcquire, Call::Release]
            .into_iter()
            .for_each(visit);
    }

    fn execute(&self, state: &mut Available, call: &Self::Call) -> Option<Self::Answer> {
        let is_available = state.permits > 0;
        match call {
            Call::Acquire if !is_available => return None,
            Call::Release if state.permits >= self.permits => return None,
            Call::TryAcquire if !is_available => return Some(Answer::Is(false)),
            Call::Acquire | Call::TryAcquire => state.permits -= 1,
            Call::Release => state.permits += 1,
        }
        Some(match call {
            Call::TryAcquire => Answer::Is(true),
            Call::Acquire | Call::Release => Answer::Nothing,
        })
    }
}

impl TransitionSystem for Semaphore {
    type State = Available;
    type Action = Operation<Call, Answer<NoValue>>;
    type Observation = Available;

    fn initial(&self, visit: &mut impl FnMut(Available)) {
        visit(Available {
            permits: self.permits,
        });
    }

    executed_steps!();
}

impl Sequential for Semaphore {
    type Call = Call;
    type Answer = Answer<NoValue>;

    executed_answers!();

    fn obstacle(&self, from: &StateOf<Self>, call: &Self::Call) -> Option<String> {
        match call {
            Call::Acquire => Some("no permit is available".to_owned()),
            Call::Release => Some(format!(
                "{} permits are available, which are all",
                from.permits
            )),
            Call::TryAcquire => None,
        }
    }
}
