//! Several threads that do one thing together, and shares of the work for them to take.
//!
//! The engines share nothing that is written but what is here: a worker has its share for itself, and
//! the results are put together when all are done. Left out: a pool of threads. Starting one takes
//! tens of microseconds, and the engines start them for milliseconds of work.

use std::collections::BTreeMap;
use std::sync::mpsc;

use super::primitives::{AtomicBool, AtomicUsize, Ordering, thread};

/// Has every worker do `work`, each on a thread of its own but the first, which has this one. The
/// results are in the order of the workers.
///
/// # Panics
///
/// If `work` does; what the models do is caught before.
pub(crate) fn together<W: Send, R: Send>(
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

/// Has pieces of work done, each by one of several workers, and shows the results in the order of the pieces.
/// `begin` is the order in which they are begun.
///
/// No piece is begun any more where one gives nothing, or `show` says no or fails; what is under way is then
/// done to its end. What comes after a gap is shown too, in its order.
pub(crate) fn in_order<R: Send, E>(
    workers: usize,
    begin: &[usize],
    work: impl Fn(usize) -> Option<R> + Sync,
    mut show: impl FnMut(usize, R) -> Result<bool, E>,
) -> Result<(), E> {
    let shares = Shares::new(begin.len());
    let (sender, results) = mpsc::channel();
    let take = |sender: mpsc::Sender<(usize, R)>| {
        while let Some(share) = shares.take() {
            let piece = begin[share];
            let shown = work(piece).map(|result| sender.send((piece, result)));
            if !matches!(shown, Some(Ok(()))) {
                shares.stop();
            }
        }
    };
    thread::scope(|scope| {
        let senders = vec![sender; workers.max(1)];
        scope.spawn(|| together(senders, take));
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        // When the receiver is gone, whoever has a result stops.
        for (piece, result) in results {
            waiting.insert(piece, result);
            while let Some(result) = waiting.remove(&next) {
                if !show(next, result)? {
                    return Ok(());
                }
                next += 1;
            }
        }
        for (piece, result) in waiting {
            if !show(piece, result)? {
                break;
            }
        }
        Ok(())
    })
}

/// Shares of some work, each taken by one worker.
pub(crate) struct Shares {
    next: AtomicUsize,
    count: usize,
    stopped: AtomicBool,
}

impl Shares {
    /// The shares from 0 to `count` − 1.
    pub fn new(count: usize) -> Self {
        Self {
            next: AtomicUsize::new(0),
            count,
            stopped: AtomicBool::new(false),
        }
    }

    /// The next share; none if all are taken, or if the work is not to go on.
    pub fn take(&self) -> Option<usize> {
        // A share says nothing of another's results: those are seen by whoever joins their thread.
        let share = self.next.fetch_add(1, Ordering::Relaxed);
        (share < self.count && !self.is_stopped()).then_some(share)
    }

    /// No further share is taken.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the work is not to go on, and may be half done.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces shown when `work` gives something of those below `done`, and `show` wants `wanted`.
    fn shown(workers: usize, done: usize, wanted: usize) -> Vec<usize> {
        let begin: Vec<usize> = (0..100).rev().collect();
        let mut shown = Vec::new();
        let result = in_order(
            workers,
            &begin,
            |piece| (piece < done).then_some(2 * piece),
            |piece, twice| {
                assert_eq!(twice, 2 * piece);
                shown.push(piece);
                if wanted == 0 {
                    return Err("no");
                }
                Ok(shown.len() < wanted)
            },
        );
        assert_eq!(result.is_err(), wanted == 0);
        shown
    }

    #[test]
    fn results_are_shown_in_the_order_of_the_pieces() {
        for workers in [0, 1, 2, 5] {
            assert_eq!(shown(workers, 100, 100), (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_more_is_shown_than_is_wanted() {
        assert_eq!(shown(3, 100, 7), (0..7).collect::<Vec<_>>());
        assert_eq!(shown(3, 100, 0), [0]);
    }

    /// The first piece to be begun gives nothing; of the others, what was under way is shown.
    #[test]
    fn a_piece_that_gives_nothing_ends_it() {
        let shown = shown(2, 99, 100);
        assert!(shown.len() < 99 && shown.is_sorted(), "{shown:?}");
    }
}
