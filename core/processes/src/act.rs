//! Action of a composition of processes.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Serialize, Serializer};

use super::label::Label;
use refmap::{Process, RuleId};

/// Action of a composition: a local step of one process, or a rendezvous of a requesting and a responding one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Act {
    /// The process that takes the step, or that requests.
    pub process: Process,
    /// Label of its command.
    pub label: Label,
    /// The responding process and the label of its command.
    pub with: Option<(Process, Label)>,
    /// Index of the result among the possible ones, from 0.
    pub choice: u16,
    pub(super) rule: u16,
}

impl Act {
    /// Rule of the command, an index into [`Composition::rules`](super::Composition::rules).
    pub fn rule(self) -> RuleId {
        RuleId(usize::from(self.rule))
    }

    fn write(self, f: &mut impl fmt::Write) -> fmt::Result {
        write!(f, "{}", self.label)?;
        if let Some((process, label)) = self.with {
            write!(f, ", {process}: {label}")?;
        }
        match self.choice {
            0 => Ok(()),
            choice => write!(f, " ({choice})"),
        }
    }
}

/// PERF: actions are hashed at every step; the rule identifies the process's name and the command, so that their texts
/// are not hashed.
impl Hash for Act {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.with, self.process.number, self.rule, self.choice).hash(state);
    }
}

/// Text of the process and its command.
impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.process)?;
        self.write(f)
    }
}

impl fmt::Debug for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Serializes the action without its process, which reports print in a field of its own: `acquire, server: answer`.
impl Serialize for Act {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut text = String::new();
        self.write(&mut text).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&text)
    }
}
