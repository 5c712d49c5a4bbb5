//! Szymanski's lock.

use refmap::crowd::Crowd;
use refmap_systems::locks::szymanski::{Action, Omits, Szymanski, Thread};

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

    // ANCHOR: kinds
    /// Those whose flag is 1, and those whose flag is 4: threads wait for one of them.
    fn kinds(&self) -> u32 {
        2
    }

    fn kind(&self, thread: &Thread) -> Option<u32> {
        match thread.flag {
            1 => Some(0),
            4 => Some(1),
            _ => None,
        }
    }
    // ANCHOR_END: kinds
}
