//! Labels of commands.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;
use std::sync::{LazyLock, Mutex};

use refmap::state::NameVisitor;
use serde::{Serialize, Serializer};

/// Label of a command: a plain value that is shown as a text, and that no other command of its process has.
///
/// A model whose labels are an enum of its own can match on the labels of what was done, and then a label that
/// is mistyped, or new, does not compile.
pub trait CommandLabel: Copy + Eq + Hash + fmt::Display + Send + Sync + 'static {
    /// Visits the names in it: the numbers of members that are alike. It has none, by default.
    fn visit_names(&mut self, _visit: &mut dyn NameVisitor) {}
}

impl CommandLabel for Label {}

/// The label of a command that is its text, where a model has no type of its own for labels.
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
