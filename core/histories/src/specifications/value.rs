//! Values that objects hold.

use std::fmt::Debug;
use std::hash::Hash;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Value that an object holds: plain data that JSON can have. No value may serialize as `null`, which is the answer of a call that
/// finds no value; so an `Option` is not one.
pub trait Value:
    Clone + Eq + Hash + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<V: Clone + Eq + Hash + Debug + Serialize + DeserializeOwned + Send + Sync + 'static> Value
    for V
{
}
