//! Map from keys to values.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

pub use super::collections::Entries;
use super::{Answer, Sequential, Value};
use crate::calls;

/// Map from keys to values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<K, V> {
    /// The entries at first.
    pub initial: BTreeMap<K, V>,
    /// The keys of its [calls](Sequential::calls), each once. A history may have others.
    pub keys: Vec<K>,
    /// The values of its [calls](Sequential::calls), each once. A history may have others.
    pub values: Vec<V>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        let (initial, keys, values) = Default::default();
        Self {
            initial,
            keys,
            values,
        }
    }
}

calls! {
    /// Call of a map.
    #[derive(Copy)]
    #[rule(process = "thread", source = "Herlihy & Wing, *Linearizability*, TOPLAS 12(3), 1990")]
    pub enum Call<K: Value, V: Value> -> V {
        /// Answers the value of a key; nothing if it has none.
        Get(K) -> ValueOrNothing,
        /// Gives a key a value; answers nothing.
        Put {
            /// The key.
            key: K,
            /// Its new value.
            value: V,
        } -> Nothing,
        /// Gives a key a value; answers the one before, or nothing if it had none.
        Swap {
            /// The key.
            key: K,
            /// Its new value.
            value: V,
        } -> ValueOrNothing,
        /// Takes the value of a key away, and answers it; nothing if it had none.
        Remove(K) -> ValueOrNothing,
        /// Gives a key the value `to` if it has the value `from`; answers whether it had. Nothing (`null`) is no value.
        CompareAndSwap {
            /// The key.
            key: K,
            /// The value expected.
            #[serde(deserialize_with = "named")]
            from: Option<V>,
            /// The new value.
            #[serde(deserialize_with = "named")]
            to: Option<V>,
        } -> Is,
    }
}

/// Value that may be `null`, but is not left out.
fn named<'de, V: Value, D: Deserializer<'de>>(deserializer: D) -> Result<Option<V>, D::Error> {
    Option::deserialize(deserializer)
}

impl<K: Value, V: Value> Call<K, V> {
    fn key(&self) -> &K {
        match self {
            Self::Get(key)
            | Self::Remove(key)
            | Self::Put { key, .. }
            | Self::Swap { key, .. }
            | Self::CompareAndSwap { key, .. } => key,
        }
    }
}

impl<K: Value + Ord, V: Value> Sequential for Map<K, V> {
    type State = Entries<K, V>;
    type Call = Call<K, V>;
    type Answer = Answer<V>;

    fn initial(&self) -> Entries<K, V> {
        self.initial.clone().into_iter().collect()
    }

    fn execute(&self, call: &Call<K, V>, state: &mut Entries<K, V>) -> Option<Answer<V>> {
        Some(match call {
            Call::Get(key) => state.entries.get(key).cloned().into(),
            Call::Put { key, value } => {
                state.set(key, Some(value));
                Answer::Nothing
            }
            Call::Swap { key, value } => state.set(key, Some(value)).into(),
            Call::Remove(key) => state.set(key, None).into(),
            Call::CompareAndSwap { key, from, to } => {
                let is_equal = state.entries.get(key) == from.as_ref();
                if is_equal {
                    state.set(key, to.as_ref());
                }
                Answer::Is(is_equal)
            }
        })
    }

    fn calls(&self, visit: &mut impl FnMut(Call<K, V>)) {
        let none_or_one = || std::iter::once(None).chain(self.values.iter().map(Some));
        for key in &self.keys {
            visit(Call::Get(key.clone()));
            visit(Call::Remove(key.clone()));
            for value in &self.values {
                let (key, value) = (key.clone(), value.clone());
                visit(Call::Put { key, value });
            }
            for value in &self.values {
                let (key, value) = (key.clone(), value.clone());
                visit(Call::Swap { key, value });
            }
            for from in none_or_one() {
                for to in none_or_one() {
                    let key = key.clone();
                    let (from, to) = (from.cloned(), to.cloned());
                    visit(Call::CompareAndSwap { key, from, to });
                }
            }
        }
    }

    fn only_looks(&self, call: &Call<K, V>) -> bool {
        match call {
            Call::Get(_) => true,
            Call::Put { .. } | Call::Swap { .. } | Call::Remove(_) => false,
            Call::CompareAndSwap { from, to, .. } => from == to,
        }
    }

    fn commute(&self, one: &Call<K, V>, other: &Call<K, V>) -> bool {
        one.key() != other.key() || matches!(one, Call::Put { .. }) && one == other
    }

    fn part(&self, call: &Call<K, V>) -> Option<String> {
        Some(refmap::internal::json(call.key()).to_string())
    }
}
