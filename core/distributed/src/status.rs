//! Status of the connections of a process, which its threads share.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;

use refmap::explore::PeersError;

/// Status of all connections.
#[derive(Debug, Default)]
pub(crate) struct Status {
    state: Mutex<State>,
    /// Thread that waits for the others.
    waiting: OnceLock<Thread>,
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

impl Status {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names the calling thread as the one to wake.
    pub fn wait_here(&self) {
        // It is named once.
        let _ = self.waiting.set(std::thread::current());
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
