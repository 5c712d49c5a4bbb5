//! FIFO queue, and LIFO stack.

use super::{Answer, Foresight, Sequence, Sequential, Value, oldest::Oldest};
use crate::calls;

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
    /// The values that its [calls](Sequential::calls) push, each once. A history may have others.
    pub values: Vec<V>,
}

impl<V> Default for Queue<V> {
    fn default() -> Self {
        let (order, initial, values) = Default::default();
        Self {
            order,
            initial,
            values,
        }
    }
}

calls! {
    /// Call of a queue.
    #[derive(Copy)]
    #[rule(
        process = "thread",
        source = "Herlihy & Wing, *Linearizability*, TOPLAS 12(3), 1990: FIFO queue; Herlihy & Shavit, *The Art of Multiprocessor Programming*, chapter 11: stack"
    )]
    pub enum Call<V: Value> -> V {
        /// Adds a value; answers nothing.
        Push(V) -> Nothing,
        /// Removes the value that comes first, and answers it; nothing if there is none.
        Pop -> ValueOrNothing,
    }
}

impl<V: Value> Sequential for Queue<V> {
    type State = Sequence<V>;
    type Call = Call<V>;
    type Answer = Answer<V>;

    fn initial(&self) -> Sequence<V> {
        self.initial.iter().cloned().collect()
    }

    fn execute(&self, call: &Call<V>, state: &mut Sequence<V>) -> Option<Answer<V>> {
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

    fn calls(&self, visit: &mut impl FnMut(Call<V>)) {
        visit(Call::Pop);
        self.values.iter().cloned().map(Call::Push).for_each(visit);
    }

    fn commute(&self, one: &Call<V>, other: &Call<V>) -> bool {
        matches!((one, other), (Call::Push(one), Call::Push(other)) if one == other)
    }

    fn foresight(&self) -> impl Foresight<Self> {
        Oldest {
            is_popped: self.order == Order::Fifo,
            pushed: |call| match call {
                Call::Push(value) => Some(value),
                Call::Pop => None,
            },
        }
    }
}
