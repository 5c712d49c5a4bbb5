//! Counter behind a lock that spins, and does not yield.

use refmap::Verdict;
use refmap_histories::Object;
use refmap_histories::object::{Effort, Run, Shared, test};
use refmap_histories::specifications::counter::Call;
use refmap_histories::specifications::{Counter, Operations};
use refmap_schedules::sync::Mutex;
use refmap_schedules::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};

use super::{NEVER_POISONED, found, little, seeded};

/// Spelling of the loop that waits for the lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spin {
    Exchange,
    Swap,
    /// Reads until the lock is free, and exchanges then.
    TestFirst,
    /// Takes a lock around each look at the flag, so that each round writes.
    Polls,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    /// An addition holds the lock while it reads, and not while it writes.
    EarlyUnlock,
    /// A read does not release the lock.
    NoUnlock,
}

#[derive(Default)]
struct Locked {
    is_locked: AtomicBool,
    polling: Mutex<()>,
    value: AtomicI64,
}

impl Locked {
    fn try_lock(&self) -> bool {
        let (free, taken) = (Ordering::Relaxed, Ordering::Acquire);
        let lock = &self.is_locked;
        lock.compare_exchange(false, true, taken, free).is_ok()
    }

    fn lock(&self, spin: Spin) {
        match spin {
            Spin::Exchange => while !self.try_lock() {},
            Spin::Swap => while self.is_locked.swap(true, Ordering::Acquire) {},
            Spin::TestFirst => loop {
                while self.is_locked.load(Ordering::Relaxed) {}
                if self.try_lock() {
                    break;
                }
            },
            Spin::Polls => loop {
                let _turn = self.polling.lock().expect(NEVER_POISONED);
                if self.try_lock() {
                    break;
                }
            },
        }
    }

    fn unlock(&self) {
        self.is_locked.store(false, Ordering::Release);
    }

    fn call(&self, spin: Spin, fault: Fault, call: &Call) -> Option<i64> {
        self.lock(spin);
        let value = self.value.load(Ordering::Relaxed);
        match call {
            Call::Read if fault == Fault::NoUnlock => return Some(value),
            Call::Read => (),
            Call::Add(by) | Call::FetchAdd(by) => {
                if fault == Fault::EarlyUnlock {
                    self.unlock();
                    self.lock(spin);
                }
                self.value.store(value + by, Ordering::Relaxed);
            }
        }
        self.unlock();
        Some(value)
    }
}

fn counter(spin: Spin, fault: Fault) -> impl Object {
    let calls = [Call::Read, Call::FetchAdd(1), Call::FetchAdd(10)];
    let specification = Operations(Counter::default());
    let object = Shared::new(
        specification,
        Locked::default,
        calls,
        move |locked, call| locked.call(spin, fault, call).into(),
    );
    object.with_schedules()
}

/// A part of the default effort.
fn some() -> Effort {
    Effort {
        alone: 2,
        runs: 2,
        programs: 60,
        executions: 1_000,
        ..Effort::default()
    }
}

#[test]
fn a_spin_lock_that_is_right_holds() {
    for spin in [Spin::Exchange, Spin::Swap, Spin::TestFirst] {
        let tested = test(counter(spin, Fault::None), &some());
        // On a busy machine no two calls of real threads need overlap, which is told as `incomplete`.
        assert!(tested.finding().is_none(), "{spin:?}: {tested}");
        for part in &tested.parts[1..3] {
            assert_eq!(part.verdict, Verdict::Holds, "{spin:?}: {tested}");
            assert!(part.overlapping > 0, "{spin:?}: {tested}");
            // Of no execution is it said that it does not end.
            assert_eq!(part.blocked, 0, "{spin:?}: {tested}");
        }
        assert_eq!(tested.parts[1].given_up, 0, "{spin:?}: {tested}");
        assert_eq!(tested.parts[1].under_way, 4, "{spin:?}: {tested}");
    }
}

#[test]
#[ignore = "a minute"]
fn slow_a_spin_lock_that_is_right_holds_from_each_seed() {
    for seed in 1..=10 {
        test(counter(Spin::Exchange, Fault::None), &seeded(seed)).assert_holds();
    }
}

#[test]
fn a_spin_lock_that_is_released_too_early_is_found() {
    for spin in [Spin::Exchange, Spin::Swap, Spin::TestFirst, Spin::Polls] {
        let tested = test(counter(spin, Fault::EarlyUnlock), &little());
        found(&tested, Run::Schedules, &["no order with"]);
        let memory = Effort {
            programs: 0,
            alone: 1,
            ..little()
        };
        if spin != Spin::Polls {
            let tested = test(counter(spin, Fault::EarlyUnlock), &memory);
            found(&tested, Run::Memory, &["no order with"]);
        }
    }
}

/// All wait for what does not come: it is told where, and not that the object does not name its primitives.
#[test]
fn a_spin_lock_that_is_not_released_is_incomplete_and_told_where() {
    let effort = Effort {
        alone: 0,
        runs: 0,
        ..little()
    };
    let tested = test(counter(Spin::Exchange, Fault::NoUnlock), &effort);
    assert_eq!(tested.verdict(), Verdict::Incomplete, "{tested}");
    for run in [Run::Schedules, Run::Memory] {
        let part = tested.parts.iter().find(|part| part.run == run);
        let part = part.expect("it was tried");
        assert!(part.given_up > 0, "{tested}");
        let waits = |note: &String| {
            note.contains("read the same again and again") && note.contains("spin.rs:")
        };
        // Loom may read what has been overwritten, so that it is no more than a remark there.
        let told = match run {
            Run::Schedules => &part.notes,
            _ => &part.remarks,
        };
        assert!(told.iter().any(waits), "{tested}");
        let unnamed = |note: &String| note.contains("does not name");
        assert!(!part.notes.iter().any(unnamed), "{tested}");
    }
}

/// A loop that takes a lock each time does not only read. Under Shuttle it is left alone at some time; Loom goes round for ever.
#[test]
fn a_loop_that_polls_under_a_lock_is_told() {
    let effort = Effort {
        alone: 1,
        runs: 1,
        programs: 20,
        ..little()
    };
    let tested = test(counter(Spin::Polls, Fault::None), &effort);
    let [_, schedules, memory, _] = &tested.parts[..] else {
        panic!("{tested}");
    };
    assert_eq!(schedules.verdict, Verdict::Holds, "{tested}");
    assert_eq!(schedules.given_up, 0, "{tested}");
    assert!(memory.given_up > 0, "{tested}");
    let told = memory.remarks.iter().chain(&memory.notes);
    let told: Vec<_> = told.collect();
    let has_reason = |line: &&String| line.contains("spin.rs:") && line.contains("spin_loop");
    assert!(told.iter().any(has_reason), "{tested}");
    assert!(
        !told.iter().any(|line| line.contains("does not name")),
        "{tested}"
    );
}

/// Loses an addition while so many others are under way.
struct Crowded {
    value: AtomicI64,
    under_way: AtomicU32,
    most: u32,
}

impl Crowded {
    fn call(&self, call: &Call) -> Option<i64> {
        let (Call::Add(by) | Call::FetchAdd(by)) = call else {
            return Some(self.value.load(Ordering::SeqCst));
        };
        let others = self.under_way.fetch_add(1, Ordering::SeqCst);
        let before = if others >= self.most {
            self.value.load(Ordering::SeqCst)
        } else {
            self.value.fetch_add(*by, Ordering::SeqCst)
        };
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        Some(before)
    }
}

fn crowded(most: u32) -> impl Object {
    let calls = [Call::Read, Call::FetchAdd(1)];
    let make = move || Crowded {
        value: AtomicI64::new(0),
        under_way: AtomicU32::new(0),
        most,
    };
    let call = |crowded: &Crowded, call: &Call| crowded.call(call).into();
    Shared::new(Operations(Counter::default()), make, calls, call).with_schedules()
}

/// Runs under schedules alone.
fn scheduled() -> Effort {
    Effort {
        alone: 0,
        runs: 0,
        tiny_programs: 0,
        ..Effort::default()
    }
}

#[test]
fn what_goes_wrong_with_four_calls_under_way_is_found() {
    let tested = test(crowded(3), &scheduled());
    found(&tested, Run::Schedules, &["no order with"]);
    assert_eq!(tested.under_way(), 4, "{tested}");
    assert!(
        tested.to_string().contains("4 under way at most"),
        "{tested}"
    );
}

#[test]
fn what_goes_wrong_with_five_calls_under_way_is_not_and_the_report_tells_how_many_were() {
    let effort = Effort {
        programs: 100,
        ..scheduled()
    };
    let tested = test(crowded(4), &effort);
    assert_eq!(tested.parts[1].verdict, Verdict::Holds, "{tested}");
    assert_eq!(tested.under_way(), 4, "{tested}");
}
