//! Data that the threads of the engine share, under a scheduler that tries other orders of their steps.
//!
//! The sources are those of the engine, and what they get their threads and atomic values from
//! (`primitives`) has them run by Shuttle. It runs one thread at a time and is sequentially consistent: what
//! an atomic operation's ordering allows beyond that is not seen. The engine's operations are relaxed and
//! rest on one location each.

use std::collections::HashSet;
use std::ops::ControlFlow;

use refmap_schedules::explore::{Ended, Order, explore};

use super::compact::{CompactSet, ShardSlice};
use crate::walk::parallel::{WorkItems, run_in_parallel};
use crate::walk::primitives::{AtomicBool, AtomicUsize, Ordering};
use crate::walk::work_ranges::WorkRanges;

/// Schedules a test is run under, of each kind.
const SCHEDULES: usize = 2000;

/// Number of steps that no test comes near.
const MOST_STEPS: usize = 100_000;

fn under_many_schedules(test: impl Fn() + Send + Sync + Copy + 'static) {
    let (seed, executions) = (11, SCHEDULES);
    let depth = 3;
    let orders = [
        Order::Random { seed, executions },
        Order::Pct {
            seed,
            depth,
            executions,
        },
    ];
    for order in orders {
        explore(&order, MOST_STEPS, false, test, &mut |execution| {
            assert_eq!(execution.ended, Ended::Completed);
            ControlFlow::Continue(())
        });
    }
}

/// All work items that the workers took, in order.
fn taken(workers: usize, take: impl Fn(usize) -> Option<usize> + Sync) -> Vec<usize> {
    let work = |worker| std::iter::from_fn(|| take(worker)).collect::<Vec<_>>();
    let mut all = run_in_parallel(0..workers, work).concat();
    all.sort_unstable();
    all
}

#[test]
fn every_share_is_taken_once() {
    under_many_schedules(|| {
        let shares = WorkItems::new(7);
        assert_eq!(taken(3, |_| shares.take()), [0, 1, 2, 3, 4, 5, 6]);
        let work_ranges = WorkRanges::new(7, 3);
        let take = |worker| work_ranges.take(worker).map(|share| share.number as usize);
        assert_eq!(taken(3, take), [0, 1, 2, 3, 4, 5, 6]);
    });
}

/// A share that is said to follow all that its worker has taken before does.
#[test]
fn shares_in_order_are_in_order() {
    under_many_schedules(|| {
        let work_ranges = WorkRanges::new(7, 3);
        let work = |worker| {
            let mut greatest = None;
            while let Some(share) = work_ranges.take(worker) {
                assert!(!share.in_order || greatest < Some(share.number));
                greatest = greatest.max(Some(share.number));
            }
        };
        run_in_parallel(0..3, work);
    });
}

/// The schedules are many enough: a counter that is read and then written is seen to be wrong.
#[test]
#[should_panic(expected = "a share was taken twice")]
fn a_careless_counter_is_found_out() {
    under_many_schedules(|| {
        let next = AtomicUsize::new(0);
        let take = |_| {
            let share = next.load(Ordering::Relaxed);
            next.store(share + 1, Ordering::Relaxed);
            (share < 7).then_some(share)
        };
        let shares = taken(3, take);
        assert_eq!(shares, [0, 1, 2, 3, 4, 5, 6], "a share was taken twice");
    });
}

fn stop_on_the_way(take: impl Fn(usize) -> Option<usize> + Sync, stop: impl Fn() + Sync) {
    let stopped = AtomicBool::new(false);
    let work = |worker| {
        loop {
            let too_late = stopped.load(Ordering::Relaxed);
            let Some(share) = take(worker) else {
                return;
            };
            assert!(!too_late, "share {share} was taken after the end");
            if worker == 1 || share == 9 {
                stop();
                stopped.store(true, Ordering::Relaxed);
            }
        }
    };
    run_in_parallel(0..3, work);
}

/// Once the work is stopped no item is taken.
#[test]
fn stopped_work_ends() {
    under_many_schedules(|| {
        let work_ranges = WorkRanges::new(100, 3);
        let take = |worker| work_ranges.take(worker).map(|share| share.number as usize);
        stop_on_the_way(take, || work_ranges.stop());
        assert!(work_ranges.is_stopped());
    });
}

/// Waves as the search makes them: all workers read the set as it was before the wave, and then each
/// writes to its own part of it. The set ends up with what a hash set has.
#[test]
fn waves_add_what_a_hash_set_holds() {
    under_many_schedules(|| {
        let mut set = CompactSet::new(20);
        let mut plain = HashSet::new();
        for wave in 0..4u64 {
            // Half of them are of the wave before, and some of this one twice.
            let number = |n: u64| (wave * 12 + n % 20).wrapping_mul(0x9E37_79B9) & 0xF_FFFF;
            let numbers: Vec<u64> = (0..24).map(number).collect();
            let shares = WorkItems::new(6);
            let look = |_| {
                let mut absent = Vec::new();
                while let Some(share) = shares.take() {
                    let looked_at = &numbers[share * 4..][..4];
                    let new = looked_at.iter().filter(|number| !set.contains(**number));
                    absent.push((share, new.copied().collect::<Vec<_>>()));
                }
                absent
            };
            let mut absent = run_in_parallel(0..3, look).concat();
            absent.sort_unstable();
            let absent: Vec<u64> = absent.into_iter().flat_map(|(_, new)| new).collect();
            let known = |number: &u64| !plain.contains(number);
            assert_eq!(
                absent,
                numbers.iter().copied().filter(known).collect::<Vec<_>>()
            );
            let add = |mut part: ShardSlice<'_>| -> usize {
                absent
                    .iter()
                    .map(|number| usize::from(part.insert(*number)))
                    .sum()
            };
            let added: usize = run_in_parallel(set.parts(3), add).into_iter().sum();
            let before = plain.len();
            plain.extend(absent);
            assert_eq!(added, plain.len() - before);
        }
        assert!(plain.iter().all(|number| set.contains(*number)));
        assert!((0..1 << 12).all(|n| set.contains(n << 8) == plain.contains(&(n << 8))));
    });
}
