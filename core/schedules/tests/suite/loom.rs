//! Executions under Loom.

use std::ops::ControlFlow;

use refmap_schedules::cell::UnsafeCell;
use refmap_schedules::explore::{Ended, Execution, Explored, Order, explore};
use refmap_schedules::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use refmap_schedules::sync::{Arc, Condvar, Mutex};
use refmap_schedules::thread;

fn every(body: impl Fn() + Send + Sync + 'static) -> (Vec<Execution>, Explored) {
    let order = Order::Every {
        preemptions: None,
        most: 10_000,
    };
    let mut all = Vec::new();
    let explored = explore(&order, 1000, true, body, &mut |execution| {
        all.push(execution);
        ControlFlow::Continue(())
    });
    (all, explored)
}

#[test]
fn two_locks_deadlock() {
    let body = || {
        let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
        let other = {
            let locks = Arc::clone(&locks);
            thread::spawn(move || {
                let _second = locks.1.lock();
                let _first = locks.0.lock();
            })
        };
        let _first = locks.0.lock();
        let _second = locks.1.lock();
        drop((_first, _second));
        other.join().unwrap();
    };
    let (all, explored) = every(body);
    println!("{explored:?} {:#?}", all.last().unwrap());
}

fn passes(ordering: [Ordering; 2]) -> (Vec<Execution>, Explored) {
    every(move || {
        let data = Arc::new((AtomicU32::new(0), AtomicBool::new(false)));
        let other = {
            let data = Arc::clone(&data);
            thread::spawn(move || {
                data.0.store(1, Ordering::Relaxed);
                data.1.store(true, ordering[0]);
            })
        };
        if data.1.load(ordering[1]) {
            assert_eq!(data.0.load(Ordering::Relaxed), 1, "stale");
        }
        other.join().unwrap();
    })
}

#[test]
fn message_passing() {
    let (all, explored) = passes([Ordering::Release, Ordering::Acquire]);
    println!("{explored:?} {:#?}", all.last().unwrap());
    let (all, explored) = passes([Ordering::Relaxed, Ordering::Relaxed]);
    println!("{explored:?} {:#?}", all.last().unwrap());
}
