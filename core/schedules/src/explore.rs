//! Explores executions of a tested program, its *body*, under a scheduler.
//!
//! An execution is one order of the steps that the threads of the body take on the primitives of this crate. The
//! body is run once for each, and starts what it needs: nothing may be left of the execution before. Threads run
//! one at a time, as coroutines of one thread of the operating system's.
//!
//! [`explore`] hands each [`Execution`] to a judge, with its end and what can repeat it. Panics, deadlocks and loops
//! without end are ends of an execution, and not of the test; nothing of them is printed. The judge decides what
//! they mean. The body reports to it by what it shares with the caller:
//!
//! ```
//! # #[cfg(feature = "shuttle")] {
//! use std::collections::BTreeSet;
//! use std::ops::ControlFlow;
//!
//! use refmap_schedules::explore::{Ended, Order, explore};
//! use refmap_schedules::sync::Arc;
//! use refmap_schedules::sync::atomic::{AtomicU32, Ordering};
//! use refmap_schedules::thread;
//!
//! // Of the standard library: the judge reads it when no scheduler runs.
//! let read = std::sync::Arc::new(std::sync::Mutex::new(None));
//! let body = {
//!     let read = std::sync::Arc::clone(&read);
//!     move || {
//!         let count = Arc::new(AtomicU32::new(0));
//!         let other = Arc::clone(&count);
//!         let other = thread::spawn(move || {
//!             other.fetch_add(1, Ordering::Relaxed);
//!             other.fetch_add(1, Ordering::Relaxed);
//!         });
//!         *read.lock().unwrap() = Some(count.load(Ordering::Relaxed));
//!         other.join().unwrap();
//!     }
//! };
//! let mut values = BTreeSet::new();
//! let order = Order::Random { seed: 1, executions: 100 };
//! let explored = explore(&order, 1000, false, body, &mut |execution| {
//!     assert_eq!(execution.ended, Ended::Completed);
//!     values.extend(read.lock().unwrap().take());
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(values, BTreeSet::from([0, 1, 2]));
//! assert_eq!(explored.executions, 100);
//! # }
//! ```
//!
//! # What an execution leaves behind
//!
//! Of an execution that does not complete, no destructor runs of what its threads hold, but of the thread that
//! panics; the memory is leaked. Two things are left that are worse. Under Loom the operating system's thread on which an
//! execution has deadlocked sleeps until the process ends. Under Shuttle, if a panic never ends since a destructor
//! blocks or spins, the calling thread counts as [panicking](std::thread::panicking) from then on: its standard
//! locks are not poisoned any more. The exploration goes on correctly, on another thread.

// This is one concept with the files below it, `scheduled::record` and `scheduled::thread`: an execution asks the threads it runs
// for what they did, and a thread says to its execution how it ended.

use std::ops::ControlFlow;
use std::panic::Location;
use std::sync::Arc;

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

use crate::scheduled::is_scheduled;
use crate::scheduled::record::{self, Recorded};

/// The end of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All threads have ended.
    Completed,
    /// No thread can go on, and some have not ended.
    Deadlock,
    /// A thread has panicked, and has not caught it: the message, and the place in parentheses.
    ///
    /// Loom reports a race so, by a message that begins with "Causality violation", and a count of references that
    /// is left above zero, by "Arc leaked".
    Panicked(String),
    /// More steps than `most_steps` were needed.
    TooLong,
}

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
    /// Place in the tested source. The release of a lock has none, and no line of a [`note`] has one.
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
        /// One more than the number of changes, which is the number of steps whose order a fault depends on.
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
    /// True if Loom has explored every execution within the bounds that were given. Shuttle's orders are samples, and
    /// never complete.
    pub complete: bool,
}

/// Adds a line to the trace, if the calling thread runs in an execution that is traced.
pub fn note(text: impl FnOnce() -> String) {
    record::line(text);
}

/// Explores executions of `body`, each of which `judge` is given.
///
/// An execution is too long if it takes more than `most_steps`: times at which Shuttle chooses a thread, or
/// branches of Loom's, for which ten millions are the most. `traced` says whether steps are traced.
///
/// `judge` runs on the calling thread, after each execution, and ends the exploration by `Break`. Body and
/// judge share what the caller makes for them, such as a standard `Arc<Mutex<_>>`.
///
/// # Panics
///
/// If `judge` does; and in an execution, which explores no others.
pub fn explore(
    order: &Order,
    most_steps: usize,
    traced: bool,
    body: impl Fn() + Send + Sync + 'static,
    judge: &mut dyn FnMut(Execution) -> ControlFlow<()>,
) -> Explored {
    assert!(!is_scheduled(), "an execution explores no others");
    let body: Arc<Body> = Arc::new(body);
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
        _ => under_shuttle::explore(order, most_steps, traced, &body, judge),
    }
}

/// The tested program.
type Body = dyn Fn() + Send + Sync;

/// Judges an execution, and says whether to go on.
type Judge<'a> = dyn FnMut(Execution) -> ControlFlow<()> + 'a;
