//! A lock of tickets.

use refmap::crowd::Crowd;
use refmap_systems::locks::ticket::{Action, Counters, State, Thread, TicketLock};

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
    /// The next ticket, and the one that is served.
    type Shared = [u64; 2];
    type Member = Thread;

    fn members(&self) -> &str {
        "threads"
    }

    fn instance(&self, threads: usize) -> Self::Instance {
        let counters = self.0;
        LockRefinement::new(TicketLock { threads, counters })
    }

    fn apart(&self, state: &State) -> ([u64; 2], Vec<Thread>) {
        (
            [state.next_ticket, state.now_serving],
            state.threads.clone(),
        )
    }

    fn assembled(&self, counters: &[u64; 2], threads: &[Thread]) -> State {
        let [next_ticket, now_serving] = *counters;
        State {
            next_ticket,
            now_serving,
            threads: threads.to_vec(),
        }
    }

    // ANCHOR: counters
    fn counters<'p>(
        &self,
        counters: &'p mut [u64; 2],
        threads: &'p mut [Thread],
    ) -> Vec<&'p mut u64> {
        let tickets = threads.iter_mut().filter_map(Thread::ticket_mut);
        counters.iter_mut().chain(tickets).collect()
    }

    /// Tickets are compared with the one that is served, which grows by 1. Of counters that begin anew each value matters.
    fn far(&self) -> Option<u64> {
        (self.0 == Counters::Unbounded).then_some(2)
    }
    // ANCHOR_END: counters
}
