//! Szymanski's lock.

use refmap::crowd::Crowd;
use refmap_systems::locks::szymanski::{Action, Omits, Szymanski};

use super::lock::{LockRefinement, ThreadLock};

impl ThreadLock for Szymanski {
    fn threads(&self) -> usize {
        self.threads
    }

    fn thread(action: &Action) -> usize {
        let (Action::Want(thread)
        | Action::FindOpen(thread)
        | Action::Enter(thread)
        | Action::FindOther(thread)
        | Action::FindNoOther(thread)
        | Action::Sit(thread)
        | Action::FindClosed(thread)
        | Action::Close(thread)
        | Action::EnterCritical(thread)
        | Action::LeaveCritical(thread)
        | Action::Leave(thread)) = action;
        *thread
    }
}

/// The lock of any number of threads.
#[derive(Clone, Copy, Debug)]
pub struct AnySzymanski(pub Omits);

impl Crowd for AnySzymanski {
    type Instance = LockRefinement<Szymanski>;

    fn members(&self) -> &str {
        "threads"
    }

    fn instance(&self, threads: usize) -> Self::Instance {
        let omits = self.0;
        LockRefinement::new(Szymanski { threads, omits })
    }

    /// Threads wait for those of lower numbers, and for those of higher ones.
    fn in_line(&self) -> bool {
        true
    }

    /// The one whose flag is 1 or 4.
    fn witnesses(&self) -> usize {
        1
    }
}
