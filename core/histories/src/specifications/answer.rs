//! Answers to calls.

use std::fmt::Debug;
use std::hash::Hash;

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Error, from_value};

use super::value::Value;

/// Type of the answers to calls of type `C`.
pub trait AnswerTo<C>: Clone + Eq + Hash + Debug + Serialize + Send + Sync + 'static {
    /// Reads an answer to `call`, as it was serialized. The call decides between answers that JSON has alike: `true` may be that of
    /// a push, and a value that is popped.
    ///
    /// # Errors
    ///
    /// If it is not an answer to such a call.
    fn read(call: &C, json: serde_json::Value) -> Result<Self, Error>;

    /// True if there are several answers to `call`. Otherwise it has the same one wherever it is possible, as a write does, so that
    /// nothing is unknown of an operation whose answer was not recorded.
    fn tells(_call: &C) -> bool {
        true
    }
}

/// Answer of an object of this module: nothing, a truth value, or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Answer<V> {
    /// Nothing, `null`: of a call that has nothing to say, and of one that finds no value.
    Nothing,
    /// `true` or `false`.
    Is(bool),
    /// A value.
    Value(V),
}

impl<V> From<()> for Answer<V> {
    fn from((): ()) -> Self {
        Self::Nothing
    }
}

impl<V> From<bool> for Answer<V> {
    fn from(is: bool) -> Self {
        Self::Is(is)
    }
}

impl<V> From<Option<V>> for Answer<V> {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Nothing, Self::Value)
    }
}

/// Kind of the answers to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// Always nothing.
    Nothing,
    /// A truth value.
    Is,
    /// Always a value.
    Value,
    /// A value, or nothing if there is none.
    ValueOrNothing,
}

/// Call that has an [`Answer`].
pub trait Answered {
    /// Value in an answer.
    type Value: Value;

    /// Kind of the answers to this call.
    fn kind(&self) -> AnswerKind;
}

impl<C: Answered> AnswerTo<C> for Answer<C::Value> {
    fn read(call: &C, json: serde_json::Value) -> Result<Self, Error> {
        match (call.kind(), json) {
            (AnswerKind::Nothing | AnswerKind::ValueOrNothing, serde_json::Value::Null) => {
                Ok(Self::Nothing)
            }
            (AnswerKind::Nothing, other) => Err(Error::custom(format_args!(
                "the call answers nothing (`null`, or no field `answer`), and not {other}"
            ))),
            (AnswerKind::Is, json) => from_value(json).map(Self::Is),
            (AnswerKind::Value | AnswerKind::ValueOrNothing, json) => {
                from_value(json).map(Self::Value)
            }
        }
    }

    fn tells(call: &C) -> bool {
        call.kind() != AnswerKind::Nothing
    }
}

/// Value of the answers of an object that answers with none, as a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NoValue {}
