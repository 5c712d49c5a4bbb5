//! Work that several threads do in parallel, and work items for them to take.
//!
//! Workers write nothing that they share but the number of the next work item; their results are put together when all
//! are done. Left out: a pool of threads. Starting a thread takes tens of microseconds, and the engines start them for
//! milliseconds of work.

use std::ops::Range;
use std::sync::Mutex;

use super::primitives::{AtomicUsize, Ordering, thread};
use crate::statement::asked::calls::watched_as_here;
use crate::statement::asked::model_call::{catch, panic_again};

/// Reason why no place of a worker or of its result is found taken, empty or poisoned.
const TAKEN_ONCE: &str = "each worker is taken once, and leaves one result";

/// Runs `work` for every worker, each on its own thread, the first on the calling one. Results are in the order of
/// the workers.
///
/// # Panics
///
/// If `work` does, once all have ended, and as the first of the workers that did.
pub(crate) fn run_in_parallel<W: Send, R: Send>(
    workers: impl IntoIterator<Item = W>,
    work: impl Fn(W) -> R + Sync,
) -> Vec<R> {
    let workers = workers.into_iter().map(|worker| Mutex::new(Some(worker)));
    let workers: Vec<_> = workers.collect();
    let results: Vec<_> = workers.iter().map(|_| Mutex::new(None)).collect();
    on_threads(workers.len(), &|place| {
        let worker = workers[place].lock().expect(TAKEN_ONCE).take();
        let result = catch(|| work(worker.expect(TAKEN_ONCE)));
        *results[place].lock().expect(TAKEN_ONCE) = Some(result);
    });
    let results = results.into_iter().map(|result| result.into_inner());
    let results = results.map(|result| result.expect(TAKEN_ONCE).expect(TAKEN_ONCE));
    let results: Result<_, _> = results.collect();
    results.unwrap_or_else(|panic| panic_again(panic))
}

/// Runs `work` for as many nearly equal ranges of the numbers below `count` as there are threads, each on its own, as above.
pub(crate) fn run_in_ranges<R: Send>(
    count: u32,
    threads: usize,
    work: impl Fn(Range<u32>) -> R + Sync,
) -> Vec<R> {
    let each = count.div_ceil(threads.max(1) as u32).max(1);
    let starts = (0..count).step_by(each as usize);
    run_in_parallel(starts.map(|start| start..count.min(start + each)), work)
}

/// Runs `work` for each number below `count`, each on its own thread, 0 on the calling one.
fn on_threads(count: usize, work: &(dyn Fn(usize) + Sync)) {
    if count == 0 {
        return;
    }
    let work_watched = &watched_as_here(work);
    thread::scope(|scope| {
        let helpers: Vec<_> = (1..count)
            .map(|place| scope.spawn(move || work_watched(place)))
            .collect();
        work(0);
        for helper in helpers {
            helper.join().expect("panics of a worker are caught");
        }
    });
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
