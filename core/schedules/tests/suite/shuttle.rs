//! Executions under Shuttle.

use std::ops::ControlFlow;

use refmap_schedules::explore::{Ended, Execution, Explored, Order, explore};
use refmap_schedules::sync::atomic::{AtomicU32, Ordering};
use refmap_schedules::sync::{Arc, Mutex};
use refmap_schedules::thread;

/// All executions of `body`.
fn all(order: &Order, traced: bool, body: impl Fn() + Send + Sync + 'static) -> Vec<Execution> {
    let mut all = Vec::new();
    explore(order, 1000, traced, body, &mut |execution| {
        all.push(execution);
        ControlFlow::Continue(())
    });
    all
}

fn loses_an_update() {
    let count = Arc::new(AtomicU32::new(0));
    let other = {
        let count = Arc::clone(&count);
        thread::spawn(move || {
            let before = count.load(Ordering::Relaxed);
            count.store(before + 1, Ordering::Relaxed);
        })
    };
    let before = count.load(Ordering::Relaxed);
    count.store(before + 1, Ordering::Relaxed);
    other.join().expect("it does not panic");
    assert_eq!(count.load(Ordering::Relaxed), 2, "an update is lost");
}

fn pct(executions: usize) -> Order {
    Order::Pct {
        seed: 1,
        depth: 3,
        executions,
    }
}

#[test]
fn a_lost_update_is_found_and_repeated() {
    let found = all(&pct(100), false, loses_an_update);
    assert_eq!(found.len(), 100);
    for execution in found {
        let again = all(
            &Order::Repeat(execution.choices.clone()),
            true,
            loses_an_update,
        );
        assert_eq!(again[0].ended, execution.ended);
        assert_eq!(again[0].choices, execution.choices);
        if let Ended::Panicked(panic) = &again[0].ended {
            for line in &again[0].trace {
                println!("{line:?}");
            }
            println!("{panic}");
        }
    }
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
    let found = all(&pct(100), true, body);
    let deadlocks = found.iter().filter(|e| e.ended == Ended::Deadlock).count();
    println!("{deadlocks}");
    let deadlock = found.iter().find(|e| e.ended == Ended::Deadlock).unwrap();
    println!("{deadlock:#?}");
}
