//! Kinds of runs.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// Kind of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Run {
    /// One thread.
    Alone,
    /// Small programs under schedules of few preemptions.
    Schedules,
    /// Every execution of tiny programs, with weak memory.
    Memory,
    /// Real threads.
    Threads,
    /// The process in which all of these are.
    Process,
}

impl Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Alone => "alone",
            Self::Schedules => "schedules",
            Self::Memory => "memory",
            Self::Threads => "threads",
            Self::Process => "process",
        })
    }
}
