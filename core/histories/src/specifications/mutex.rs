//! Mutex: a lock that one owner holds at a time.

use refmap::{Action, State, StateOf, TransitionSystem};
use serde::{Deserialize, Serialize};

use super::answer::{Answer, AnswerKind, Answered, NoValue};
use super::operation::Operation;
use super::sequential::{Deterministic, Sequential, executed_answers, executed_steps};

/// Mutex: a lock that one owner holds at a time.
///
/// A call names its owner, a thread mostly, and only the owner that holds the lock can release it. It is not reentrant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mutex {
    /// The number of owners in [`next`](TransitionSystem::next): 0, 1, … A history may have others.
    pub owners: u32,
}

/// Call of a mutex, by an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[rule(
    process = "thread",
    source = "Dijkstra, *Solution of a problem in concurrent programming control*, CACM 8(9), 1965"
)]
pub enum Call {
    /// Takes the lock, if it is free; answers nothing.
    Lock(u32),
    /// Takes the lock, if it is free; answers whether it took it.
    TryLock(u32),
    /// Releases the lock, if the owner holds it; answers nothing.
    Unlock(u32),
}

/// Owner of a mutex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, State)]
pub struct Held {
    /// The owner; none if the lock is free.
    pub by: Option<u32>,
}

impl Answered for Call {
    type Value = NoValue;

    fn kind(&self) -> AnswerKind {
        match self {
            Self::Lock(_) | Self::Unlock(_) => AnswerKind::Nothing,
            Self::TryLock(_) => AnswerKind::Is,
        }
    }
}

impl Deterministic for Mutex {
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
        for owner in 0..self.owners {
            visit(Call::Lock(owner));
            visit(Call::TryLock(owner));
            visit(Call::Unlock(owner));
        }
    }

    fn execute(&self, state: &mut Held, call: &Self::Call) -> Option<Self::Answer> {
        match (*call, state.by) {
            (Call::Lock(owner), None) => {
                state.by = Some(owner);
                Some(Answer::Nothing)
            }
            (Call::TryLock(owner), None) => {
                state.by = Some(owner);
                Some(Answer::Is(true))
            }
            (Call::TryLock(_), Some(_)) => Some(Answer::Is(false)),
            (Call::Unlock(owner), Some(by)) if owner == by => {
                state.by = None;
                Some(Answer::Nothing)
            }
            (Call::Lock(_), Some(_)) | (Call::Unlock(_), _) => None,
        }
    }
}

impl TransitionSystem for Mutex {
    type State = Held;
    type Action = Operation<Call, Answer<NoValue>>;
    type Observation = Held;

    fn initial(&self, visit: &mut impl FnMut(Held)) {
        visit(Held::default());
    }

    executed_steps!();
}

impl Sequential for Mutex {
    type Call = Call;
    type Answer = Answer<NoValue>;

    executed_answers!();

    fn obstacle(&self, from: &StateOf<Self>, call: &Self::Call) -> Option<String> {
        let owner = from.by.map(|owner| format!("the lock is held by {owner}"));
        match call {
            Call::Lock(_) | Call::Unlock(_) => {
                Some(owner.unwrap_or_else(|| "the lock is free".to_owned()))
            }
            Call::TryLock(_) => None,
        }
    }
}
