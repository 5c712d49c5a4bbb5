//! Output of explorations, seen by a process of its own.

use std::ops::ControlFlow;
use std::process::Command;

use refmap_schedules::explore::{Ended, Order, explore};
use refmap_schedules::sync::atomic::{AtomicBool, Ordering};
use refmap_schedules::sync::{Arc, Mutex, RwLock};
use refmap_schedules::{hint, thread};

/// Set where the test runs what is to print, in a process of its own.
const IS_OBSERVED: &str = "REFMAP_TEST_PRINTED";

/// Standard error of `test` where it runs `run`, or `None` in the process that does.
fn printed_by(test: &str, run: impl FnOnce()) -> Option<String> {
    if std::env::var_os(IS_OBSERVED).is_some() {
        run();
        return None;
    }
    let program = std::env::current_exe().expect("it runs");
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    let output = command.env(IS_OBSERVED, "").output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let ran = String::from_utf8_lossy(&output.stdout);
    assert!(ran.contains("1 passed"), "{ran}");
    Some(String::from_utf8(output.stderr).expect("it is a text"))
}

/// The ends of all executions of a body, in each order.
fn explored(body: impl Fn() + Send + Sync + Copy + 'static) -> Vec<Ended> {
    let (seed, executions) = (1, 20);
    let orders = [
        Order::Random { seed, executions },
        Order::Pct {
            seed,
            depth: 3,
            executions,
        },
        Order::Every {
            preemptions: None,
            most: 1000,
        },
    ];
    let mut all = Vec::new();
    for order in orders {
        explore(&order, 1000, true, body, &mut |execution| {
            all.push(execution.ended);
            ControlFlow::Continue(())
        });
    }
    all
}

/// Explores what fails in each way.
fn explore_failures() {
    let panics = || {
        let other = thread::spawn(|| panic!("this is not printed"));
        let _ = other.join();
    };
    let deadlocks = || {
        let mutex = Arc::new(Mutex::new(()));
        let other = Arc::clone(&mutex);
        let _guard = mutex.lock();
        let _ = thread::spawn(move || drop(other.lock())).join();
    };
    let has_it = || {
        let lock = RwLock::new(());
        let _guard = lock.write();
        drop(lock.write());
    };
    let spins = || {
        let flag = AtomicBool::new(false);
        while !flag.load(Ordering::Relaxed) {
            hint::spin_loop();
        }
    };
    let of = |ended: Vec<Ended>, expected: fn(&Ended) -> bool| {
        assert!(ended.len() > 40 && ended.iter().all(expected), "{ended:?}");
    };
    of(explored(panics), |ended| {
        matches!(ended, Ended::Panicked(_))
    });
    of(explored(deadlocks), |ended| *ended == Ended::Deadlock);
    of(explored(has_it), |ended| *ended == Ended::Deadlock);
    of(explored(spins), |ended| *ended == Ended::Waiting);
}

#[test]
fn executions_print_nothing() {
    let printed = printed_by("printed::executions_print_nothing", || {
        explore_failures();
        std::thread::scope(|scope| {
            scope.spawn(explore_failures);
            scope.spawn(explore_failures);
        });
    });
    assert!(printed.is_none_or(|printed| printed.is_empty()));
}

#[test]
fn other_panics_are_printed() {
    let panics = || std::panic::catch_unwind(|| panic!("this is printed")).is_err();
    let printed = printed_by("printed::other_panics_are_printed", || {
        explore_failures();
        // Of the same thread, and of another one while this one explores.
        assert!(panics());
        explored(move || assert!(std::thread::spawn(panics).join().is_ok_and(|caught| caught)));
        let order = Order::Random {
            seed: 1,
            executions: 1,
        };
        explore(&order, 1000, false, || (), &mut |_| {
            assert!(panics());
            ControlFlow::Continue(())
        });
    });
    let Some(printed) = printed else {
        return;
    };
    // Once by the thread itself, by 41 executions, and by a judge.
    assert_eq!(printed.matches("this is printed").count(), 43, "{printed}");
    for of_shuttle in ["Task failed", "test panicked in task", "failing schedule"] {
        assert!(!printed.contains(of_shuttle), "{printed}");
    }
}
