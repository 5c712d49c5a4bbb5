//! Header and events of a history.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Header: the first line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Parameters of the instance that a validator needs: sizes, faults, seeds.
    pub parameters: Map<String, Value>,
}

/// Format version that this crate reads and writes.
pub const VERSION: u64 = 1;

/// Greatest number of threads of a history.
pub const MOST_THREADS: usize = 1 << 16;

/// Line of an event; the header is line 1.
pub(super) fn line(number: u64) -> u64 {
    number + 2
}

impl Header {
    /// Creates a header with these parameters.
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

    pub(super) fn line(&self) -> Value {
        json!({"history": "refmap", "version": VERSION, "parameters": self.parameters})
    }
}

/// End: the last line of a history that was not cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct End {
    history: EndMark,
    /// Number of the events before it.
    pub events: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EndMark {
    End,
}

impl End {
    /// The end after so many events.
    pub fn after(events: u64) -> Self {
        let history = EndMark::End;
        Self { history, events }
    }
}

/// Event: an operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event<E> {
    /// The thread.
    pub thread: u32,
    /// Its position in the thread: 0, 1, 2, …
    pub place: u64,
    /// Start time, in nanoseconds of a monotonic clock that all threads share.
    pub begin: u64,
    /// End time, on the same clock; `None` if a crash lost it, so that the event may not have taken place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<u64>,
    /// The operation; `None` if it was not recorded.
    // Without a deserializer of its own, the field could be omitted.
    #[serde(deserialize_with = "Option::deserialize")]
    #[serde(bound(deserialize = "E: Deserialize<'de>"))]
    pub event: Option<E>,
}
