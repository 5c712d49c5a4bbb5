//! Attendance: the limits and the user of a process that waits for others.
//!
//! An exchange waits as long as it takes. So a thread looks meanwhile whether a limit of this process is reached, asks the others to
//! hurry, and gives up if they do not come: one of them may be within a function of the model that does not return.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::error::PeersError;
use super::exchange::Peers;
use crate::walk::explore::limits::{Limit, Limits, Watch};

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// Time for which others are waited for when a limit is reached: so long, or as much longer than a tenth of what the search took. So
/// much they may spend on the states that are not expanded any more.
const PATIENCE: Duration = Duration::from_millis(1_500);
const OVERHEAD: Duration = Duration::from_millis(500);

/// Peers of a process whose limits hold while it waits for them.
pub(crate) struct Attended {
    peers: Arc<dyn Peers>,
    /// Whether the search has to stop: it is cancelled, or a process has reached a limit while it waited.
    stops: AtomicBool,
    is_cancelled: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Time since which this process waits, if it does.
    waits: Option<Instant>,
    /// Limits of its search and the time when it began, as long as that goes on; at other times no limit counts.
    search: Option<(Limits, Instant)>,
    /// Whether it was cancelled before its search ended, so that what comes then is no answer to that.
    was_cancelled: bool,
    /// Whether the others are waited for however long it takes.
    is_patient: bool,
    /// The first limit that was reached while it waited, and when.
    limit: Option<(Limit, Instant)>,
}

impl Attended {
    pub fn new(peers: &Arc<dyn Peers>) -> Self {
        Self {
            peers: Arc::clone(peers),
            stops: AtomicBool::new(false),
            is_cancelled: AtomicBool::new(false),
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Flag that is set when the search has to stop.
    pub fn stops(&self) -> &AtomicBool {
        &self.stops
    }

    /// True if this process was cancelled itself.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// The limit that was reached while this process waited, if one was.
    pub fn limit(&self) -> Option<Limit> {
        self.state().limit.map(|(limit, _)| limit)
    }

    /// The search has begun, with these limits.
    pub fn begin(&self, limits: Limits, started: Instant) {
        self.state().search = Some((limits, started));
    }

    /// The search is over.
    pub fn end(&self) {
        let was_cancelled = self.is_cancelled();
        let mut state = self.state();
        state.search = None;
        state.was_cancelled = was_cancelled;
    }

    /// Does work during which the others are waited for however long it takes, since one of them writes a file.
    pub fn patiently<T>(&self, work: impl FnOnce() -> T) -> T {
        self.state().is_patient = true;
        let done = work();
        self.state().is_patient = false;
        done
    }

    /// Does what exchanges words with the others, attended.
    ///
    /// # Errors
    ///
    /// If the operating system grants no thread.
    pub fn attend<T>(&self, watch: &Watch<'_>, work: impl FnOnce() -> T) -> Result<T, PeersError> {
        let watch = Watch {
            cancel: watch.cancel,
            progress: None,
        };
        self.look(&watch);
        thread::scope(|scope| {
            // It is dropped when the work has ended, whichever way.
            let (_ended, end) = channel::<()>();
            let attend = move || {
                while end.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                    self.look(&watch);
                }
            };
            let thread = thread::Builder::new().name("refmap:attend".to_owned());
            let started = thread.spawn_scoped(scope, attend);
            started.map_err(|error| PeersError::Lost {
                process: self.process(),
                reason: format!("it cannot start a thread: {error}"),
            })?;
            Ok(work())
        })
    }

    fn look(&self, watch: &Watch<'_>) {
        if watch.is_cancelled() {
            self.is_cancelled.store(true, Ordering::Relaxed);
        }
        if self.is_cancelled() || self.peers.is_hurried() {
            self.stops.store(true, Ordering::Relaxed);
        }
        let mut state = self.state();
        let Some(waits) = state.waits.filter(|_| !state.is_patient) else {
            return;
        };
        let reached = match state.search {
            Some((limits, started)) => limits.out_of_time(watch, started),
            None if state.was_cancelled => None,
            None => self.is_cancelled().then_some(Limit::Cancelled),
        };
        let of_memory = || {
            let (limits, _) = state.search?;
            limits.out_of_memory()
        };
        let Some(reached) = reached.or_else(of_memory) else {
            return;
        };
        let now = Instant::now();
        let (limit, since) = *state.limit.get_or_insert((reached, now));
        let search = state.search;
        let search = search.map_or(Duration::ZERO, |(_, at)| at.elapsed());
        drop(state);
        self.peers.hurry();
        let patience = PATIENCE.max(search / 10 + OVERHEAD);
        if now.duration_since(waits.max(since)) >= patience {
            let seconds = patience.as_secs_f64();
            self.peers.give_up(format!(
                "it did not come within {seconds:.1} seconds after {limit}"
            ));
        }
    }
}

impl Peers for Attended {
    fn processes(&self) -> usize {
        self.peers.processes()
    }

    fn process(&self) -> usize {
        self.peers.process()
    }

    fn most_words(&self) -> usize {
        self.peers.most_words()
    }

    fn exchange(&self, words: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>, PeersError> {
        self.state().waits = Some(Instant::now());
        let received = self.peers.exchange(words);
        self.state().waits = None;
        received
    }

    fn hurry(&self) {
        self.peers.hurry();
    }

    fn is_hurried(&self) -> bool {
        self.peers.is_hurried()
    }

    fn give_up(&self, reason: String) {
        self.peers.give_up(reason);
    }
}
