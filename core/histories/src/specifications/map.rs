//! Map from keys to values.

use std::collections::BTreeMap;

use im::OrdMap;
use refmap::{Action, State, TransitionSystem};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::answer::{Answer, AnswerKind, Answered};
use super::operation::Operation;
use super::sequential::{Deterministic, Sequential, executed_answers, executed_steps};
use super::value::Value;

/// Map from keys to values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<K, V> {
    /// The entries at first.
    pub initial: BTreeMap<K, V>,
    /// The keys with which [`next`](TransitionSystem::next) calls, each once. A history may have others.
    pub keys: Vec<K>,
    /// The values with which [`next`](TransitionSystem::next) calls, each once. A history may have others.
    pub values: Vec<V>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self {
            initial: BTreeMap::new(),
            keys: Vec::new(),
            values: Vec::new(),
        }
    }
}

/// Call of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Action)]
#[serde(rename_all = "snake_case", deny_unknown_fields, bound = "")]
#[rule(
    process = "thread",
    source = "Herlihy & Wing, *Linearizability*, TOPLAS 12(3), 1990"
)]
pub enum Call<K: Value, V: Value> {
    /// Answers the value of a key; nothing if it has none.
    Get(K),
    /// Gives a key a value; answers nothing.
    Put {
        /// The key.
        key: K,
        /// Its new value.
        value: V,
    },
    /// Gives a key a value; answers the one before, or nothing if it had none.
    Swap {
        /// The key.
        key: K,
        /// Its new value.
        value: V,
    },
    /// Takes the value of a key away, and answers it; nothing if it had none.
    Remove(K),
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
    },
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

/// Entries of a map. They are cheap to copy, however many there are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Entries<K: Value + Ord, V: Value> {
    #[serde(serialize_with = "as_list")]
    entries: OrdMap<K, V>,
}

impl<K: Value + Ord, V: Value, S: ?Sized> State<S> for Entries<K, V> {}

impl<K: Value + Ord, V: Value> Entries<K, V> {
    /// The keys with their values, the least key first.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter()
    }

    fn set(&mut self, key: &K, value: Option<&V>) -> Option<V> {
        match value {
            Some(value) => self.entries.insert(key.clone(), value.clone()),
            None => self.entries.remove(key),
        }
    }
}

impl<K: Value + Ord, V: Value> FromIterator<(K, V)> for Entries<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries = entries.into_iter().collect();
        Self { entries }
    }
}

/// Keys need not be strings, so that the JSON is a list of pairs.
fn as_list<K: Value + Ord, V: Value, S: Serializer>(
    entries: &OrdMap<K, V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(entries.iter())
}

impl<K: Value, V: Value> Answered for Call<K, V> {
    type Value = V;

    fn kind(&self) -> AnswerKind {
        match self {
            Self::Put { .. } => AnswerKind::Nothing,
            Self::Get(_) | Self::Swap { .. } | Self::Remove(_) => AnswerKind::ValueOrNothing,
            Self::CompareAndSwap { .. } => AnswerKind::Is,
        }
    }
}

impl<K: Value + Ord, V: Value> Deterministic for Map<K, V> {
    fn calls(&self, visit: &mut impl FnMut(Self::Call)) {
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

    fn execute(&self, state: &mut Entries<K, V>, call: &Self::Call) -> Option<Self::Answer> {
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
}

impl<K: Value + Ord, V: Value> TransitionSystem for Map<K, V> {
    type State = Entries<K, V>;
    type Action = Operation<Call<K, V>, Answer<V>>;
    type Observation = Entries<K, V>;

    fn initial(&self, visit: &mut impl FnMut(Entries<K, V>)) {
        visit(self.initial.clone().into_iter().collect());
    }

    executed_steps!();
}

impl<K: Value + Ord, V: Value> Sequential for Map<K, V> {
    type Call = Call<K, V>;
    type Answer = Answer<V>;

    executed_answers!();

    fn part(&self, call: &Self::Call) -> Option<String> {
        Some(refmap::internal::json(call.key()).to_string())
    }

    fn only_looks(&self, call: &Self::Call) -> bool {
        match call {
            Call::Get(_) => true,
            Call::Put { .. } | Call::Swap { .. } | Call::Remove(_) => false,
            Call::CompareAndSwap { from, to, .. } => from == to,
        }
    }

    fn commute(&self, one: &Self::Call, other: &Self::Call) -> bool {
        let is_same_put = matches!(one, Call::Put { .. }) && one == other;
        one.key() != other.key() || is_same_put || self.only_looks(one) && self.only_looks(other)
    }
}
