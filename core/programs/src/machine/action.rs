//! The steps of a program that runs.

use std::fmt::{self, Display};
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::expression::{Fault, Value};

/// A step: which thread performs which instruction, and what comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// The thread.
    pub thread: u16,
    /// The number of the instruction.
    pub instruction: u16,
    /// Its place among what is pending.
    pub position: u16,
    /// What comes of it.
    pub effect: Effect,
    /// The instruction as text.
    pub text: Arc<str>,
}

/// What comes of performing an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A value was read from memory.
    Read(Value),
    /// A value was read from the thread's own pending store.
    Forwarded(Value),
    /// A value was written.
    Wrote(Value),
    /// A value was read, and another one written in its place.
    Replaced(Value, Value),
    /// A value was read, and nothing written.
    Refused(Value),
    /// An SC failed: its reservation was lost.
    Lost,
    /// A value was chosen.
    Chose(Value),
    /// An atomic block ran.
    Ran,
    /// It cannot be computed.
    Faulted(Fault),
}

impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match self.effect {
            Effect::Read(value) => write!(f, ", reads {value}"),
            Effect::Forwarded(value) => write!(f, ", forwards {value}"),
            Effect::Wrote(value) => write!(f, ", writes {value}"),
            Effect::Replaced(old, new) => write!(f, ", reads {old} and writes {new}"),
            Effect::Refused(old) => write!(f, ", reads {old} and fails"),
            Effect::Lost => f.write_str(", fails"),
            Effect::Chose(value) => write!(f, ", chooses {value}"),
            Effect::Ran => Ok(()),
            Effect::Faulted(fault) => write!(f, ", {fault}"),
        }
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
