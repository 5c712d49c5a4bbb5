//! Sequence of values, as a persistent vector.

use im::Vector;
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

impl<V: Value, S: ?Sized> State<S> for Sequence<V> {}

impl<V: Value> Sequence<V> {
    /// The values, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.values.iter()
    }
}

impl<V: Value> FromIterator<V> for Sequence<V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let values = values.into_iter().collect();
        Self { values }
    }
}

fn as_list<V: Value, S: Serializer>(values: &Vector<V>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values)
}
