//! FIFO queue, and LIFO stack.

use refmap::{Action, TransitionSystem};
use serde::{Deserialize, Serialize};

use super::answer::{Answer, AnswerKind, Answered};
use super::operation::{Called, Operation};
use super::sequence::{self, Queued, Sequence};
use super::sequential::{Deterministic, Sequential, executed_answers, executed_steps};
use super::value::Value;

/// Order in which values are popped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The oldest first: a queue.
    #[default]
    Fifo,
    /// The newest first: a stack.
    Lifo,
}

/// Queue without bound: a pop answers the oldest value, or, of a stack, the newest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue<V> {
    /// The value that a pop answers.
    pub order: Order,
    /// The values in it at first, the oldest first.
    pub initial: Vec<V>,
    /// The values that [`next`](TransitionSystem::next) pushes, each once. A history may have others.
    pub values: Vec<V>,
}

impl<V> Default for Queue<V> {
    fn default() -> Self {
        Self {
            order: Order::default(),
            initial: Vec::new(),
            values: Vec::new(),
        }
    }
}

/// Call of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields, bound = "")]
#[rule(
    process = "thread",
    source = "Herlihy & Wing, *Linearizability*, TOPLAS 12(3), 1990: FIFO queue; Herlihy & Shavit, *The Art of Multiprocessor Programming*, chapter 11: stack"
)]
pub enum Call<V: Value> {
    /// Adds a value; answers nothing.
    Push(V),
    /// Removes the value that comes first, and answers it; nothing if there is none.
    Pop,
}

impl<V: Value> Answered for Call<V> {
    type Value = V;

    fn kind(&self) -> AnswerKind {
        match self {
            Self::Push(_) => AnswerKind::Nothing,
            Self::Pop => AnswerKind::ValueOrNothing,
        }
    }
}

impl<V: Value> Deterministic for Queue<V> {
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
        visit(Call::Pop);
        self.values.iter().cloned().map(Call::Push).for_each(visit);
    }

    fn execute(&self, state: &mut Sequence<V>, call: &Self::Call) -> Option<Self::Answer> {
        Some(match call {
            Call::Push(value) => {
                state.values.push_back(value.clone());
                Answer::Nothing
            }
            Call::Pop => match self.order {
                Order::Fifo => state.values.pop_front().into(),
                Order::Lifo => state.values.pop_back().into(),
            },
        })
    }
}

impl<V: Value> TransitionSystem for Queue<V> {
    type State = Sequence<V>;
    type Action = Operation<Call<V>, Answer<V>>;
    type Observation = Sequence<V>;

    fn initial(&self, visit: &mut impl FnMut(Sequence<V>)) {
        visit(self.initial.iter().cloned().collect());
    }

    executed_steps!();
}

impl<V: Value> Sequential for Queue<V> {
    type Call = Call<V>;
    type Answer = Answer<V>;

    executed_answers!();

    fn commute(&self, one: &Self::Call, other: &Self::Call) -> bool {
        matches!((one, other), (Call::Push(one), Call::Push(other)) if one == other)
    }
    fn confirms(&self, operation: &Called<Call<V>, Answer<V>>) -> bool {
        self.order == Order::Fifo && sequence::confirms(operation)
    }

    fn matters(
        &self,
        operation: &Called<Call<V>, Answer<V>>,
        other: &Called<Call<V>, Answer<V>>,
    ) -> bool {
        sequence::matters(operation, other)
    }

    fn is_hopeless<'e>(
        &self,
        from: &Sequence<V>,
        operation: &Called<Call<V>, Answer<V>>,
        others: impl Iterator<Item = &'e Called<Call<V>, Answer<V>>> + Clone,
    ) -> bool {
        sequence::is_hopeless(from, operation, others)
    }
}

impl<V: Value> Queued<V> for Call<V> {
    fn pushed(&self) -> Option<&V> {
        match self {
            Self::Push(value) => Some(value),
            Self::Pop => None,
        }
    }
}
