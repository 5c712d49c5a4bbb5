//! What is printed, by a process of its own.

use std::ops::ControlFlow;
use std::process::Command;

use refmap_schedules::explore::{Ended, Order, explore};
use refmap_schedules::sync::atomic::{AtomicBool, Ordering};
use refmap_schedules::sync::{Arc, Mutex, RwLock};
use refmap_schedules::{hint, thread};

/// Standard error of a test of this program, which is ignored otherwise.
fn printed_by(test: &str) -> String {
    let program = std::env::current_exe().expect("it runs");
    let mut command = Command::new(program);
    command.args([
        "--exact",
        test,
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).expect("it is a text")
}

/// Explores a body in each order. Whether it ended by a panic at all.
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
    of(explored(spins), |ended| *ended == Ended::TooLong);
}

#[test]
#[ignore = "for `executions_print_nothing`"]
fn failures() {
    explore_failures();
    std::thread::scope(|scope| {
        scope.spawn(explore_failures);
        scope.spawn(explore_failures);
    });
}

#[test]
fn executions_print_nothing() {
    assert_eq!(printed_by("printed::failures"), "");
}

#[test]
#[ignore = "for `other_panics_are_printed`"]
fn others() {
    explore_failures();
    // Of the same thread, and of another one while this one explores.
    let panics = || std::panic::catch_unwind(|| panic!("this is printed")).is_err();
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
}

#[test]
fn other_panics_are_printed() {
    let printed = printed_by("printed::others");
    // Once by the thread itself, by 41 executions, and by a judge.
    assert_eq!(printed.matches("this is printed").count(), 43, "{printed}");
    for of_shuttle in ["Task failed", "test panicked in task", "failing schedule"] {
        assert!(!printed.contains(of_shuttle), "{printed}");
    }
}
