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

use std::ops::ControlFlow;
use std::sync::Arc;

#[cfg(feature = "shuttle")]
mod choices;
mod execution;
#[cfg(feature = "shuttle")]
mod judge;
mod order;
#[cfg(feature = "loom")]
mod under_loom;
#[cfg(feature = "shuttle")]
mod under_shuttle;

pub use execution::{Execution, Explored};
pub use order::Order;

pub use crate::scheduled::ended::Ended;
pub use crate::scheduled::record::Traced;

use crate::scheduled::{is_scheduled, record};
use execution::Body;

/// Adds a line to the trace, if the calling thread runs in an execution that is traced. The thread has got somewhere, so that
/// what it reads again afterwards is no loop that waits.
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
            under_loom::explore(&bounds, traced, &body, judge)
        }
        #[cfg(feature = "shuttle")]
        _ => under_shuttle::explore(order, most_steps, traced, &body, judge),
    }
}
