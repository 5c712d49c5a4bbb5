//! Work that takes a while, done once, when it is first asked for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Time that a page waits for the work to end before it says that it is being done.
const WAIT: Duration = Duration::from_millis(900);

/// Interval at which it looks whether that is so.
const PAUSE: Duration = Duration::from_millis(20);

/// Result of the work, once it is done.
pub struct Once<T> {
    begun: AtomicBool,
    done: OnceLock<T>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self {
            begun: AtomicBool::new(false),
            done: OnceLock::new(),
        }
    }
}

impl<T: Send + Sync> Once<T> {
    /// Result of the work, if it is done.
    pub fn done(&self) -> Option<&T> {
        self.done.get()
    }

    /// The same, if it is done soon; begins the work if nothing has.
    pub fn ask<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        work: impl FnOnce() -> T + Send + 'scope,
    ) -> Option<&'scope T> {
        if !self.begun.swap(true, Ordering::Relaxed) {
            scope.spawn(move || self.done.set(work()));
        }
        let begun = Instant::now();
        while self.done.get().is_none() && begun.elapsed() < WAIT {
            std::thread::sleep(PAUSE);
        }
        self.done.get()
    }
}
