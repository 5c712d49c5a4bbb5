//! The collectors under Shuttle: random and PCT schedules, each determined by a seed.
//!
//! Shuttle runs one thread at a time, sequentially consistent: it covers interleavings of steps,
//! and no reordering of memory accesses.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use refmap_schedules::explore::{Ended, Order, explore};

use crate::native::ben_ari;
use crate::native::caught::{Detected, FAULTS};
use crate::native::on_the_fly::{Counts, Fault, NoWitness, Shape};
use crate::native::{self, Program, play};

const SHAPE: Shape = Shape {
    objects: 5,
    fields: 1,
};

/// Number of steps that no test comes near.
const MOST_STEPS: usize = 1_000_000;

/// Runs `execution` in each order; all its threads have to end.
fn run(order: &Order, execution: impl Fn() + Send + Sync + 'static) {
    explore(order, MOST_STEPS, false, execution, &mut |execution| {
        assert_eq!(execution.ended, Ended::Completed);
        ControlFlow::Continue(())
    });
}

/// Number of failing schedules, and the counters of all of them.
fn seen(order: &Order, fault: Fault, lines: &[&str]) -> (u64, Counts) {
    let program = Program::read(lines.iter().copied()).expect("it is a program");
    let failed = Arc::new(AtomicU64::new(0));
    let counts = Arc::new(Mutex::new(Counts::default()));
    let execution = {
        let (failed, counts) = (Arc::clone(&failed), Arc::clone(&counts));
        move || {
            let outcome = play(SHAPE, fault, &program, || NoWitness).expect("the program fits");
            failed.fetch_add(u64::from(outcome.violation.is_some()), Ordering::Relaxed);
            *counts.lock().expect("nothing panics with it") += outcome.counts;
        }
    };
    run(order, execution);
    let counts = *counts.lock().expect("nothing panics with it");
    (failed.load(Ordering::Relaxed), counts)
}

fn random(fault: Fault, lines: &[&str], executions: usize) -> (u64, Counts) {
    let seed = 11;
    seen(&Order::Random { seed, executions }, fault, lines)
}

fn pct(fault: Fault, lines: &[&str], executions: usize) -> (u64, Counts) {
    let (seed, depth) = (11, 3);
    let order = Order::Pct {
        seed,
        depth,
        executions,
    };
    seen(&order, fault, lines)
}

/// Without a fault the programs for the faults do not fail.
#[test]
fn without_a_fault_nothing_is_seen() {
    let mut all = Counts::default();
    for (fault, _, lines) in FAULTS {
        for (failed, counts) in [random(Fault::None, lines, 60), pct(Fault::None, lines, 30)] {
            assert_eq!(failed, 0, "{fault:?}");
            all += counts;
        }
    }
    assert!(all.cycles > 1000 && all.freed > 50, "{all:?}");
    assert!(all.marks_lost > 0 && all.barrier_marks > 0, "{all:?}");
}

/// Faults that depend only on the interleaving are detected.
#[test]
fn faults_are_caught() {
    for (fault, seen, lines) in FAULTS {
        let schedules = if seen == Detected::Rarely { 2000 } else { 100 };
        let (failed, _) = random(fault, lines, schedules);
        match seen {
            Detected::Always | Detected::Rarely => assert!(failed > 0, "{fault:?}"),
            Detected::InLoom | Detected::Never => assert_eq!(failed, 0, "{fault:?}"),
        }
    }
}

/// Number of failing schedules of random programs, and their counters.
fn random_programs(fault: Fault, programs: usize, schedules: usize) -> (u64, Counts) {
    let mut runner = TestRunner::deterministic();
    let mut failed = 0;
    let mut all = Counts::default();
    for number in 0..programs {
        let strategy = native::programs(1 + number % 3);
        let program = strategy
            .new_tree(&mut runner)
            .expect("it is drawn")
            .current();
        let lines = program.lines();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (wrong, counts) = random(fault, &lines, schedules);
        failed += wrong;
        all += counts;
    }
    (failed, all)
}

/// No schedule fails for an undetectable fault; some do for a harmful one.
#[test]
fn random_programs_show_what_does_harm() {
    for (fault, seen, _) in FAULTS {
        if seen == Detected::Never {
            assert_eq!(random_programs(fault, 40, 15).0, 0, "{fault:?}");
        }
    }
    let (failed, counts) = random_programs(Fault::None, 40, 15);
    assert_eq!(failed, 0);
    assert!(counts.freed > 100 && counts.marks_lost > 0, "{counts:?}");
    assert!(random_programs(Fault::EarlySweep, 40, 15).0 > 0);
}

#[test]
#[ignore = "some minutes"]
fn nightly_many_random_programs_show_what_does_harm() {
    for (fault, does_harm) in [
        (Fault::None, false),
        (Fault::SkipIdleNoop, false),
        (Fault::SkipIdleFlipNoop, true),
        (Fault::SkipInitNoop, true),
    ] {
        let (failed, counts) = random_programs(fault, 4000, 50);
        println!("{fault:?}: {failed} failed, {counts:?}");
        assert_eq!(failed > 0, does_harm, "{fault:?}");
    }
}

/// Mutators join and leave at any moment of a cycle.
#[test]
fn mutators_come_and_go() {
    let lines = [
        "alloc; store 1.0=0; relay; discard 0; until get-roots; load 0.0; relay; store 1.0=null",
        "relay; until mark; alloc; store 1.0=0; relay; load 1.0; until get-work; relay",
    ];
    let (failed, counts) = random(Fault::None, &lines, 300);
    assert_eq!(failed, 0);
    assert!(counts.joins >= 300 * 7, "{counts:?}");
}

/// Number of schedules in which Ben-Ari's collector appends an accessible node, and number of nodes appended in all
/// schedules.
fn ben_ari(fault: ben_ari::Fault, schedules: usize) -> (u64, u64) {
    let bounds = ben_ari::Bounds {
        nodes: 5,
        sons: 2,
        roots: 2,
    };
    let failed = Arc::new(AtomicU64::new(0));
    let appended = Arc::new(AtomicU64::new(0));
    let seeds = AtomicU64::new(0);
    let order = Order::Random {
        seed: 11,
        executions: schedules,
    };
    let execution = {
        let (failed, appended) = (Arc::clone(&failed), Arc::clone(&appended));
        move || {
            let seed = seeds.fetch_add(1, Ordering::Relaxed);
            let outcome = ben_ari::run(bounds, fault, seed, 200, None, || true);
            let outcome = outcome.expect("the bounds are in range");
            failed.fetch_add(u64::from(outcome.violation.is_some()), Ordering::Relaxed);
            appended.fetch_add(outcome.counts.appended, Ordering::Relaxed);
        }
    };
    run(&order, execution);
    let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
    (count(&failed), count(&appended))
}

/// One pass over the memory does not reach every node. The other faults take longer runs than Shuttle
/// allows: tests on real threads cover them.
#[test]
fn ben_ari_has_to_count() {
    let (failed, appended) = ben_ari(ben_ari::Fault::None, 100);
    assert_eq!(failed, 0);
    assert!(appended > 100, "{appended}");
    assert!(ben_ari(ben_ari::Fault::NoCount, 100).0 > 50);
}
