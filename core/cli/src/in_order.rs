//! Jobs in parallel, whose results are visited as they come, and put in order by the one who visits them ([`InOrder`]), so that a job that does
//! not return holds up no result that is there.

use std::collections::BTreeMap;
use std::sync::{Mutex, mpsc};
use std::thread;

/// Results of jobs in the order of the jobs, in whatever order they come.
pub(crate) struct InOrder<R> {
    waiting: BTreeMap<usize, R>,
    next: usize,
}

impl<R> Default for InOrder<R> {
    fn default() -> Self {
        Self {
            waiting: BTreeMap::new(),
            next: 0,
        }
    }
}

impl<R> InOrder<R> {
    /// Adds the result of a job.
    pub fn add(&mut self, job: usize, result: R) {
        self.waiting.insert(job, result);
    }

    /// Takes the next result, if it is there.
    pub fn next(&mut self) -> Option<(usize, R)> {
        let next = self.next;
        let result = self.waiting.remove(&next)?;
        self.next += 1;
        Some((next, result))
    }

    /// The results behind missing ones.
    pub fn rest(self) -> impl Iterator<Item = (usize, R)> {
        self.waiting.into_iter()
    }
}

/// Runs jobs on several workers and passes each result to `show` as soon as it is there. `begin` is the order in
/// which jobs start.
///
/// Once a job returns `None`, or `show` returns false or an error, no further job starts; running jobs are completed, and shown unless `show`
/// has ended it.
pub(crate) fn in_parallel<R: Send, E>(
    workers: usize,
    begin: &[usize],
    work: impl Fn(usize) -> Option<R> + Sync,
    mut show: impl FnMut(usize, R) -> Result<bool, E>,
) -> Result<(), E> {
    let pieces = Mutex::new(begin.iter());
    let next = || pieces.lock().expect("no holder of this lock panics").next();
    let stop = || *pieces.lock().expect("no holder of this lock panics") = [].iter();
    let (sender, results) = mpsc::channel();
    let take = |sender: mpsc::Sender<(usize, R)>| {
        while let Some(&piece) = next() {
            let shown = work(piece).map(|result| sender.send((piece, result)));
            if !matches!(shown, Some(Ok(()))) {
                stop();
            }
        }
    };
    let (take, stop) = (&take, &stop);
    thread::scope(|scope| {
        for sender in vec![sender; workers.max(1)] {
            scope.spawn(move || take(sender));
        }
        for (piece, result) in results {
            let goes_on = show(piece, result);
            if !matches!(goes_on, Ok(true)) {
                stop();
                return goes_on.map(drop);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// Runs jobs, and shows their results in order, those behind a missing one last.
    fn in_order<R: Send, E>(
        workers: usize,
        begin: &[usize],
        work: impl Fn(usize) -> Option<R> + Sync,
        mut show: impl FnMut(usize, R) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut ordered = InOrder::default();
        let mut goes_on = true;
        in_parallel(workers, begin, work, |piece, result| {
            ordered.add(piece, result);
            while goes_on && let Some((piece, result)) = ordered.next() {
                goes_on = show(piece, result)?;
            }
            Ok(goes_on)
        })?;
        for (piece, result) in ordered.rest() {
            goes_on = goes_on && show(piece, result)?;
        }
        Ok(())
    }

    /// Jobs shown when `work` returns a result for those below `done`, and `show` continues for the first `wanted`.
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

    /// The first job to start returns `None`: with one worker nothing is shown; with more, the results of running
    /// jobs are.
    #[test]
    fn a_piece_that_gives_nothing_ends_it() {
        assert!(shown(1, 99, 100).is_empty());
        let ended = AtomicBool::new(false);
        let mut shown = Vec::new();
        let result = in_order(
            2,
            &[2, 0, 1],
            |piece| {
                if piece == 2 {
                    ended.store(true, Ordering::Relaxed);
                    return None;
                }
                while !ended.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                Some(piece)
            },
            |piece, _| {
                shown.push(piece);
                Ok::<_, &str>(true)
            },
        );
        assert!(result.is_ok() && shown.is_sorted(), "{shown:?}");
    }

    /// The first job waits for those behind it to be passed on.
    #[test]
    fn a_result_is_passed_on_though_an_earlier_job_does_not_return() {
        let passed_on = AtomicUsize::new(0);
        let mut ordered = InOrder::default();
        let result = in_parallel(
            2,
            &[0, 1, 2],
            |piece| {
                while piece == 0 && passed_on.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
                Some(piece)
            },
            |piece, result| {
                passed_on.fetch_add(1, Ordering::Relaxed);
                ordered.add(piece, result);
                Ok::<_, &str>(piece != 0)
            },
        );
        assert_eq!(result, Ok(()));
        assert_eq!(ordered.next(), Some((0, 0)));
        assert_eq!(
            ordered.rest().map(|(piece, _)| piece).collect::<Vec<_>>(),
            [1, 2]
        );
    }

    #[test]
    fn all_that_is_behind_a_missing_result_is_shown() {
        for missing in 0..5 {
            let ended = AtomicUsize::new(0);
            let mut shown = Vec::new();
            let result = in_order(
                5,
                &[4, 2, 0, 3, 1],
                |piece| {
                    // The one that is missing ends last, when all the others are running or done.
                    while piece == missing && ended.load(Ordering::Relaxed) < 4 {
                        thread::yield_now();
                    }
                    ended.fetch_add(1, Ordering::Relaxed);
                    (piece != missing).then_some(piece)
                },
                |piece, _| {
                    shown.push(piece);
                    Ok::<_, &str>(true)
                },
            );
            assert!(result.is_ok());
            let expected: Vec<_> = (0..5).filter(|piece| *piece != missing).collect();
            assert_eq!(shown, expected);
        }
    }

    /// Jobs that take long are not all started once the first result is rejected.
    #[test]
    fn a_refusal_ends_it() {
        let begun = AtomicUsize::new(0);
        let result = in_order(
            2,
            &(0..10_000).collect::<Vec<_>>(),
            |_| {
                begun.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(1));
                Some(())
            },
            |_, ()| Err("no"),
        );
        assert_eq!(result, Err("no"));
        assert!(begun.into_inner() < 10_000);
    }
}
