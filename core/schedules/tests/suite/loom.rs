//! Executions that Loom finds.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc as StandardArc, Mutex as StandardMutex};

use refmap_schedules::cell::UnsafeCell;
use refmap_schedules::explore::{Ended, Execution, Explored, Order, explore};
use refmap_schedules::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use refmap_schedules::sync::{Arc, Condvar, Mutex};
use refmap_schedules::{hint, thread};

use crate::executions::{MOST_STEPS, all, assert_told_with_its_line, hold_first, panic, steps};

use Ordering::{Acquire, Relaxed, Release, SeqCst};

const EVERY: Order = Order::Every {
    preemptions: None,
    most: 10_000,
};

/// The last execution, which fails: an exploration ends by it.
fn last(body: impl Fn() + Send + Sync + 'static) -> Execution {
    let (mut executions, explored) = all(&EVERY, body);
    assert!(!explored.complete);
    executions.pop().expect("there is one")
}

/// The executions of a body that does not fail.
fn every(body: impl Fn() + Send + Sync + 'static) -> Vec<Execution> {
    let (executions, explored) = all(&EVERY, body);
    for execution in &executions {
        assert_eq!(execution.ended, Ended::Completed, "{:?}", execution.last);
    }
    assert!(explored.complete);
    executions
}

fn message_is_passed(store: Ordering, load: Ordering) {
    let shared = Arc::new((AtomicU32::new(0), AtomicBool::new(false)));
    let other = Arc::clone(&shared);
    let other = thread::spawn(move || {
        other.0.store(1, Relaxed);
        other.1.store(true, store);
    });
    if shared.1.load(load) {
        assert_eq!(shared.0.load(Relaxed), 1, "the message is stale");
    }
    other.join().expect("it does not panic");
}

#[test]
fn a_message_is_passed_by_release_and_acquire() {
    let executions = every(|| message_is_passed(Release, Acquire));
    assert!(executions.len() > 1);
    assert!(
        executions
            .iter()
            .all(|execution| !execution.sequentially_consistent)
    );
}

#[test]
fn a_relaxed_message_is_stale() {
    for [store, load] in [[Relaxed, Relaxed], [Release, Relaxed], [Relaxed, Acquire]] {
        let stale = last(move || message_is_passed(store, load));
        let message = panic(&stale.ended).expect("it panics");
        assert!(message.contains("the message is stale"), "{message}");
        assert!(message.contains("suite/loom.rs:"), "{message}");
        let steps = steps(&stale.trace);
        assert_eq!(steps.last().unwrap(), "0: load → 0");
        assert!(stale.choices.is_empty());
        assert_eq!(stale.steps, 2);
    }
}

/// True if two threads, each of which stores and then loads what the other one stores, can both miss it.
fn both_miss(order: Ordering, between: impl Fn() + Send + Sync + Copy + 'static) -> Vec<Execution> {
    let body = move || {
        let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let other = Arc::clone(&shared);
        let other = thread::spawn(move || {
            other.1.store(1, order);
            between();
            other.0.load(order)
        });
        shared.0.store(1, order);
        between();
        let one = shared.1.load(order);
        let two = other.join().expect("it does not panic");
        assert!(one + two > 0, "both miss");
    };
    all(&EVERY, body).0
}

/// Loom takes sequentially consistent accesses to be acquire and release: a false alarm, and told.
#[test]
fn a_false_alarm_is_told() {
    let executions = both_miss(SeqCst, || ());
    let missed = executions.last().unwrap();
    assert!(panic(&missed.ended).unwrap().contains("both miss"));
    assert!(missed.sequentially_consistent);
}

/// Loom's sequentially consistent fences are what they should be, and are not told.
#[test]
fn fences_are_no_false_alarm() {
    for execution in both_miss(Relaxed, || fence(SeqCst)) {
        assert_eq!(execution.ended, Ended::Completed);
        assert!(!execution.sequentially_consistent);
    }
    let executions = both_miss(Relaxed, || ());
    let missed = executions.last().unwrap();
    assert!(panic(&missed.ended).unwrap().contains("both miss"));
}

struct Cell(UnsafeCell<u32>);

#[expect(unsafe_code)]
// SAFETY: Loom reports accesses that race, and runs one thread at a time.
unsafe impl Sync for Cell {}

#[test]
#[expect(unsafe_code)]
fn a_race_is_found() {
    let race = last(|| {
        let cell = Arc::new(Cell(UnsafeCell::new(0)));
        let other = Arc::clone(&cell);
        // SAFETY: the pointer is to the cell's content.
        let other = thread::spawn(move || other.0.with_mut(|value| unsafe { *value = 1 }));
        // SAFETY: as before.
        cell.0.with(|value| unsafe { *value });
        other.join().unwrap();
    });
    let message = panic(&race.ended).expect("it panics");
    assert!(message.starts_with("Causality violation"), "{message}");
    let last = race.trace.last().unwrap();
    assert!(last.text.ends_with("cell"), "{}", last.text);
    assert_eq!(last.place.unwrap().file(), file!());
}

fn two_locks(first: usize, second: usize) {
    let locks = Arc::new([Mutex::new(0), Mutex::new(0)]);
    let other = Arc::clone(&locks);
    let other = thread::spawn(move || {
        let _first = other[first].lock();
        let _second = other[second].lock();
    });
    let first = locks[0].lock();
    let second = locks[1].lock();
    drop((first, second));
    other.join().expect("it does not panic");
}

/// Threads hold counted references and locks as they block: their destructors do not run.
#[test]
fn two_locks_deadlock() {
    let deadlock = last(|| two_locks(1, 0));
    assert_eq!(deadlock.ended, Ended::Deadlock);
    let steps = steps(&deadlock.trace);
    let (_, blocked) = steps.split_at(steps.len() - 2);
    assert_eq!(blocked, ["0: lock: blocked", "1: lock: blocked"]);
    every(|| two_locks(0, 1));
}

/// The thread that ends last is not one that is blocked.
#[test]
fn a_lost_notification_is_a_deadlock() {
    let deadlock = last(|| {
        let shared = Arc::new((AtomicBool::new(false), Mutex::new(()), Condvar::new()));
        let other = Arc::clone(&shared);
        let other = thread::spawn(move || {
            let guard = other.1.lock().unwrap();
            if !other.0.load(Relaxed) {
                drop(other.2.wait(guard));
            }
        });
        shared.2.notify_one();
        drop((shared, other));
    });
    assert_eq!(deadlock.ended, Ended::Deadlock);
    let steps = steps(&deadlock.trace);
    assert_eq!(steps.last().unwrap(), "1: wait: blocked");
}

#[test]
fn a_lost_token_is_a_deadlock() {
    let deadlock = last(|| {
        let other = thread::spawn(thread::park);
        other.join().unwrap();
    });
    assert_eq!(deadlock.ended, Ended::Deadlock);
}

#[test]
fn a_panic_of_a_thread_ends_the_exploration() {
    let late = last(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let other = thread::spawn(move || assert!(!other.load(Relaxed), "too late"));
        flag.store(true, Relaxed);
        other
            .join()
            .expect("the exploration has ended by the panic");
    });
    let message = panic(&late.ended).expect("it panics");
    assert!(message.starts_with("too late ("), "{message}");
}

/// Takes a lock by one of the loops that only wait.
fn lock(lock: &AtomicBool, spelling: usize) {
    match spelling {
        0 => {
            while lock
                .compare_exchange(false, true, Acquire, Relaxed)
                .is_err()
            {}
        }
        1 => while lock.swap(true, Acquire) {},
        2 => while lock.fetch_or(true, Acquire) {},
        _ => loop {
            while lock.load(Relaxed) {}
            if lock.compare_exchange(false, true, Acquire, Relaxed).is_ok() {
                break;
            }
        },
    }
}

#[expect(unsafe_code)]
#[test]
fn loops_that_wait_and_do_not_yield_are_explored_to_the_end() {
    for spelling in 0..4 {
        let executions = every(move || {
            let shared = Arc::new((AtomicBool::new(false), Cell(UnsafeCell::new(0))));
            let add = move |(is_locked, count): &(AtomicBool, Cell)| {
                lock(is_locked, spelling);
                // SAFETY: the lock is taken.
                count.0.with_mut(|count| unsafe { *count += 1 });
                is_locked.store(false, Release);
            };
            let other = Arc::clone(&shared);
            let other = thread::spawn(move || add(&other));
            add(&shared);
            other.join().expect("it does not panic");
        });
        assert!(
            (2..1_000).contains(&executions.len()),
            "{}",
            executions.len()
        );
    }
}

/// A round of a loop that reads eight places counts once.
#[test]
fn a_loop_that_waits_for_several_places_is_explored_to_the_end() {
    let body = || {
        let locks = Arc::new([0; 8].map(|_| AtomicBool::new(false)));
        let other = Arc::clone(&locks);
        let other = thread::spawn(move || hold_first(&other));
        hold_first(&locks);
        other.join().expect("it does not panic");
    };
    let explored = explore(&EVERY, 20_000, false, body, &mut |execution| {
        assert_eq!(execution.ended, Ended::Completed, "{:?}", execution.last);
        ControlFlow::Continue(())
    });
    assert!(explored.complete);
}

/// Numbers of tries after which a loop that tries so often at most gives up or succeeds, with what another thread has written before. The
/// thread that tries is one that is spawned, or the first.
fn outcomes(
    most: u32,
    is_spawned: bool,
    tries: fn(&AtomicU32, u32) -> u32,
) -> BTreeSet<(u32, u32)> {
    let seen = StandardArc::new(StandardMutex::new(BTreeSet::new()));
    let all = StandardArc::clone(&seen);
    every(move || {
        let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let all = StandardArc::clone(&all);
        let writes = |shared: &(AtomicU32, AtomicU32)| {
            shared.1.store(1, Release);
            shared.0.store(1, Release);
            shared.1.store(2, Release);
        };
        let reads = move |shared: &(AtomicU32, AtomicU32)| {
            let tried = tries(&shared.0, most);
            let written = shared.1.load(Acquire);
            all.lock().expect("no panic").insert((tried, written));
        };
        let other = Arc::clone(&shared);
        let other = if is_spawned {
            let other = thread::spawn(move || reads(&other));
            writes(&shared);
            other
        } else {
            let other = thread::spawn(move || writes(&other));
            reads(&shared);
            other
        };
        other.join().expect("it does not panic");
    });
    seen.lock().expect("no panic").clone()
}

/// A loop that counts its rounds is taken for one that waits at first. Its executions are those of the same reads at places of their own.
#[test]
fn loops_that_count_their_rounds_lose_no_execution() {
    let counts =
        |value: &AtomicU32, most: u32| (0..most).find(|_| value.load(Acquire) == 1).unwrap_or(most);
    let unrolled = |value: &AtomicU32, most: u32| {
        let reads: [fn(&AtomicU32) -> u32; 5] = [
            |value| value.load(Acquire),
            |value| value.load(Acquire),
            |value| value.load(Acquire),
            |value| value.load(Acquire),
            |value| value.load(Acquire),
        ];
        (0..most)
            .find(|at| reads[*at as usize](value) == 1)
            .unwrap_or(most)
    };
    for most in 1..=5 {
        for is_spawned in [false, true] {
            let expected = outcomes(most, is_spawned, unrolled);
            let counted = outcomes(most, is_spawned, counts);
            assert_eq!(counted, expected, "{most} tries, {is_spawned}");
            assert!(expected.contains(&(most, 0)), "{expected:?}");
        }
    }
}

/// Loops are followed for 64 rounds. Of one that counts further, the exploration is not said to be complete.
#[test]
fn a_loop_that_counts_further_than_it_is_followed_is_not_explored_completely() {
    for (tries, complete) in [(63, true), (64, true), (65, false), (66, false)] {
        let seen = StandardArc::new(StandardMutex::new(false));
        let given_up = StandardArc::clone(&seen);
        let order = Order::Every {
            preemptions: Some(1),
            most: 5_000,
        };
        let (_, explored) = all(&order, move || {
            let value = Arc::new(AtomicU32::new(0));
            let other = Arc::clone(&value);
            let other = thread::spawn(move || other.store(1, Release));
            // It reads what was stored last, so that there are few executions.
            let is_set = (0..tries).any(|_| value.fetch_or(0, Acquire) == 1);
            *given_up.lock().expect("no panic") |= !is_set;
            other.join().expect("it does not panic");
        });
        let gave_up = *seen.lock().expect("no panic");
        assert_eq!(
            (explored.complete, gave_up),
            (complete, true),
            "{tries} {explored:?}"
        );
    }
}

/// Two threads that each wait for the other one, and two that wait for each other in turn.
#[test]
fn the_second_of_two_that_wait_is_explored_as_the_first() {
    let turns = every(|| {
        let turn = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let other = Arc::clone(&turn);
        let other = thread::spawn(move || {
            while other.0.load(Acquire) != 1 {}
            other.1.store(1, Release);
            while other.0.load(Acquire) != 2 {}
        });
        turn.0.store(1, Release);
        while turn.1.load(Acquire) != 1 {}
        turn.0.store(2, Release);
        other.join().expect("it does not panic");
    });
    assert!(turns.len() > 1);
    let stuck = last(|| {
        let flags = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
        let other = Arc::clone(&flags);
        let other = thread::spawn(move || {
            while !other.0.load(Acquire) {}
            other.1.store(true, Release);
        });
        while !flags.1.load(Acquire) {}
        flags.0.store(true, Release);
        other.join().expect("it does not panic");
    });
    assert_eq!(stuck.ended, Ended::Waiting);
    let threads: Vec<_> = stuck.last.iter().map(|(thread, _)| *thread).collect();
    assert_eq!(threads, [0, 1]);
    assert!(
        stuck
            .last
            .iter()
            .all(|(_, place)| place.file().ends_with("loom.rs"))
    );
}

/// Steps of each thread that is spawned are counted.
#[test]
fn steps_of_all_threads_count() {
    let executions = every(|| {
        let value = Arc::new(AtomicU32::new(0));
        let others: Vec<_> = (0..2)
            .map(|_| {
                let value = Arc::clone(&value);
                thread::spawn(move || value.load(Acquire) + value.load(Acquire))
            })
            .collect();
        for other in others {
            other.join().expect("it does not panic");
        }
    });
    assert!(executions.iter().all(|execution| execution.steps == 4));
}

/// A panic is told with its own place, and not with that of one that was caught before.
#[test]
fn the_last_of_two_panics_is_told() {
    let panicked = last(|| {
        let other = thread::spawn(|| {
            let caught = std::panic::catch_unwind(|| panic!("the first one"));
            assert!(caught.is_err());
            panic!("the second one");
        });
        let _ = other.join();
    });
    assert_told_with_its_line(&panicked, "the second one", include_str!("loom.rs"));
}

/// A loop that writes in each round is none that only waits.
#[test]
fn a_loop_that_writes_without_end_is_too_long() {
    let long = last(|| {
        let count = AtomicU32::new(0);
        while count.fetch_add(1, Relaxed) < 1_000_000 {}
    });
    assert_eq!(long.ended, Ended::TooLong);
    assert_eq!(long.last.len(), 1);
}

#[test]
fn a_loop_without_end_only_waits() {
    let long = last(|| {
        let is_set = Arc::new(AtomicBool::new(false));
        while !is_set.load(Relaxed) {
            hint::spin_loop();
        }
    });
    assert_eq!(long.ended, Ended::Waiting);
    let long = last(|| {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&is_set);
        let other = thread::spawn(move || while !other.load(Relaxed) {});
        other.join().unwrap();
    });
    assert_eq!(long.ended, Ended::Waiting);
}

#[test]
fn what_loom_lacks_is_told() {
    let panicked = last(|| thread::scope(|_| ()));
    let message = panic(&panicked.ended).expect("it panics");
    assert!(
        message.starts_with("Loom has no scoped threads ("),
        "{message}"
    );
    let panicked = last(|| {
        for _ in 0..5 {
            thread::spawn(|| ());
        }
    });
    let message = panic(&panicked.ended).expect("it panics");
    assert!(
        message.starts_with("Loom runs 5 threads at most"),
        "{message}"
    );
}

#[test]
fn explorations_are_bounded() {
    let body = || message_is_passed(Release, Acquire);
    let complete = every(body).len();
    for most in [0, 1, complete - 1, complete, complete + 1] {
        let preemptions = None;
        let (_, explored) = all(&Order::Every { preemptions, most }, body);
        let expected = Explored {
            executions: most.min(complete),
            complete: most >= complete,
        };
        assert_eq!(explored, expected);
    }
    let mut judged = 0;
    let explored = explore(&EVERY, MOST_STEPS, false, body, &mut |execution| {
        assert_eq!(execution.trace, []);
        judged += 1;
        match judged {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    let expected = Explored {
        executions: 2,
        complete: false,
    };
    assert_eq!((judged, explored), (2, expected));
    // The most that Loom counts, and more.
    for preemptions in [255, 256, 257, 1000, 1 << 16, 1 << 32, usize::MAX] {
        let preemptions = Some(preemptions);
        let most = 10_000;
        let order = Order::Every { preemptions, most };
        let unbounded = explore(&order, usize::MAX, false, body, &mut |_| {
            ControlFlow::Continue(())
        });
        let found = (unbounded.executions, unbounded.complete);
        assert_eq!(found, (complete, true), "{preemptions:?}");
    }
}

#[test]
fn a_panic_of_the_judge_is_passed_on() {
    let panics = || {
        let body = || message_is_passed(Release, Acquire);
        explore(&EVERY, MOST_STEPS, false, body, &mut |_| {
            std::panic::resume_unwind(Box::new("the judge"))
        })
    };
    let panic = std::panic::catch_unwind(panics).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"the judge"));
}

/// Body and judge share what the caller has made.
#[test]
fn the_judge_runs_after_each_execution() {
    let log = StandardArc::new(StandardMutex::new(Vec::new()));
    let body = {
        let log = StandardArc::clone(&log);
        move || {
            log.lock().unwrap().push("body");
            message_is_passed(Release, Acquire);
        }
    };
    let caller = std::thread::current().id();
    explore(&EVERY, MOST_STEPS, false, body, &mut |_| {
        assert_eq!(std::thread::current().id(), caller);
        assert!(!refmap_schedules::is_scheduled());
        log.lock().unwrap().push("judge");
        ControlFlow::Continue(())
    });
    let log = StandardArc::into_inner(log).expect("the body is dropped");
    let log = log.into_inner().unwrap();
    assert!(log.len() > 2 && log.chunks(2).all(|turn| turn == ["body", "judge"]));
}

#[test]
fn explorations_in_parallel_do_not_disturb_each_other() {
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| every(|| message_is_passed(Release, Acquire)));
            scope.spawn(|| last(|| message_is_passed(Relaxed, Relaxed)));
        }
    });
}

#[test]
fn a_program_without_primitives_takes_no_steps() {
    let executions = every(|| thread::spawn(|| ()).join().unwrap());
    assert!(executions.iter().all(|execution| execution.steps == 0));
}
