//! Set of values.

use std::collections::BTreeSet;

pub use super::collections::Elements;
use super::{Answer, Sequential, Value};
use crate::calls;

/// Set of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set<V> {
    /// The values in it at first.
    pub initial: BTreeSet<V>,
    /// The values of its [calls](Sequential::calls), each once. A history may have others.
    pub values: Vec<V>,
}

impl<V> Default for Set<V> {
    fn default() -> Self {
        let (initial, values) = Default::default();
        Self { initial, values }
    }
}

calls! {
    /// Call of a set.
    #[derive(Copy)]
    #[rule(
        process = "thread",
        source = "Herlihy & Shavit, *The Art of Multiprocessor Programming*, chapter 9: set"
    )]
    pub enum Call<V: Value + Ord> -> BTreeSet<V> {
        /// Adds a value; answers whether it was missing.
        Add(V) -> Is,
        /// Removes a value; answers whether it was there.
        Remove(V) -> Is,
        /// Answers whether a value is there.
        Contains(V) -> Is,
        /// Answers the set, as a list.
        #[rule(source = "Afek et al., *Atomic snapshots of shared memory*, JACM 40(4), 1993: scan")]
        All -> Value,
    }
}

impl<V: Value + Ord> Call<V> {
    /// The value that the call names, if it names one.
    fn value(&self) -> Option<&V> {
        match self {
            Self::Add(value) | Self::Remove(value) | Self::Contains(value) => Some(value),
            Self::All => None,
        }
    }
}

impl<V: Value + Ord> Sequential for Set<V> {
    type State = Elements<V>;
    type Call = Call<V>;
    type Answer = Answer<BTreeSet<V>>;

    fn initial(&self) -> Elements<V> {
        self.initial.iter().cloned().collect()
    }

    fn execute(&self, call: &Call<V>, state: &mut Elements<V>) -> Option<Self::Answer> {
        Some(match call {
            Call::Add(value) if state.values.contains(value) => Answer::Is(false),
            Call::Add(value) => Answer::Is(state.values.insert(value.clone()).is_none()),
            Call::Remove(value) => Answer::Is(state.values.remove(value).is_some()),
            Call::Contains(value) => Answer::Is(state.values.contains(value)),
            Call::All => Answer::Value(state.iter().cloned().collect()),
        })
    }

    fn calls(&self, visit: &mut impl FnMut(Call<V>)) {
        visit(Call::All);
        for value in &self.values {
            visit(Call::Add(value.clone()));
            visit(Call::Remove(value.clone()));
            visit(Call::Contains(value.clone()));
        }
    }

    fn only_looks(&self, call: &Call<V>) -> bool {
        matches!(call, Call::Contains(_) | Call::All)
    }

    fn commute(&self, one: &Call<V>, other: &Call<V>) -> bool {
        matches!((one.value(), other.value()), (Some(one), Some(other)) if one != other)
    }
}
