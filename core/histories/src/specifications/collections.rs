//! Collections of values, as states of objects. They are cheap to copy, whatever their size.

use im::{OrdMap, OrdSet, Vector};
use refmap::State;
use serde::{Serialize, Serializer};

use super::value::Value;

/// Sequence of values, the oldest first. It is cheap to copy, whatever its length.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Sequence<V: Value> {
    #[serde(serialize_with = "as_list")]
    pub(super) values: Vector<V>,
}

/// Elements of a set. They are cheap to copy, however many there are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Elements<V: Value + Ord> {
    #[serde(serialize_with = "as_list")]
    pub(super) values: OrdSet<V>,
}

/// Entries of a map. They are cheap to copy, however many there are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Entries<K: Value + Ord, V: Value> {
    /// Keys need not be strings, so that the JSON is a list of pairs.
    #[serde(serialize_with = "as_list")]
    pub(super) entries: OrdMap<K, V>,
}

/// Multiset of values. It is cheap to copy, whatever its size.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(bound = "")]
pub struct Multiset<V: Value + Ord> {
    /// The number of times that a value is in it, which is not 0.
    #[serde(serialize_with = "as_repeated")]
    pub(super) values: OrdMap<V, u64>,
}

impl<V: Value, S: ?Sized> State<S> for Sequence<V> {}
impl<V: Value + Ord, S: ?Sized> State<S> for Elements<V> {}
impl<K: Value + Ord, V: Value, S: ?Sized> State<S> for Entries<K, V> {}
impl<V: Value + Ord, S: ?Sized> State<S> for Multiset<V> {}

impl<V: Value> Sequence<V> {
    /// The values, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.values.iter()
    }
}

impl<V: Value + Ord> Elements<V> {
    /// The values, the least first.
    pub fn iter(&self) -> impl Iterator<Item = &V> {
        self.values.iter()
    }
}

impl<K: Value + Ord, V: Value> Entries<K, V> {
    /// The keys with their values, the least key first.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter()
    }

    /// Gives a key a value, or none; returns the one before.
    pub(super) fn set(&mut self, key: &K, value: Option<&V>) -> Option<V> {
        match value {
            Some(value) => self.entries.insert(key.clone(), value.clone()),
            None => self.entries.remove(key),
        }
    }
}

impl<V: Value + Ord> Multiset<V> {
    /// The values, the least first, each as often as it is there.
    pub fn iter(&self) -> impl Iterator<Item = &V> {
        repeated(&self.values)
    }

    /// Adds a value once.
    pub(super) fn add(&mut self, value: V) {
        *self.values.entry(value).or_insert(0) += 1;
    }

    /// Removes a value once; returns whether it was there.
    pub(super) fn remove(&mut self, value: &V) -> bool {
        match self.values.get(value).copied() {
            None => return false,
            Some(1) => self.values.remove(value),
            Some(times) => self.values.insert(value.clone(), times - 1),
        };
        true
    }

    /// Removes the least value once.
    pub(super) fn pop_least(&mut self) -> Option<V> {
        let (value, _) = self.values.get_min().cloned()?;
        self.remove(&value);
        Some(value)
    }
}

impl<V: Value> FromIterator<V> for Sequence<V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let values = values.into_iter().collect();
        Self { values }
    }
}

impl<V: Value + Ord> FromIterator<V> for Elements<V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let values = values.into_iter().collect();
        Self { values }
    }
}

impl<K: Value + Ord, V: Value> FromIterator<(K, V)> for Entries<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries = entries.into_iter().collect();
        Self { entries }
    }
}

impl<V: Value + Ord> FromIterator<V> for Multiset<V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let mut all = Self {
            values: OrdMap::new(),
        };
        values.into_iter().for_each(|value| all.add(value));
        all
    }
}

fn repeated<V: Ord>(values: &OrdMap<V, u64>) -> impl Iterator<Item = &V> {
    let values = values.iter();
    values.flat_map(|(value, times)| (0..*times).map(move |_| value))
}

fn as_list<'a, T, S>(values: &'a T, serializer: S) -> Result<S::Ok, S::Error>
where
    &'a T: IntoIterator<Item: Serialize>,
    S: Serializer,
{
    serializer.collect_seq(values)
}

fn as_repeated<V: Value + Ord, S: Serializer>(
    values: &OrdMap<V, u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(repeated(values))
}
