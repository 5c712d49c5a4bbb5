//! Labels of commands.

use std::collections::HashSet;
use std::fmt;
use std::sync::{LazyLock, Mutex};

use serde::{Serialize, Serializer};

/// Label of a command, unique within its process.
///
/// PERF: labels are interned, since actions and their labels are copied at every step. An interned text lives as
/// long as the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(&'static str);

static KNOWN: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);

impl Label {
    /// Text of the label.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl From<&str> for Label {
    fn from(text: &str) -> Self {
        let mut known = KNOWN.lock().expect("no holder of this lock panics");
        if let Some(known) = known.get(text) {
            return Self(known);
        }
        let kept: &'static str = text.to_owned().leak();
        known.insert(kept);
        Self(kept)
    }
}

impl From<String> for Label {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}
