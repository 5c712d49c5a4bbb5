//! Explores the executions of a body under a scheduler.

use std::ops::ControlFlow;
use std::panic::Location;

#[cfg(feature = "shuttle")]
mod judge;
#[cfg(feature = "shuttle")]
mod order;
mod panics;
#[cfg(feature = "loom")]
pub(crate) mod under_loom;
#[cfg(feature = "shuttle")]
pub(crate) mod under_shuttle;

pub(crate) use panics::ended_by;
#[cfg(feature = "loom")]
pub(crate) use panics::is_loom_deadlock;

use crate::scheduled::record::{self, Recorded};

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All threads have ended.
    Completed,
    /// No thread can go on, and some have not ended.
    Deadlock,
    /// A thread has panicked, with this message and place.
    Panicked(String),
    /// The most steps were taken.
    TooLong,
}

/// An execution of the body.
#[derive(Clone, Debug)]
pub struct Execution {
    /// How it ended.
    pub ended: Ended,
    /// Number of the thread that was chosen, for each point at which several could run:
    /// [`Order::Repeat`] repeats it. Empty under Loom.
    pub choices: Vec<u32>,
    /// Number of steps on primitives of this crate by threads other than the body's. 0 means that the
    /// tested program does not use them.
    pub steps: u64,
    /// Whether there was a sequentially consistent load, store or exchange. Loom treats these as
    /// acquire and release, so what it finds may be impossible. Fences do not count.
    pub sequentially_consistent: bool,
    /// Steps in their order, if they are traced. At a deadlock the last are those that are blocked.
    pub trace: Vec<Traced>,
}

impl Execution {
    /// An execution that ended in a given way, unless its record says otherwise.
    fn new(ended: Ended, choices: Vec<u32>, recorded: Recorded) -> Self {
        let ended = match recorded.panic {
            Some(panic) => panic,
            // The scheduler has stopped it by a bound of its own.
            None if ended == Ended::Completed && recorded.live > 0 => Ended::TooLong,
            None => ended,
        };
        let mut trace = recorded.trace;
        if ended == Ended::Deadlock {
            trace.extend(recorded.blocked);
        }
        Self {
            ended,
            choices,
            steps: recorded.steps,
            sequentially_consistent: recorded.sequentially_consistent,
            trace,
        }
    }
}

/// A step of an execution, or a line of the tested program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Traced {
    /// Number of the thread, in the order in which they were spawned; 0 is the body.
    pub thread: u32,
    /// Place in the source, if the step has one.
    pub place: Option<&'static Location<'static>>,
    /// The step.
    pub text: String,
}

/// The order in which executions are explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// Each thread that can run is as likely as the others, at each step.
    #[cfg(feature = "shuttle")]
    Random {
        /// Determines the choices.
        seed: u64,
        /// Number of executions.
        executions: usize,
    },
    /// Probabilistic concurrency testing: threads have random priorities, which change at few points.
    #[cfg(feature = "shuttle")]
    Pct {
        /// Determines the choices.
        seed: u64,
        /// One more than the number of changes.
        depth: usize,
        /// Number of executions.
        executions: usize,
    },
    /// One execution, with the choices of an earlier one. Where they do not fit, because the program
    /// is another one or they are too few, the thread that runs goes on.
    #[cfg(feature = "shuttle")]
    Repeat(Vec<u32>),
    /// Every execution of Loom's model of memory.
    #[cfg(feature = "loom")]
    Every {
        /// Most preemptions of an execution; those with more are left out.
        preemptions: Option<usize>,
        /// Most executions. Once as many were explored, the exploration ends, and is not complete.
        most: usize,
    },
}

/// The extent of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    /// Number of executions.
    pub executions: usize,
    /// Whether there are no others, within the bounds that were given.
    pub complete: bool,
}

/// Adds a line to the trace, if the calling thread runs in an execution that is traced.
pub fn note(text: impl FnOnce() -> String) {
    record::line(text);
}

/// Explores executions of `body`, each of which `judge` is given.
///
/// `judge` runs on the calling thread, after each execution, and ends the exploration by `Break`.
pub fn explore(
    order: &Order,
    most_steps: usize,
    traced: bool,
    body: impl Fn() + Send + Sync + 'static,
    judge: &mut dyn FnMut(Execution) -> ControlFlow<()>,
) -> Explored {
    match *order {
        #[cfg(feature = "loom")]
        Order::Every { preemptions, most } => {
            let bounds = under_loom::Bounds {
                preemptions,
                executions: most,
                steps: most_steps,
            };
            under_loom::explore(&bounds, traced, body, judge)
        }
        #[cfg(feature = "shuttle")]
        _ => under_shuttle::explore(order, most_steps, traced, body, judge),
    }
}
