//! Counter: a number to which threads add.

use refmap::{Action, State, TransitionSystem};
use serde::{Deserialize, Serialize};

use super::answer::{Answer, AnswerKind, Answered};
use super::operation::Operation;
use super::sequential::{Deterministic, Sequential, executed_answers, executed_steps};

/// Counter: a number to which threads add. It wraps around, as an atomic integer does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// The number at first.
    pub initial: i64,
    /// The numbers that [`next`](TransitionSystem::next) adds, each once. A history may have others.
    pub values: Vec<i64>,
}

/// Call of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[rule(
    process = "thread",
    source = "Herlihy, *Wait-free synchronization*, TOPLAS 13(1), 1991: fetch&add"
)]
pub enum Call {
    /// Answers the number.
    Read,
    /// Adds a number; answers nothing.
    Add(i64),
    /// Adds a number; answers the one before.
    FetchAdd(i64),
}

/// Count of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, State)]
pub struct Count {
    /// The number.
    pub number: i64,
}

impl Answered for Call {
    type Value = i64;

    fn kind(&self) -> AnswerKind {
        match self {
            Self::Add(_) => AnswerKind::Nothing,
            Self::Read | Self::FetchAdd(_) => AnswerKind::Value,
        }
    }
}

impl Deterministic for Counter {
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
        visit(Call::Read);
        for number in &self.values {
            visit(Call::Add(*number));
            visit(Call::FetchAdd(*number));
        }
    }

    fn execute(&self, state: &mut Count, call: &Self::Call) -> Option<Self::Answer> {
        let before = state.number;
        Some(match call {
            Call::Read => Answer::Value(before),
            Call::Add(number) => {
                state.number = before.wrapping_add(*number);
                Answer::Nothing
            }
            Call::FetchAdd(number) => {
                state.number = before.wrapping_add(*number);
                Answer::Value(before)
            }
        })
    }
}

impl TransitionSystem for Counter {
    type State = Count;
    type Action = Operation<Call, Answer<i64>>;
    type Observation = Count;

    fn initial(&self, visit: &mut impl FnMut(Count)) {
        visit(Count {
            number: self.initial,
        });
    }

    executed_steps!();
}

impl Sequential for Counter {
    type Call = Call;
    type Answer = Answer<i64>;

    executed_answers!();

    fn only_looks(&self, call: &Self::Call) -> bool {
        matches!(call, Call::Read)
    }

    fn commute(&self, one: &Self::Call, other: &Self::Call) -> bool {
        matches!(
            (one, other),
            (Call::Add(_), Call::Add(_)) | (Call::Read, Call::Read)
        )
    }
}
