//! Priority queue: a pop answers the least value.

pub use super::collections::Multiset;
use super::{Answer, Sequential, Value};
use crate::calls;

/// Priority queue: a pop answers the least value. Equal values are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityQueue<V> {
    /// The values in it at first.
    pub initial: Vec<V>,
    /// The values that its [calls](Sequential::calls) push, each once. A history may have others.
    pub values: Vec<V>,
}

impl<V> Default for PriorityQueue<V> {
    fn default() -> Self {
        let (initial, values) = Default::default();
        Self { initial, values }
    }
}

calls! {
    /// Call of a priority queue.
    #[derive(Copy)]
    #[rule(
        process = "thread",
        source = "Herlihy & Shavit, *The Art of Multiprocessor Programming*, chapter 15: priority queue"
    )]
    pub enum Call<V: Value> -> V {
        /// Adds a value; answers nothing.
        Push(V) -> Nothing,
        /// Removes the least value, and answers it; nothing if there is none.
        Pop -> ValueOrNothing,
    }
}

impl<V: Value + Ord> Sequential for PriorityQueue<V> {
    type State = Multiset<V>;
    type Call = Call<V>;
    type Answer = Answer<V>;

    fn initial(&self) -> Multiset<V> {
        self.initial.iter().cloned().collect()
    }

    fn execute(&self, call: &Call<V>, state: &mut Multiset<V>) -> Option<Answer<V>> {
        Some(match call {
            Call::Push(value) => {
                state.add(value.clone());
                Answer::Nothing
            }
            Call::Pop => state.pop_least().into(),
        })
    }

    fn calls(&self, visit: &mut impl FnMut(Call<V>)) {
        visit(Call::Pop);
        self.values.iter().cloned().map(Call::Push).for_each(visit);
    }

    fn commute(&self, one: &Call<V>, other: &Call<V>) -> bool {
        matches!((one, other), (Call::Push(_), Call::Push(_)))
    }
}
