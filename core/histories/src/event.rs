//! The first line of a history, and each of the others.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use refmap::obligation::nearest;

/// What the first line says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Whatever a validator has to know of the instance: sizes, faults, seeds.
    pub parameters: Map<String, Value>,
}

/// The version of the format that is read and written here.
pub const VERSION: u64 = 1;

impl Header {
    /// A header with these parameters.
    pub fn new<K: Into<String>, V: Into<Value>>(
        parameters: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let parameters = parameters.into_iter();
        Self {
            parameters: parameters
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }

    /// Refuses a parameter that is none of these: a validator that reads only what it knows would take a name with a
    /// typo for a parameter left out.
    ///
    /// # Errors
    ///
    /// If there is one; with the name most like it.
    pub fn allow(&self, known: &[&'static str]) -> Result<(), UnknownParameter> {
        let mut names = self.parameters.keys();
        match names.find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(UnknownParameter {
                name: name.clone(),
                nearest: nearest(name, known.iter().copied()),
                known: known.to_vec(),
            }),
        }
    }

    pub(super) fn line(&self) -> Value {
        json!({"history": "refmap", "version": VERSION, "parameters": self.parameters})
    }
}

/// A parameter of a header that the validator does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the header has no parameter {name:?}{}; there are: {}",
    .nearest.as_ref().map_or_else(String::new, |name| format!(" (did you mean {name:?}?)")),
    .known.join(", ")
)]
pub struct UnknownParameter {
    /// The name given.
    pub name: String,
    /// The name most like it.
    pub nearest: Option<String>,
    /// All names.
    pub known: Vec<&'static str>,
}

/// One thing that a thread did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event<E> {
    /// Who did it.
    pub thread: u32,
    /// Its place in what that thread did: 0, 1, 2, …
    pub place: u64,
    /// When it began, in nanoseconds of a clock that all threads share and that never runs backwards.
    pub begin: u64,
    /// When it had ended, on the same clock; `None` if that was lost in a crash, so that it may never
    /// have come about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<u64>,
    /// What it was; `None` if that was not recorded.
    // Without a function of its own the field could be left out.
    #[serde(deserialize_with = "Option::deserialize")]
    #[serde(bound(deserialize = "E: Deserialize<'de>"))]
    pub event: Option<E>,
}
