//! FIFO queue of a bounded length.

use super::{Answer, Foresight, Sequence, Sequential, Value, oldest::Oldest};
use crate::calls;

/// FIFO queue of at most so many values: a push answers whether there was room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded<V> {
    /// Greatest number of values.
    pub capacity: usize,
    /// The values in it at first, the oldest first.
    pub initial: Vec<V>,
    /// The values that its [calls](Sequential::calls) push, each once. A history may have others.
    pub values: Vec<V>,
}

impl<V> Bounded<V> {
    /// Queue of this capacity, empty at first, whose [calls](Sequential::calls) push nothing.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            initial: Vec::new(),
            values: Vec::new(),
        }
    }
}

calls! {
    /// Call of a bounded queue.
    #[derive(Copy)]
    #[rule(
        process = "thread",
        source = "Herlihy & Shavit, *The Art of Multiprocessor Programming*, chapter 10: bounded queue"
    )]
    pub enum Call<V: Value> -> V {
        /// Adds a value if there is room; answers whether there was.
        Push(V) -> Is,
        /// Removes the oldest value, and answers it; nothing if there is none.
        Pop -> ValueOrNothing,
    }
}

impl<V: Value> Sequential for Bounded<V> {
    type State = Sequence<V>;
    type Call = Call<V>;
    type Answer = Answer<V>;

    fn initial(&self) -> Sequence<V> {
        self.initial.iter().cloned().collect()
    }

    fn execute(&self, call: &Call<V>, state: &mut Sequence<V>) -> Option<Answer<V>> {
        Some(match call {
            Call::Push(_) if state.values.len() >= self.capacity => Answer::Is(false),
            Call::Push(value) => {
                state.values.push_back(value.clone());
                Answer::Is(true)
            }
            Call::Pop => state.values.pop_front().into(),
        })
    }

    fn calls(&self, visit: &mut impl FnMut(Call<V>)) {
        visit(Call::Pop);
        self.values.iter().cloned().map(Call::Push).for_each(visit);
    }

    fn foresight(&self) -> impl Foresight<Self> {
        Oldest {
            is_popped: true,
            pushed: |call| match call {
                Call::Push(value) => Some(value),
                Call::Pop => None,
            },
        }
    }
}
