//! Ordered parallel execution: jobs run in parallel, and their results are visited in order.

use std::collections::BTreeMap;
use std::sync::{Mutex, mpsc};
use std::thread;

/// Runs jobs on several workers and passes the results to `show` in the order of the jobs. `begin` is the order in
/// which jobs start.
///
/// Once a job returns `None`, or `show` returns false or an error, no further job starts; running ones are
/// completed. Results behind a missing one are shown too, in order.
pub(crate) fn in_order<R: Send, E>(
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
        let mut show = |piece, result| {
            let goes_on = show(piece, result);
            if !matches!(goes_on, Ok(true)) {
                stop();
            }
            goes_on
        };
        let mut waiting = BTreeMap::new();
        let mut next = 0;
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

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

    /// Results behind one that is missing are all shown, whichever it is.
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
