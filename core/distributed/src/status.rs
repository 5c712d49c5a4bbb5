//! Status of the connections of a process, which its threads share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;

use refmap::internal::explore::PeersError;

/// Status of all connections.
#[derive(Debug)]
pub(crate) struct Status {
    state: Mutex<State>,
    /// Thread that waits for the others.
    waiting: OnceLock<Thread>,
    /// Numbers of exchanges that the processes have begun, as far as this one knows.
    begun: Vec<AtomicU64>,
    /// Whether this process asks the others to hurry,
    hurries: AtomicBool,
    /// and whether one of them asks it.
    hurried: AtomicBool,
}

/// Phase of a search in this process.
#[derive(Debug, Default)]
enum State {
    /// All processes are needed.
    #[default]
    Together,
    /// A process was lost: the first loss that was noticed.
    Lost(PeersError),
    /// All processes have made their last exchange, and may go.
    Ending,
    /// One has gone.
    Ended,
}

/// Sign of life of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Beat {
    /// Number of exchanges that it has begun.
    pub begun: u64,
    /// Whether it asks the others to hurry.
    pub hurries: bool,
}

impl Status {
    pub fn new(processes: usize) -> Self {
        Self {
            state: Mutex::default(),
            waiting: OnceLock::new(),
            begun: (0..processes).map(|_| AtomicU64::new(0)).collect(),
            hurries: AtomicBool::new(false),
            hurried: AtomicBool::new(false),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names the calling thread as the one to wake.
    pub fn wait_here(&self) {
        // It is named once.
        let _ = self.waiting.set(std::thread::current());
    }

    /// Counts an exchange that this process begins.
    pub fn begin(&self, own: usize) {
        self.begun[own].fetch_add(1, Ordering::Relaxed);
    }

    /// Sign of life of this process.
    pub fn beat(&self, own: usize) -> Beat {
        Beat {
            begun: self.begun[own].load(Ordering::Relaxed),
            hurries: self.hurries.load(Ordering::Relaxed),
        }
    }

    /// Takes note of a sign of life of another process.
    pub fn heard(&self, other: usize, beat: Beat) {
        self.begun[other].fetch_max(beat.begun, Ordering::Relaxed);
        if beat.hurries {
            self.hurried.store(true, Ordering::Relaxed);
        }
    }

    /// Number of the process that has begun the fewest exchanges, of those that are not this one.
    pub fn latest(&self, own: usize) -> usize {
        let others = (0..self.begun.len()).filter(|other| *other != own);
        let latest = others.min_by_key(|other| self.begun[*other].load(Ordering::Relaxed));
        latest.unwrap_or(own)
    }

    /// Has all others asked to hurry, with the next sign of life of this process; says whether they were not yet.
    pub fn hurry(&self) -> bool {
        !self.hurries.swap(true, Ordering::Relaxed)
    }

    pub fn is_hurried(&self) -> bool {
        self.hurried.load(Ordering::Relaxed)
    }

    /// Records that a process is gone, which is a loss while it is needed.
    pub fn gone(&self, process: usize, reason: impl Into<String>) {
        let mut state = self.state();
        match *state {
            State::Together => {
                *state = State::Lost(PeersError::Lost {
                    process,
                    reason: reason.into(),
                })
            }
            State::Ending => *state = State::Ended,
            State::Lost(_) | State::Ended => {}
        }
        drop(state);
        if let Some(thread) = self.waiting.get() {
            thread.unpark();
        }
    }

    /// Lets all processes go from now on, unless one was lost.
    pub fn end(&self) {
        let mut state = self.state();
        if matches!(*state, State::Together) {
            *state = State::Ending;
        }
    }

    /// Whether a process has gone when it might.
    pub fn ended(&self) -> bool {
        matches!(*self.state(), State::Ended)
    }

    /// Loss of a process.
    pub fn loss(&self) -> Option<PeersError> {
        match &*self.state() {
            State::Lost(loss) => Some(loss.clone()),
            _ => None,
        }
    }

    /// Whether this process has ended its search, without a loss.
    pub fn ending(&self) -> bool {
        matches!(*self.state(), State::Ending | State::Ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_of_the_others_is_the_one_that_has_begun_least() {
        let status = Status::new(4);
        let beat = |begun| Beat {
            begun,
            hurries: false,
        };
        status.begin(1);
        for (other, begun) in [(0, 7), (2, 5), (3, 6)] {
            status.heard(other, beat(begun));
        }
        assert_eq!(status.latest(1), 2);
        // What comes late is of the past.
        status.heard(3, beat(1));
        assert_eq!(status.latest(1), 2);
        status.heard(2, beat(9));
        assert_eq!(status.latest(1), 3);
        assert_eq!(status.beat(1), beat(1));
        assert!(!status.is_hurried());
        status.heard(
            3,
            Beat {
                begun: 6,
                hurries: true,
            },
        );
        assert!(status.is_hurried() && !status.beat(1).hurries);
        // One that asks is enough, whatever others say after it.
        status.heard(2, beat(9));
        assert!(status.is_hurried());
        assert!(status.hurry() && !status.hurry());
        assert!(status.beat(1).hurries);
    }
}
