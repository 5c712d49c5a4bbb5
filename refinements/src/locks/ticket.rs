//! A lock of tickets.

use refmap::crowd::Crowd;
use refmap_systems::locks::ticket::{Action, Counters, TicketLock};

use super::lock::{LockRefinement, ThreadLock};

impl ThreadLock for TicketLock {
    fn threads(&self) -> usize {
        self.threads
    }

    fn thread(action: &Action) -> usize {
        let (Action::Take(thread) | Action::Enter(thread) | Action::Release(thread)) = action;
        *thread
    }
}

/// The lock of any number of threads.
#[derive(Clone, Copy, Debug)]
pub struct AnyTicketLock(pub Counters);

impl Crowd for AnyTicketLock {
    type Instance = LockRefinement<TicketLock>;

    fn members(&self) -> &str {
        "threads"
    }

    fn instance(&self, threads: usize) -> Self::Instance {
        let counters = self.0;
        LockRefinement::new(TicketLock { threads, counters })
    }
}
