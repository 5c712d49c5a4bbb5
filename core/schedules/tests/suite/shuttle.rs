//! Executions that Shuttle finds, and repeats.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering as Standard};
use std::sync::{Arc as StandardArc, Mutex as StandardMutex};

use refmap_schedules::explore::{Ended, Execution, Explored, Order, Traced, explore, note};
use refmap_schedules::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use refmap_schedules::sync::{Arc, Condvar, Mutex, RwLock};
use refmap_schedules::{hint, thread};

use crate::executions::{
    MOST_STEPS, all, assert_told_with_its_line, first, hold_first, panic, steps,
};
use crate::primitives::are_poisoned;

const PCT: Order = Order::Pct {
    seed: 1,
    depth: 3,
    executions: 100,
};

const RANDOM: Order = Order::Random {
    seed: 1,
    executions: 100,
};

/// The executions of `body` in both orders. Each one repeats.
fn explored(body: impl Fn() + Send + Sync + Copy + 'static) -> Vec<Execution> {
    let mut found = Vec::new();
    for order in [PCT, RANDOM] {
        let (executions, explored) = all(&order, body);
        let expected = Explored {
            executions: 100,
            complete: false,
        };
        assert_eq!(explored, expected);
        for execution in &executions {
            let again = all(&Order::Repeat(execution.choices.clone()), body).0;
            assert_eq!(again.len(), 1);
            assert_eq!(again[0].ended, execution.ended);
            assert_eq!(again[0].choices, execution.choices);
            assert_eq!(again[0].steps, execution.steps);
            assert_eq!(again[0].trace, execution.trace);
        }
        found.extend(executions);
    }
    found
}

/// Reads, and writes one more: not one step.
fn add(count: &AtomicU32) {
    let before = count.load(Ordering::Relaxed);
    count.store(before + 1, Ordering::Relaxed);
}

fn two_threads_add() {
    let count = Arc::new(AtomicU32::new(0));
    let other = Arc::clone(&count);
    let other = thread::spawn(move || add(&other));
    add(&count);
    other.join().expect("it does not panic");
    assert_eq!(count.load(Ordering::Relaxed), 2, "an update is lost");
}

#[test]
fn a_lost_update_is_found_and_its_trace_names_lines() {
    let found = explored(two_threads_add);
    let is_lost = |ended: &Ended| panic(ended).is_some();
    let lost = first(&found, is_lost);
    let message = panic(&lost.ended).unwrap();
    assert!(message.contains("an update is lost"), "{message}");
    assert!(message.contains("suite/shuttle.rs:"), "{message}");
    assert_eq!(lost.steps, 2);
    assert!(!lost.sequentially_consistent);

    let lines = |text: &str| -> Vec<u32> {
        let of = |step: &&Traced| step.thread == 1 && step.text.starts_with(text);
        let line = |step: &Traced| step.place.expect("a step has a place").line();
        lost.trace.iter().filter(of).map(line).collect()
    };
    let source = include_str!("shuttle.rs");
    let line = |text| 1 + source.lines().position(|line| line.contains(text)).unwrap() as u32;
    assert_eq!(lines("load"), [line("let before = count.load")]);
    assert_eq!(lines("store"), [line("count.store(before + 1")]);
    let completed = first(&found, |ended| *ended == Ended::Completed);
    let last = completed.trace.last().unwrap();
    assert_eq!(last.text, "load → 2");
    assert_eq!(last.place.unwrap().file(), file!());
}

/// With one step it is not lost.
#[test]
fn an_exchange_loses_nothing() {
    let found = explored(|| {
        let count = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&count);
        let add = |count: &AtomicU32| count.fetch_add(1, Ordering::SeqCst);
        let other = thread::spawn(move || add(&other));
        add(&count);
        other.join().unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 2);
    });
    for execution in found {
        assert_eq!(execution.ended, Ended::Completed);
        assert!(execution.sequentially_consistent);
    }
}

#[test]
fn two_locks_deadlock() {
    let found = explored(|| {
        let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
        let other = Arc::clone(&locks);
        let other = thread::spawn(move || {
            let _second = other.1.lock();
            let _first = other.0.lock();
        });
        let first = locks.0.lock();
        let second = locks.1.lock();
        drop((first, second));
        other.join().unwrap();
    });
    let deadlock = first(&found, |ended| *ended == Ended::Deadlock);
    let steps = steps(&deadlock.trace);
    let (_, blocked) = steps.split_at(steps.len() - 2);
    assert_eq!(blocked, ["0: lock: blocked", "1: lock: blocked"]);
    first(&found, |ended| *ended == Ended::Completed);
}

#[test]
fn a_lock_that_the_thread_has_is_a_deadlock() {
    for body in [
        || {
            let mutex = Mutex::new(0);
            let _guard = mutex.lock();
            let _again = mutex.lock();
        },
        || {
            let lock = RwLock::new(0);
            let _guard = lock.read();
            let _again = lock.write();
        },
    ] {
        let found = all(&PCT, body).0;
        assert_eq!(found.len(), 100);
        assert!(
            found
                .iter()
                .all(|execution| execution.ended == Ended::Deadlock)
        );
    }
}

/// The flag is read before the lock is taken: the notification may come in between.
#[test]
fn a_lost_notification_is_a_deadlock() {
    let found = explored(|| {
        let shared = Arc::new((AtomicBool::new(false), Mutex::new(()), Condvar::new()));
        let other = Arc::clone(&shared);
        let other = thread::spawn(move || {
            other.0.store(true, Ordering::Relaxed);
            other.2.notify_one();
        });
        if !shared.0.load(Ordering::Relaxed) {
            let guard = shared.1.lock().unwrap();
            drop(shared.2.wait(guard));
        }
        other.join().unwrap();
    });
    let deadlock = first(&found, |ended| *ended == Ended::Deadlock);
    let steps = steps(&deadlock.trace);
    assert_eq!(steps.last().unwrap(), "0: wait: blocked");
    first(&found, |ended| *ended == Ended::Completed);
}

/// The flag is set, but no token: the thread that parks may have read it before.
#[test]
fn a_lost_token_is_a_deadlock() {
    let found = explored(|| {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&is_set);
        let other = thread::spawn(move || other.store(true, Ordering::Relaxed));
        if !is_set.load(Ordering::Relaxed) {
            thread::park();
        }
        other.join().unwrap();
    });
    let deadlock = first(&found, |ended| *ended == Ended::Deadlock);
    let steps = steps(&deadlock.trace);
    assert_eq!(steps.last().unwrap(), "0: park: blocked");
}

#[test]
fn a_panic_of_a_thread_ends_its_execution_alone() {
    let found = explored(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let other = thread::spawn(move || assert!(!other.load(Ordering::Relaxed), "too late"));
        flag.store(true, Ordering::Relaxed);
        other.join().expect("the execution has ended by the panic");
    });
    let late = first(&found, |ended| panic(ended).is_some());
    let message = panic(&late.ended).unwrap();
    assert!(message.starts_with("too late ("), "{message}");
    first(&found, |ended| *ended == Ended::Completed);
}

/// Destructors of a panic take steps too, and wait.
#[test]
fn a_panic_unwinds_over_steps() {
    struct Adds(Arc<Mutex<u32>>);
    impl Drop for Adds {
        fn drop(&mut self) {
            *self
                .0
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner()) += 1;
        }
    }
    let found = explored(|| {
        let count = Arc::new(Mutex::new(0));
        let other = Adds(Arc::clone(&count));
        let other = thread::spawn(move || {
            let _other = other;
            panic!("on purpose");
        });
        for _ in 0..3 {
            *count.lock().unwrap() += 1;
        }
        let _ = other.join();
    });
    for execution in found {
        let message = panic(&execution.ended).unwrap();
        assert!(message.starts_with("on purpose ("), "{message}");
    }
}

/// The destructor of a panic waits for a lock that no thread releases. The panic never ends, and the executions
/// that are left have another thread of the operating system's.
#[test]
fn a_panic_that_blocks_is_a_deadlock() {
    struct Locks(Arc<Mutex<()>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    let found = explored(|| {
        let mutex = Arc::new(Mutex::new(()));
        let locks = Locks(Arc::clone(&mutex));
        let guard = mutex.lock();
        let other = thread::spawn(move || {
            let _locks = locks;
            panic!("on purpose");
        });
        let _ = other.join();
        drop(guard);
    });
    for execution in found {
        assert_eq!(execution.ended, Ended::Deadlock);
    }
}

#[test]
fn a_panic_without_end_is_too_long() {
    struct Spins(AtomicBool);
    impl Drop for Spins {
        fn drop(&mut self) {
            while !self.0.load(Ordering::Relaxed) {
                thread::yield_now();
            }
        }
    }
    let order = Order::Random {
        seed: 1,
        executions: 2,
    };
    let (executions, _) = all(&order, || {
        let _spins = Spins(AtomicBool::new(false));
        panic!("on purpose");
    });
    for execution in executions {
        assert_eq!(execution.ended, Ended::TooLong);
    }
}

/// A panic that the program catches is a part of the program.
#[test]
fn a_panic_that_is_caught_is_none() {
    let found = explored(|| {
        let count = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&count);
        let other = thread::spawn(move || {
            let caught = std::panic::catch_unwind(|| panic!("caught"));
            assert!(caught.is_err());
            add(&other);
        });
        other.join().unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 1);
    });
    for execution in found {
        assert_eq!(execution.ended, Ended::Completed);
    }
}

#[test]
fn panics_with_a_lock_poison_it() {
    for execution in explored(are_poisoned) {
        assert_eq!(execution.ended, Ended::Completed);
    }
}

/// A panic is told with its own place, and not with that of one that was caught before.
#[test]
fn the_last_of_two_panics_is_told() {
    let found = explored(|| {
        let other = thread::spawn(|| {
            let caught = std::panic::catch_unwind(|| panic!("the first one"));
            assert!(caught.is_err());
            panic!("the second one");
        });
        let _ = other.join();
    });
    for execution in found {
        assert_told_with_its_line(&execution, "the second one", include_str!("shuttle.rs"));
    }
}

/// Destructors of a panic that is caught take steps too. While they do no other thread runs, which would seem to panic: of none of two threads,
/// and of none of two panics of each.
#[test]
fn no_other_thread_runs_while_a_panic_unwinds() {
    struct Adds(Arc<AtomicU32>);
    impl Drop for Adds {
        fn drop(&mut self) {
            for _ in 0..3 {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    let found = explored(|| {
        let count = Arc::new(AtomicU32::new(0));
        let others = [(); 2].map(|()| {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                for _ in 0..2 {
                    let adds = Adds(Arc::clone(&count));
                    let caught = std::panic::catch_unwind(AssertUnwindSafe(move || {
                        let _adds = adds;
                        panic!("on purpose");
                    }));
                    assert!(caught.is_err());
                    for _ in 0..3 {
                        count.fetch_add(1, Ordering::Relaxed);
                        assert!(!std::thread::panicking(), "another thread panics");
                    }
                }
            })
        });
        for other in others {
            other.join().expect("it catches its panics");
        }
        assert_eq!(count.load(Ordering::Relaxed), 24);
    });
    for execution in found {
        assert_eq!(execution.ended, Ended::Completed);
    }
}

#[test]
fn a_loop_without_end_only_waits() {
    let found = explored(|| {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&is_set);
        let other = thread::spawn(move || {
            while !other.load(Ordering::Relaxed) {
                hint::spin_loop();
            }
        });
        other.join().unwrap();
    });
    for execution in found {
        assert_eq!(execution.ended, Ended::Waiting);
        assert_eq!(execution.last.len(), 2);
        assert!(execution.trace.len() <= MOST_STEPS);
    }
}

/// A round of a loop that reads eight places counts once.
#[test]
fn a_loop_that_waits_for_several_places_ends() {
    let found = explored(|| {
        let locks = Arc::new([0; 8].map(|_| AtomicBool::new(false)));
        let other = Arc::clone(&locks);
        let other = thread::spawn(move || hold_first(&other));
        hold_first(&locks);
        other.join().expect("it does not panic");
    });
    for execution in found {
        assert_eq!(execution.ended, Ended::Completed);
    }
}

/// The more threads wait, the longer the one that works is passed over.
#[test]
fn one_of_many_threads_works_and_the_others_wait() {
    let body = || {
        let is_set = Arc::new(AtomicBool::new(false));
        let others = [0; 60].map(|_| {
            let other = Arc::clone(&is_set);
            thread::spawn(move || while !other.load(Ordering::Relaxed) {})
        });
        let count = AtomicU32::new(0);
        (0..5).for_each(|_| add(&count));
        is_set.store(true, Ordering::Relaxed);
        for other in others {
            other.join().expect("it does not panic");
        }
    };
    let order = Order::Random {
        seed: 1,
        executions: 20,
    };
    explore(&order, 100_000, false, body, &mut |execution| {
        assert_eq!(execution.ended, Ended::Completed);
        ControlFlow::Continue(())
    });
}

/// Of each of three threads that wait for a lock the loop ends, whatever the order.
#[test]
fn loops_that_wait_and_do_not_yield_end() {
    let found = explored(|| {
        let shared = Arc::new((AtomicBool::new(false), AtomicU32::new(0)));
        let others = [0, 1, 2].map(|spelling| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let (lock, count) = &*shared;
                let (free, taken) = (Ordering::Relaxed, Ordering::Acquire);
                let exchange = || lock.compare_exchange(false, true, taken, free).is_err();
                match spelling {
                    0 => while exchange() {},
                    1 => while lock.swap(true, taken) {},
                    _ => while lock.load(free) || exchange() {},
                }
                add(count);
                lock.store(false, Ordering::Release);
            })
        });
        for other in others {
            other.join().expect("it does not panic");
        }
        assert_eq!(shared.1.load(Ordering::Relaxed), 3);
    });
    for execution in &found {
        assert_eq!(execution.ended, Ended::Completed);
    }
    let most = found.iter().map(|execution| execution.steps).max();
    assert!(most < Some(300), "{most:?}");
}

/// A loop that writes in each round lets others run as well, in its time.
#[test]
fn a_loop_that_writes_in_each_round_ends() {
    let order = Order::Pct {
        seed: 1,
        depth: 2,
        executions: 40,
    };
    let mut longest = 0;
    explore(
        &order,
        10_000,
        false,
        || {
            let shared = Arc::new((AtomicBool::new(false), AtomicU32::new(0)));
            let other = Arc::clone(&shared);
            let other = thread::spawn(move || {
                while !other.0.load(Ordering::Relaxed) {
                    add(&other.1);
                }
            });
            shared.0.store(true, Ordering::Relaxed);
            other.join().expect("it does not panic");
        },
        &mut |execution| {
            assert_eq!(execution.ended, Ended::Completed);
            longest = longest.max(execution.steps);
            ControlFlow::Continue(())
        },
    );
    // Some waited until they had run alone for long.
    assert!(longest > 900, "{longest}");
}

/// A fault that needs two changes of threads, each in its place, is found at depth 3 and at no less.
#[test]
fn the_second_of_two_changes_is_made() {
    let is_found = |depth| {
        let order = Order::Pct {
            seed: 1,
            depth,
            executions: 2_000,
        };
        let body = || {
            let phase = Arc::new(AtomicU32::new(0));
            let other = Arc::clone(&phase);
            let other = thread::spawn(move || {
                let first = other.load(Ordering::Relaxed);
                let second = other.load(Ordering::Relaxed);
                assert!((first, second) != (1, 2), "between the phases");
            });
            let phases = Arc::clone(&phase);
            let phases = thread::spawn(move || {
                phases.store(1, Ordering::Relaxed);
                phases.store(2, Ordering::Relaxed);
            });
            let _ = other.join();
            let _ = phases.join();
        };
        let (executions, _) = all(&order, body);
        executions
            .iter()
            .any(|execution| panic(&execution.ended).is_some())
    };
    assert!(!is_found(1));
    assert!(is_found(3));
}

/// More choices than a word has bits are repeated, by three threads.
#[test]
fn many_choices_are_repeated() {
    let found = explored(|| {
        let count = Arc::new(AtomicU32::new(0));
        let others = [0; 3].map(|_| {
            let count = Arc::clone(&count);
            thread::spawn(move || (0..40).for_each(|_| add(&count)))
        });
        for other in others {
            other.join().expect("it does not panic");
        }
    });
    let most = found.iter().map(|execution| execution.choices.len()).max();
    assert!(most > Some(128), "{most:?}");
    let distinct: BTreeSet<_> = found.iter().map(|execution| &execution.choices).collect();
    // Random executions do not come again.
    assert!(distinct.len() > 100, "{}", distinct.len());
}

/// Of a deadlock of three threads and the body each is told with what it is blocked in.
#[test]
fn all_that_are_blocked_are_told() {
    let found = explored(|| {
        let locks = Arc::new([0; 3].map(Mutex::new));
        let others = [0, 1, 2].map(|first| {
            let locks = Arc::clone(&locks);
            thread::spawn(move || {
                let one = locks[first].lock();
                drop(locks[(first + 1) % 3].lock());
                drop(one);
            })
        });
        for other in others {
            other.join().expect("it does not panic");
        }
    });
    let stuck = first(&found, |ended| *ended == Ended::Deadlock);
    let told = steps(&stuck.trace);
    for blocked in ["1: lock: blocked", "2: lock: blocked", "3: lock: blocked"] {
        assert!(told.contains(&blocked.to_owned()), "{blocked}: {told:?}");
    }
    assert!(
        told.iter()
            .any(|step| step.starts_with("0: join") && step.ends_with("blocked"))
    );
}

/// A thread that reads the same again between lines of the program gets somewhere.
#[test]
fn a_program_that_tells_what_it_does_does_not_wait() {
    let order = Order::Random {
        seed: 1,
        executions: 1,
    };
    for tells in [true, false] {
        let body = move || {
            let flag = AtomicBool::new(false);
            for _ in 0..900 {
                flag.load(Ordering::Relaxed);
                if tells {
                    note(String::new);
                }
            }
        };
        let (executions, _) = all(&order, body);
        let expected = if tells {
            Ended::Completed
        } else {
            Ended::Waiting
        };
        assert_eq!(executions[0].ended, expected);
    }
}

#[test]
fn scoped_threads_borrow() {
    let found = explored(|| {
        let count = AtomicU32::new(0);
        let sum: u32 = thread::scope(|scope| {
            let threads = [1, 2].map(|number| {
                let count = &count;
                scope.spawn(move || count.fetch_add(number, Ordering::Relaxed))
            });
            let sum = threads.into_iter().map(|thread| thread.join().unwrap());
            sum.sum()
        });
        assert!(sum == 1 || sum == 2, "{sum}");
        assert_eq!(count.load(Ordering::Relaxed), 3);
    });
    for execution in found {
        assert_eq!(execution.ended, Ended::Completed);
    }
}

/// A panic within a scope is raised when its threads have ended, which borrow from outside.
#[test]
fn a_panic_within_a_scope_waits() {
    let found = explored(|| {
        let caught = std::panic::catch_unwind(|| {
            let count = AtomicU32::new(0);
            thread::scope(|scope| {
                scope.spawn(|| (0..3).for_each(|_| add(&count)));
                panic!("on purpose");
            })
        });
        let message = caught.expect_err("it panics");
        assert_eq!(message.downcast_ref(), Some(&"on purpose"));
    });
    for execution in found {
        assert_eq!(execution.ended, Ended::Completed);
        assert_eq!(execution.steps, 6);
    }
}

#[test]
fn a_program_without_primitives_takes_no_steps() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let found = explored(|| {
        let other = thread::spawn(|| COUNT.fetch_add(1, Standard::Relaxed));
        other.join().unwrap();
    });
    assert!(found.iter().all(|execution| execution.steps == 0));
}

#[test]
fn notes_stand_in_the_trace() {
    note(|| unreachable!("nothing is traced"));
    let body = || {
        let count = AtomicU32::new(0);
        note(|| "a call begins".into());
        add(&count);
        note(|| "a call ends".into());
    };
    let found = all(&PCT, body).0;
    let expected = [
        "0: a call begins",
        "0: load → 0",
        "0: store 1",
        "0: a call ends",
    ];
    assert_eq!(steps(&found[0].trace), expected);
    explore(&PCT, MOST_STEPS, false, body, &mut |execution| {
        assert_eq!(execution.trace, []);
        ControlFlow::Continue(())
    });
}

/// Threads that two others spawn have the numbers under which their steps are told, in whatever order that is.
#[test]
fn threads_of_several_others_have_numbers_of_their_own() {
    let mut orders = HashSet::new();
    let found = explored(|| {
        let spawning = |name: &'static str| {
            thread::spawn(move || {
                let child = thread::spawn(move || note(|| format!("of {name}")));
                note(|| format!("{name} has spawned"));
                child.join().unwrap();
            })
        };
        let all = [spawning("one"), spawning("other")];
        for thread in all {
            thread.join().unwrap();
        }
    });
    for execution in &found {
        let told = steps(&execution.trace);
        for name in ["one", "other"] {
            let of = |text: &str| {
                let step = execution.trace.iter().find(|step| step.text == text);
                step.expect("it is told").thread
            };
            let parent = of(&format!("{name} has spawned"));
            let child = of(&format!("of {name}"));
            for done in ["spawn", "join"] {
                assert!(
                    told.contains(&format!("{parent}: {done} {child}")),
                    "{told:?}"
                );
            }
            orders.insert((name, child));
        }
    }
    let either = [("one", 3), ("one", 4), ("other", 3), ("other", 4)];
    assert!(
        either.iter().all(|order| orders.contains(order)),
        "{orders:?}"
    );
}

/// All texts of steps that one thread takes.
#[test]
fn traces_tell_what_was_done() {
    let (found, _) = all(&PCT, || {
        let value = AtomicU32::new(1);
        let _ = value.compare_exchange(1, 2, Ordering::AcqRel, Ordering::Acquire);
        let _ = value.compare_exchange(1, 3, Ordering::AcqRel, Ordering::Acquire);
        value.fetch_add(1, Ordering::Relaxed);
        value.swap(5, Ordering::Relaxed);
        let _ = value.fetch_update(Ordering::AcqRel, Ordering::Acquire, |value| Some(value + 1));
        let mutex = Mutex::new(());
        let guard = mutex.lock();
        let _ = mutex.try_lock();
        drop(guard);
        let lock = RwLock::new(());
        drop(lock.read());
        drop(lock.write());
        let thread = thread::spawn(|| ());
        thread.join().unwrap();
    });
    let expected = [
        "0: compare_exchange 1 → 2",
        "0: compare_exchange 1 → 3: failed, 2",
        "0: fetch_add 1 → 2",
        "0: swap 5 → 3",
        "0: load → 5",
        "0: compare_exchange_weak 5 → 6",
        "0: lock",
        "0: try_lock: failed",
        "0: unlock",
        "0: read",
        "0: unlock, read",
        "0: write",
        "0: unlock, write",
        "0: spawn 1",
        "0: join 1",
    ];
    assert_eq!(steps(&found[0].trace), expected);
}

/// The seed determines everything, also what follows an execution that fails.
#[test]
fn explorations_are_determined_by_the_seed() {
    for order in [PCT, RANDOM] {
        let [one, two] = [(); 2].map(|()| all(&order, two_threads_add).0);
        let key = |execution: &Execution| (execution.ended.clone(), execution.choices.clone());
        let [one, two] = [one, two].map(|all| all.iter().map(key).collect::<Vec<_>>());
        assert_eq!(one, two);
        let failed = one.iter().filter(|(ended, _)| *ended != Ended::Completed);
        assert!((1..99).contains(&failed.count()));
    }
    let other = Order::Pct {
        seed: 2,
        depth: 3,
        executions: 100,
    };
    let choices = |order| -> Vec<Vec<u32>> {
        let executions = all(order, two_threads_add).0;
        executions
            .into_iter()
            .map(|execution| execution.choices)
            .collect()
    };
    assert_ne!(choices(&PCT), choices(&other));
}

/// A beginning of choices is one too: then the thread that runs goes on.
#[test]
fn too_few_choices_are_completed() {
    let repeated = |choices: &[u32]| {
        let mut executions = all(&Order::Repeat(choices.to_vec()), two_threads_add).0;
        executions.remove(0)
    };
    assert_eq!(repeated(&[]).ended, Ended::Completed);
    let switched = repeated(&[0, 1, 1, 0]);
    assert_eq!(switched.choices[..4], [0, 1, 1, 0]);
    // What does not fit is passed over.
    assert_eq!(repeated(&[7, 9]).choices, repeated(&[]).choices);
}

#[test]
fn the_judge_ends_the_exploration() {
    let mut judged = 0;
    let explored = explore(&PCT, MOST_STEPS, false, two_threads_add, &mut |_| {
        judged += 1;
        match judged {
            7 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    assert_eq!((judged, explored.executions), (7, 7));
}

/// The judge explores itself, to trace what it has found.
#[test]
fn the_judge_repeats_what_it_judges() {
    let mut traces = Vec::new();
    explore(&PCT, MOST_STEPS, false, two_threads_add, &mut |execution| {
        if execution.ended != Ended::Completed {
            let (again, _) = all(&Order::Repeat(execution.choices), two_threads_add);
            assert_eq!(again[0].ended, execution.ended);
            traces.push(steps(&again[0].trace));
        }
        ControlFlow::Continue(())
    });
    assert!(traces.len() > 10);
    for trace in traces {
        assert_eq!(trace.last().unwrap(), "0: load → 1");
    }
}

#[test]
fn a_panic_of_the_judge_is_passed_on() {
    let panics = || {
        explore(&PCT, MOST_STEPS, false, two_threads_add, &mut |_| {
            std::panic::resume_unwind(Box::new("the judge"))
        })
    };
    let panic = std::panic::catch_unwind(panics).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"the judge"));
    assert!(!refmap_schedules::is_scheduled());
}

/// Body and judge share what the caller has made.
#[test]
fn the_judge_runs_after_each_execution() {
    let log = StandardArc::new(StandardMutex::new(Vec::new()));
    let body = {
        let log = StandardArc::clone(&log);
        move || log.lock().unwrap().push("body")
    };
    let caller = std::thread::current().id();
    let order = Order::Random {
        seed: 1,
        executions: 2,
    };
    explore(&order, MOST_STEPS, false, body, &mut |_| {
        assert_eq!(std::thread::current().id(), caller);
        assert!(!refmap_schedules::is_scheduled());
        log.lock().unwrap().push("judge");
        ControlFlow::Continue(())
    });
    assert_eq!(*log.lock().unwrap(), ["body", "judge", "body", "judge"]);
    // The body is dropped, and so all that it holds.
    assert_eq!(StandardArc::strong_count(&log), 1);
}

#[test]
fn explorations_in_parallel_do_not_disturb_each_other() {
    let alone: Vec<_> = [PCT, RANDOM]
        .map(|order| all(&order, two_threads_add).0)
        .into();
    let together: Vec<_> = std::thread::scope(|scope| {
        let explore = |order: Order| scope.spawn(move || all(&order, two_threads_add).0);
        let threads = [PCT, RANDOM, PCT, RANDOM].map(explore);
        threads.map(|thread| thread.join().unwrap()).into()
    });
    for (number, executions) in together.iter().enumerate() {
        let alone = &alone[number % 2];
        assert_eq!(executions.len(), alone.len());
        for (one, other) in executions.iter().zip(alone) {
            assert_eq!(one.ended, other.ended);
            assert_eq!(one.trace, other.trace);
        }
    }
}

#[test]
fn an_execution_explores_no_others() {
    let (executions, _) = all(&PCT, || drop(all(&PCT, || ())));
    let message = panic(&executions[0].ended).expect("it panics");
    assert!(
        message.starts_with("an execution explores no others ("),
        "{message}"
    );
}

/// Without a change of priorities threads run one after another, in each of their orders.
#[test]
fn priorities_are_drawn_for_each_execution() {
    let seen = StandardArc::new(StandardMutex::new(BTreeSet::new()));
    let orders = StandardArc::clone(&seen);
    let (seed, depth, executions) = (1, 1, 200);
    let order = Order::Pct {
        seed,
        depth,
        executions,
    };
    let (all, _) = all(&order, move || {
        let places = Arc::new(Mutex::new(Vec::new()));
        let others = [1, 2, 3].map(|thread| {
            let places = Arc::clone(&places);
            thread::spawn(move || places.lock().unwrap().push(thread))
        });
        for other in others {
            other.join().expect("it does not panic");
        }
        let order = places.lock().unwrap().clone();
        orders.lock().unwrap().insert(order);
    });
    assert!(
        all.iter()
            .all(|execution| execution.ended == Ended::Completed)
    );
    assert_eq!(seen.lock().unwrap().len(), 6);
}

/// More changes of priorities than there are choices.
#[test]
fn any_depth_is_explored() {
    for depth in [0, 1, 2, 50, usize::MAX] {
        let (seed, executions) = (1, 20);
        let order = Order::Pct {
            seed,
            depth,
            executions,
        };
        assert_eq!(all(&order, two_threads_add).0.len(), 20);
    }
}
