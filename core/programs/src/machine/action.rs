//! Action of a machine.

use std::fmt::{self, Display};
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::expression::{Fault, Value};

/// Action: a thread performs an instruction, with a certain effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// The thread.
    pub thread: u16,
    /// Number of the instruction.
    pub instruction: u16,
    /// Its position among the pending instructions.
    pub position: u16,
    /// Its effect.
    pub effect: Effect,
    /// Text of the instruction.
    pub text: Arc<str>,
}

/// Effect of performing an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A value was read from memory.
    Read(Value),
    /// A value was read from the thread's own pending store.
    Forwarded(Value),
    /// A value was written.
    Wrote(Value),
    /// A value was read, and another one written to the same location.
    Replaced(Value, Value),
    /// A value was read, and nothing was written.
    Refused(Value),
    /// A store-conditional failed: its reservation was lost.
    Lost,
    /// A value was chosen.
    Chose(Value),
    /// An atomic block ran.
    Ran,
    /// A fault: the operation is undefined.
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
