//! Watchdog of a check: notices that a call of the model does not return once a limit is reached.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::limits::{Limit, Limits, Progress, Watch};
use super::memory::resident_bytes;
use crate::statement::asked::calls::{CheckOutline, Function, Unfinished, Watched};
use crate::statement::asked::model_call::catch;
use crate::statement::erased::ErasedState;
use crate::statement::shown::json::json;
use crate::statement::shown::value::compact;

/// Time for which a call may go on once a limit is reached.
const SILENCE: Duration = Duration::from_millis(900);
/// Time for which it is waited for a state to be shown.
const SHOWN: Duration = Duration::from_millis(600);
/// Time between two looks.
const PERIOD: Duration = Duration::from_millis(50);
/// Bytes of the stack of a thread that is watched: as many as the first thread of a process has by default.
pub(crate) const STACK: usize = 8 << 20;

/// Watchdog of a check: once a limit is reached, or the check is cancelled, it notices a call of the model that does not return.
///
/// Such a call cannot be unwound: the check does not return either, and where it borrows its model neither can its caller. All
/// that is left is to say what is known and to end the process, for which [`attended`](Self::attended) is made:
///
/// ```no_run
/// # use std::process::exit;
/// # use std::sync::atomic::AtomicBool;
/// # use refmap::explore::{Limits, Watch, Watchdog};
/// # use refmap::{Refinement, Settings, check};
/// # fn main_of<R: Refinement + Sync>(refinement: &R) -> Result<(), refmap::obligation::CheckError> {
/// static CANCELLED: AtomicBool = AtomicBool::new(false);
/// let limits = Limits { seconds: Some(60.0), ..Limits::default() };
/// let watchdog = Watchdog::new(limits);
/// let settings = || Settings {
///     limits,
///     watch: Watch { cancel: Some(&CANCELLED), ..Watch::default() },
///     ..Settings::default()
/// };
/// let report = watchdog.attended(Some(&CANCELLED), || check(refinement, &settings()), |unreturned| {
///     println!("{}", unreturned.report());
///     exit(3);
/// })?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Watchdog(Arc<Check>);

struct Check {
    limits: Limits,
    started: Instant,
    watched: Arc<Watched>,
    states: AtomicU64,
    transitions: AtomicU64,
    depth: AtomicU64,
}

impl Watchdog {
    /// A watchdog of a check with these limits, which begins now.
    pub fn new(limits: Limits) -> Self {
        Self(Arc::new(Check {
            limits,
            started: Instant::now(),
            watched: Arc::default(),
            states: AtomicU64::new(0),
            transitions: AtomicU64::new(0),
            depth: AtomicU64::new(0),
        }))
    }

    /// Does work on a thread of its own, and waits for it. If a call of the model does not return once a limit is reached, or `cancel` is
    /// set, calls `give_up`, which is to end the process: if it returns, the work is waited for nevertheless.
    ///
    /// # Panics
    ///
    /// If `work` does, or if no thread can be started.
    pub fn attended<T: Send>(
        &self,
        cancel: Option<&AtomicBool>,
        work: impl FnOnce() -> T + Send,
        give_up: impl FnOnce(Unreturned),
    ) -> T {
        let mut give_up = Some(give_up);
        thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            let worker = thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || {
                    let _done = done;
                    self.watching(work)
                })
                .expect("a thread can be started");
            while is_done.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                if give_up.is_some()
                    && let Some(unreturned) = self.unreturned(cancel)
                    && let Some(give_up) = give_up.take()
                {
                    give_up(unreturned);
                }
            }
            match worker.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// Does work on this thread, whose calls of the model are then watched, and those of the threads that it starts.
    pub fn watching<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.watched.on_this_thread(work)
    }

    /// Notes how far the check has come.
    pub fn note(&self, progress: &Progress) {
        let Check {
            states,
            transitions,
            depth,
            ..
        } = &*self.0;
        states.store(progress.states, Ordering::Relaxed);
        transitions.store(progress.transitions, Ordering::Relaxed);
        depth.store(progress.depth.into(), Ordering::Relaxed);
    }

    /// A call of the model that does not return, if a limit is reached, or `cancel` is set: to be asked often, since a call is
    /// found to be one by its going on from one time to another.
    pub fn unreturned(&self, cancel: Option<&AtomicBool>) -> Option<Unreturned> {
        let Check {
            limits, watched, ..
        } = &*self.0;
        let watch = Watch {
            cancel,
            progress: None,
        };
        let started = self.0.started;
        let uncounted = watched.uncounted();
        let counted = limits.not_counting(uncounted);
        let limit = counted.out_of_time(&watch, started + uncounted);
        let limit = limit.or_else(|| limits.out_of_memory())?;
        let Unfinished { function, state } = watched.unfinished(SILENCE)?;
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Some(Unreturned {
            limit,
            function,
            state: state.and_then(shown),
            states: count(&self.0.states),
            transitions: count(&self.0.transitions),
            depth: u32::try_from(count(&self.0.depth)).unwrap_or(u32::MAX),
            seconds: started.elapsed().as_secs_f64(),
            memory_bytes: resident_bytes().unwrap_or(0),
            outline: watched.outline(),
        })
    }
}

/// State as reports show it, unless the function that does so does not return either, or panics.
fn shown(state: Arc<ErasedState>) -> Option<Value> {
    let (send, receive) = mpsc::channel();
    let show = move || {
        // Nobody waits for it any more.
        let _ = send.send(catch(|| json(&*state)).ok());
    };
    let thread = thread::Builder::new().stack_size(STACK);
    thread.spawn(show).ok()?;
    receive.recv_timeout(SHOWN).ok()?
}

/// Call of the model that does not return, and how far the check has come.
#[derive(Clone)]
pub struct Unreturned {
    /// Limit that was reached before.
    pub limit: Limit,
    pub(crate) function: Function,
    /// State on which the function was called, as reports show it, if it was called on one that is known.
    pub state: Option<Value>,
    /// States so far,
    pub states: u64,
    /// transitions so far,
    pub transitions: u64,
    /// and the distance from the initial states of those that were being expanded.
    pub depth: u32,
    /// Time since the check began.
    pub seconds: f64,
    /// Memory that the process holds.
    pub memory_bytes: u64,
    pub(crate) outline: CheckOutline,
}

impl Display for Unreturned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.function())?;
        if let Some(state) = &self.state {
            write!(f, ", called on the state {},", compact(state))?;
        }
        f.write_str(" did not return")
    }
}

impl Unreturned {
    /// The function, as a sentence names it.
    pub fn function(&self) -> String {
        self.function.told()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::asked::calls::call;

    /// Time that is not counted is none of the time since the command began either.
    #[test]
    fn a_limit_counts_from_the_end_of_what_is_not_counted() {
        let since = Instant::now().checked_sub(Duration::from_secs(60));
        let [none, second] = [Duration::ZERO, Duration::from_secs(1)];
        let is_reached = |uncounted, allowed| {
            let watchdog = Watchdog::new(Limits {
                seconds: Some(30.0),
                since,
                ..Limits::default()
            });
            let found = watchdog.watching(|| {
                let watched = Watched::of_this_thread().expect("it is watched");
                watched.does_not_count(uncounted);
                watched.allow(allowed);
                let go_on = || {
                    watchdog.unreturned(None);
                    thread::sleep(SILENCE);
                    watchdog.unreturned(None)
                };
                call(|| Function::named("`next`"), None, go_on)
            });
            found.is_some()
        };
        let is_reached = &is_reached;
        thread::scope(|scope| {
            for (uncounted, allowed, expected) in [
                (none, none, true),
                (second, none, false),
                (none, second, false),
            ] {
                scope.spawn(move || {
                    let reached = is_reached(uncounted, allowed);
                    assert_eq!(reached, expected, "{uncounted:?} {allowed:?}");
                });
            }
        });
    }
}
