//! Work that several threads do in parallel, and work items for them to take.
//!
//! Workers write nothing that they share but the number of the next work item; their results are put together when all
//! are done. Left out: a pool of threads. Starting a thread takes tens of microseconds, and the engines start them for
//! milliseconds of work.

use super::primitives::{AtomicUsize, Ordering, thread};

/// Runs `work` for every worker, each on its own thread, the first on the calling one. Results are in the order of
/// the workers.
///
/// # Panics
///
/// If `work` does, once all have ended; what the models do is caught before.
pub(crate) fn run_in_parallel<W: Send, R: Send>(
    workers: impl IntoIterator<Item = W>,
    work: impl Fn(W) -> R + Sync,
) -> Vec<R> {
    let mut workers = workers.into_iter();
    let Some(own) = workers.next() else {
        return Vec::new();
    };
    let work = &work;
    thread::scope(|scope| {
        let helpers: Vec<_> = workers
            .map(|worker| scope.spawn(move || work(worker)))
            .collect();
        let mut results = vec![work(own)];
        for helper in helpers {
            results.push(helper.join().expect("panics of the model are caught"));
        }
        results
    })
}

/// Work items, each taken by one worker.
pub(crate) struct WorkItems {
    next: AtomicUsize,
    count: usize,
}

impl WorkItems {
    /// The items from 0 to `count` − 1.
    pub fn new(count: usize) -> Self {
        Self {
            next: AtomicUsize::new(0),
            count,
        }
    }

    /// The next item; none if all are taken.
    pub fn take(&self) -> Option<usize> {
        // Relaxed: an item publishes no results; joining a worker's thread does.
        let share = self.next.fetch_add(1, Ordering::Relaxed);
        (share < self.count).then_some(share)
    }
}
