//! Register: a value that is read, written, and compared and swapped.

use refmap::{Action, State, TransitionSystem};
use serde::{Deserialize, Serialize};

use super::answer::{Answer, AnswerKind, Answered};
use super::operation::Operation;
use super::sequential::{Deterministic, Sequential, executed_answers, executed_steps};
use super::value::Value;

/// Register: a value that is read, written, and compared and swapped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register<V> {
    /// The value at first.
    pub initial: V,
    /// The values with which [`next`](TransitionSystem::next) calls, each once. A history may have others.
    pub values: Vec<V>,
}

/// Call of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields, bound = "")]
#[rule(
    process = "thread",
    source = "Lamport, *On interprocess communication*, part II, 1986: atomic registers"
)]
pub enum Call<V: Value> {
    /// Answers the value.
    Read,
    /// Writes a value; answers nothing.
    Write(V),
    /// Writes `to` if the value is `from`; answers whether it was.
    #[rule(source = "Herlihy, *Wait-free synchronization*, TOPLAS 13(1), 1991: compare&swap")]
    CompareAndSwap {
        /// The value expected.
        from: V,
        /// The new value.
        to: V,
    },
}

/// Contents of a register.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Contents<V: Value> {
    /// The value.
    pub value: V,
}

impl<V: Value, S: ?Sized> State<S> for Contents<V> {}

impl<V: Value> Answered for Call<V> {
    type Value = V;

    fn kind(&self) -> AnswerKind {
        match self {
            Self::Read => AnswerKind::Value,
            Self::Write(_) => AnswerKind::Nothing,
            Self::CompareAndSwap { .. } => AnswerKind::Is,
        }
    }
}

impl<V: Value> Deterministic for Register<V> {
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
        visit(Call::Read);
        for value in &self.values {
            visit(Call::Write(value.clone()));
            for to in &self.values {
                let (from, to) = (value.clone(), to.clone());
                visit(Call::CompareAndSwap { from, to });
            }
        }
    }

    fn execute(&self, state: &mut Contents<V>, call: &Self::Call) -> Option<Self::Answer> {
        Some(match call {
            Call::Read => Answer::Value(state.value.clone()),
            Call::Write(value) => {
                state.value = value.clone();
                Answer::Nothing
            }
            Call::CompareAndSwap { from, to } => {
                let is_equal = state.value == *from;
                if is_equal {
                    state.value = to.clone();
                }
                Answer::Is(is_equal)
            }
        })
    }
}

impl<V: Value> TransitionSystem for Register<V> {
    type State = Contents<V>;
    type Action = Operation<Call<V>, Answer<V>>;
    type Observation = Contents<V>;

    fn initial(&self, visit: &mut impl FnMut(Contents<V>)) {
        visit(Contents {
            value: self.initial.clone(),
        });
    }

    executed_steps!();
}

impl<V: Value> Sequential for Register<V> {
    type Call = Call<V>;
    type Answer = Answer<V>;

    executed_answers!();

    fn only_looks(&self, call: &Self::Call) -> bool {
        match call {
            Call::Read => true,
            Call::Write(_) => false,
            Call::CompareAndSwap { from, to } => from == to,
        }
    }

    fn commute(&self, one: &Self::Call, other: &Self::Call) -> bool {
        let both_write =
            matches!((one, other), (Call::Write(one), Call::Write(other)) if one == other);
        both_write || self.only_looks(one) && self.only_looks(other)
    }
}
