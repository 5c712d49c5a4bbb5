//! Watchdogs of all checks of a command that are under way.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use refmap::explore::{Limits, Watchdog};
use refmap::internal::explore::Unreturned;

/// Watchdogs of all checks of a command that are under way, by their labels.
#[derive(Default)]
pub(crate) struct Watchdogs(Mutex<Vec<(String, Arc<Watchdog>)>>);

impl Watchdogs {
    /// Does work on this thread whose calls of a model are watched: once one of these limits is reached, or the command is cancelled,
    /// they are to return.
    pub fn watching<T>(&self, label: &str, limits: Limits, work: impl FnOnce(&Watchdog) -> T) -> T {
        struct Ends<'w>(&'w Watchdogs, Arc<Watchdog>);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                let Self(watchdogs, ended) = self;
                watchdogs.all().retain(|(_, one)| !Arc::ptr_eq(one, ended));
            }
        }
        let watchdog = Arc::new(Watchdog::new(limits));
        self.all().push((label.to_owned(), Arc::clone(&watchdog)));
        let ends = Ends(self, watchdog);
        ends.1.watching(|| work(&ends.1))
    }

    /// A call that does not return, with the label of its check; to be asked often.
    pub fn unreturned(&self, cancel: &AtomicBool) -> Option<(String, Unreturned)> {
        let all = self.all().clone();
        all.into_iter()
            .find_map(|(label, one)| Some((label, one.unreturned(Some(cancel))?)))
    }

    fn all(&self) -> MutexGuard<'_, Vec<(String, Arc<Watchdog>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
