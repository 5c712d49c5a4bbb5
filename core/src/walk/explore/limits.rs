//! Limits that end an exploration before it is complete, and its observation from outside.

use std::fmt::{self, Display};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};

use super::memory::{four_fifths, resident_bytes};
use crate::statement::shown::number::{grouped, memory, seconds};

/// Bounds on an exploration; the default bounds nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Distinct states.
    pub states: Option<u64>,
    /// Distance from the initial states, in transitions.
    pub depth: Option<u32>,
    /// Time.
    pub seconds: Option<f64>,
    /// Memory held by the process.
    pub memory_bytes: Option<u64>,
    /// Time at which `seconds` begin, where that is before the work itself: that of a command begins when it begins to read its
    /// input.
    pub since: Option<Instant>,
}

impl Limits {
    /// A bound on memory that keeps the machine usable: four fifths of what it has, or what its control
    /// group or the address space of the process has, if that is less. `None` where the system does not
    /// say.
    pub fn memory_by_default() -> Option<u64> {
        static MOST: OnceLock<Option<u64>> = OnceLock::new();
        *MOST.get_or_init(four_fifths)
    }

    /// The same where so much time of the work is not counted, and then none before it either.
    pub(crate) fn not_counting(self, time: Duration) -> Self {
        Self {
            since: self.since.filter(|_| time.is_zero()),
            ..self
        }
    }

    /// Reason for which a search that began at `started`, or whatever [`Self::since`] says, has to end, if it has to: the time is
    /// up, or it was cancelled.
    pub fn out_of_time(&self, watch: &Watch<'_>, started: Instant) -> Option<Limit> {
        if watch.is_cancelled() {
            return Some(Limit::Cancelled);
        }
        let seconds = self.seconds?;
        // A time that is no number is up.
        let in_time = self.since.unwrap_or(started).elapsed().as_secs_f64() < seconds;
        (!in_time).then_some(Limit::Seconds(seconds))
    }

    /// Limit on memory, if the process holds as much as allowed; the operating system is asked for that.
    pub fn out_of_memory(&self) -> Option<Limit> {
        self.no_room_for(0)
    }

    /// Limit on memory, if the process would hold as much as allowed with so many bytes more.
    pub fn no_room_for(&self, bytes: u64) -> Option<Limit> {
        let is_too_much =
            |most: &u64| resident_bytes().is_some_and(|held| held.saturating_add(bytes) >= *most);
        let most = self.memory_bytes.filter(is_too_much);
        most.map(Limit::MemoryBytes)
    }
}

/// Clock of a piece of work: says when it has to end.
#[derive(Clone, Copy)]
pub struct Clock<'a> {
    /// Its limits, of which those on time and memory count.
    pub limits: Limits,
    /// Its cancellation.
    pub watch: Watch<'a>,
    /// Time at which it began.
    pub started: Instant,
}

impl<'a> Clock<'a> {
    /// The clock of work that begins now.
    pub fn new(limits: Limits, watch: Watch<'a>) -> Self {
        let started = Instant::now();
        Self {
            limits,
            watch,
            started,
        }
    }

    /// The limits of a part of the work that begins now.
    pub(crate) fn limits_since(&self) -> Limits {
        Limits {
            since: self.limits.since.or(Some(self.started)),
            ..self.limits
        }
    }

    /// The same where so much time of the work is not counted, and then none before it either.
    pub(crate) fn not_counting(self, time: Duration) -> Self {
        Self {
            limits: self.limits.not_counting(time),
            started: self.started + time,
            ..self
        }
    }

    /// The limit on time, if it is reached, or that the work was cancelled.
    pub fn out_of_time(&self) -> Option<Limit> {
        self.limits.out_of_time(&self.watch, self.started)
    }

    /// The same, or whether more memory is held than allowed; the operating system is asked for that.
    pub fn out_of_time_or_memory(&self) -> Option<Limit> {
        let out_of_memory = || self.limits.out_of_memory();
        self.out_of_time().or_else(out_of_memory)
    }
}

/// Limit that ended an exploration early.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// As many states as allowed, and there are more.
    States(u64),
    /// States at the greatest distance allowed were not expanded.
    Depth(u32),
    /// The time was up.
    Seconds(f64),
    /// The process held as much memory as allowed.
    MemoryBytes(u64),
    /// The operating system refused more memory before the process held as much as allowed.
    OutOfMemory,
    /// A file could not be written; what checkpoints have is there.
    Disk,
    /// It was cancelled.
    Cancelled,
}

impl Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::States(n) => write!(f, "the limit of {} states", grouped(*n)),
            Self::Depth(n) => write!(f, "the limit of depth {n}"),
            Self::Seconds(n) => write!(f, "the limit of {}", seconds(*n)),
            Self::MemoryBytes(n) => {
                write!(f, "the limit of {}", memory(*n))?;
                match Limits::memory_by_default() {
                    Some(most) if most == *n => {
                        f.write_str(", four fifths of what the machine or the process's group has")
                    }
                    _ => Ok(()),
                }
            }
            Self::OutOfMemory => f.write_str("the operating system, which grants no more memory"),
            Self::Disk => f.write_str("the disk, on which a file could not be written"),
            Self::Cancelled => f.write_str("cancellation"),
        }
    }
}

/// Part of a check that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The search for states, or that for an order of a recorded history.
    #[default]
    Search,
    /// Random walks.
    Walks,
    /// Views of any number of members that are alike: these take the place of states.
    Views,
    /// `environment`, on the graph of all steps: the search is over.
    Environment,
    /// Liveness, on the graph of all steps: the search is over.
    Liveness,
    /// `inductive`, from every type-correct state: the search is over.
    Induction,
}

/// Progress of an exploration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Phase that is under way.
    pub phase: Phase,
    /// Distinct states so far.
    pub states: u64,
    /// Transitions so far.
    pub transitions: u64,
    /// The distance from the initial states of those being expanded.
    pub depth: u32,
    /// States reached and not yet expanded.
    pub frontier: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Work of a known size that is part of what is under way.
    pub work: Option<Work>,
    /// Files of the search, if it writes any.
    pub disk: Option<OnDisk>,
    /// Processes that search together, if there are several: states, transitions and frontier are those of all.
    pub peers: Option<OfPeers>,
}

/// Part that a process has of the search of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfPeers {
    /// Number of the process, from 0.
    pub process: usize,
    /// Number of processes.
    pub processes: usize,
    /// States that it owns.
    pub own_states: u64,
    /// Bytes of memory that all of them hold.
    pub memory_bytes: u64,
}

/// Files of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnDisk {
    /// Bytes that they have.
    pub bytes: u64,
    /// Time since the last checkpoint, or since the search began.
    pub checkpoint_age: Duration,
}

/// Progress of work of a known size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Unit of which it consists, in the plural.
    pub unit: &'static str,
    /// Number of units that are done.
    pub done: u64,
    /// Number of units in all.
    pub total: u64,
}

/// Observation of an exploration from outside.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    /// Cancellation: once set, the exploration ends with what has been seen so far.
    pub cancel: Option<&'a AtomicBool>,
    /// Callback for progress, called now and then, always on the thread that called for the exploration. Where several
    /// explorations are under way, as for a table, those are several threads.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl Watch<'_> {
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel
            .is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
}
