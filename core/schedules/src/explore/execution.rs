//! Executions, and the extent of an exploration.

use std::ops::ControlFlow;
use std::panic::Location;

use crate::scheduled::ended::Ended;
use crate::scheduled::record::{Recorded, Traced};

/// An execution of the body.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Its end.
    pub ended: Ended,
    /// Number of the thread that was chosen, for each time at which several could run. `Order::Repeat` repeats
    /// the execution from them. Empty under Loom.
    pub choices: Vec<u32>,
    /// Number of steps on primitives of this crate by threads other than the body's. 0 means that the
    /// tested program does not use them.
    pub steps: u64,
    /// True if there was a sequentially consistent load, store or exchange. Loom treats these as
    /// acquire and release, so what it finds may be impossible. Fences do not count.
    pub sequentially_consistent: bool,
    /// Steps in their order, if they are traced. At a deadlock the steps that threads are blocked in are the last.
    ///
    /// Under Loom this is the order in which threads ran, and a load may return what was stored before the last store.
    pub trace: Vec<Traced>,
    /// Of one that is too long, or waits: the threads that had not ended, each with the place of its last step.
    pub last: Vec<(u32, &'static Location<'static>)>,
    /// True if a thread was made to let others run.
    #[cfg(feature = "loom")]
    pub(super) has_waited: bool,
    /// Greatest number of rounds of a loop that reads the same and ended by itself.
    #[cfg(feature = "loom")]
    pub(super) counted: u32,
}

impl Execution {
    /// An execution that ended in a given way, unless its record says otherwise.
    pub(super) fn new(ended: Ended, choices: Vec<u32>, recorded: Recorded) -> Self {
        let ended = match recorded.panic {
            Some(panic) => panic,
            // The scheduler has stopped it by a bound of its own.
            None if ended == Ended::Completed && recorded.live > 0 => Ended::TooLong,
            None => ended,
        };
        let mut trace = recorded.trace;
        let stopped = matches!(ended, Ended::TooLong | Ended::Waiting);
        if ended == Ended::Deadlock {
            trace.extend(recorded.blocked);
        }
        Self {
            ended,
            choices,
            steps: recorded.steps,
            sequentially_consistent: recorded.sequentially_consistent,
            trace,
            last: if stopped { recorded.last } else { Vec::new() },
            #[cfg(feature = "loom")]
            has_waited: recorded.has_waited,
            #[cfg(feature = "loom")]
            counted: recorded.counted,
        }
    }
}

/// The extent of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    /// Number of executions.
    pub executions: usize,
    /// True if Loom has explored every execution within the bounds that were given, but for those in which a loop gives up that it takes for one
    /// that waits: the README says for which. Shuttle's orders are samples, and never complete.
    pub complete: bool,
}

/// The tested program.
pub(super) type Body = dyn Fn() + Send + Sync;

/// Judges an execution, and says whether to go on.
pub(super) type Judge<'a> = dyn FnMut(Execution) -> ControlFlow<()> + 'a;
