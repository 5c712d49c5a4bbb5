//! FIFO queue of a bounded length.

use refmap::{Action, TransitionSystem};
use serde::{Deserialize, Serialize};

use super::answer::{Answer, AnswerKind, Answered};
use super::operation::{Called, Operation};
use super::sequence::{self, Queued, Sequence};
use super::sequential::{Deterministic, Sequential, executed_answers, executed_steps};
use super::value::Value;

/// FIFO queue of at most so many values: a push answers whether there was room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded<V> {
    /// Greatest number of values.
    pub capacity: usize,
    /// The values in it at first, the oldest first.
    pub initial: Vec<V>,
    /// The values that [`next`](TransitionSystem::next) pushes, each once. A history may have others.
    pub values: Vec<V>,
}

impl<V> Bounded<V> {
    /// Queue of this capacity, empty at first. [`next`](TransitionSystem::next) pushes nothing.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            initial: Vec::new(),
            values: Vec::new(),
        }
    }
}

/// Call of a bounded queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields, bound = "")]
#[rule(
    process = "thread",
    source = "Herlihy & Shavit, *The Art of Multiprocessor Programming*, chapter 10: bounded queue"
)]
pub enum Call<V: Value> {
    /// Adds a value if there is room; answers whether there was.
    Push(V),
    /// Removes the oldest value, and answers it; nothing if there is none.
    Pop,
}

impl<V: Value> Answered for Call<V> {
    type Value = V;

    fn kind(&self) -> AnswerKind {
        match self {
            Self::Push(_) => AnswerKind::Is,
            Self::Pop => AnswerKind::ValueOrNothing,
        }
    }
}

impl<V: Value> Deterministic for Bounded<V> {
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
        visit(Call::Pop);
        self.values.iter().cloned().map(Call::Push).for_each(visit);
    }

    fn execute(&self, state: &mut Sequence<V>, call: &Self::Call) -> Option<Self::Answer> {
        Some(match call {
            Call::Push(value) => {
                let has_room = state.values.len() < self.capacity;
                if has_room {
                    state.values.push_back(value.clone());
                }
                Answer::Is(has_room)
            }
            Call::Pop => state.values.pop_front().into(),
        })
    }
}

impl<V: Value> TransitionSystem for Bounded<V> {
    type State = Sequence<V>;
    type Action = Operation<Call<V>, Answer<V>>;
    type Observation = Sequence<V>;

    fn initial(&self, visit: &mut impl FnMut(Sequence<V>)) {
        visit(self.initial.iter().cloned().collect());
    }

    executed_steps!();
}

impl<V: Value> Sequential for Bounded<V> {
    type Call = Call<V>;
    type Answer = Answer<V>;

    executed_answers!();

    fn confirms(&self, operation: &Called<Call<V>, Answer<V>>) -> bool {
        sequence::confirms(operation)
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
