//! Ring of many producers and consumers after Vyukov, which publishes a value by a store that may order nothing.

use refmap::Verdict;
use refmap_histories::Object;
use refmap_histories::object::{Effort, Run, Shared, Tested, test};
use refmap_histories::specifications::bounded::Call;
use refmap_histories::specifications::{Answer, Bounded, MayRefuse, Operations};
use refmap_schedules::cell::UnsafeCell;
use refmap_schedules::hint;
use refmap_schedules::sync::atomic::{AtomicUsize, Ordering};

use super::found;

const CAPACITY: usize = 2;

#[derive(Clone, Copy, Debug)]
struct Spelling {
    publish: Ordering,
    /// True if a loop says that it spins.
    is_polite: bool,
}

struct Ring {
    slots: Vec<Slot>,
    head: AtomicUsize,
    tail: AtomicUsize,
    spelling: Spelling,
}

struct Slot {
    turn: AtomicUsize,
    value: UnsafeCell<u8>,
}

#[expect(unsafe_code, reason = "the content of a cell is shared")]
// SAFETY: a slot's value is accessed by the one thread whose turn it is, if the ring publishes in order.
unsafe impl Sync for Slot {}

impl Ring {
    fn new(spelling: Spelling) -> Self {
        let slots = (0..CAPACITY).map(|turn| Slot {
            turn: AtomicUsize::new(turn),
            value: UnsafeCell::new(0),
        });
        Self {
            slots: slots.collect(),
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
            spelling,
        }
    }

    /// Takes the slot whose turn is `ahead` of the next place that `places` counts; none if there is none.
    fn take(&self, places: &AtomicUsize, ahead: usize) -> Option<(usize, &Slot)> {
        let relaxed = Ordering::Relaxed;
        let mut at = places.load(relaxed);
        loop {
            let slot = &self.slots[at % CAPACITY];
            let turn = slot.turn.load(Ordering::Acquire);
            match turn.cmp(&(at + ahead)) {
                std::cmp::Ordering::Less => return None,
                std::cmp::Ordering::Equal => {
                    match places.compare_exchange(at, at + 1, relaxed, relaxed) {
                        Ok(_) => return Some((at, slot)),
                        Err(now) => at = now,
                    }
                }
                std::cmp::Ordering::Greater => {
                    if self.spelling.is_polite {
                        hint::spin_loop();
                    }
                    at = places.load(relaxed);
                }
            }
        }
    }

    #[expect(unsafe_code, reason = "the content of a cell is shared")]
    fn push(&self, value: u8) -> bool {
        let Some((at, slot)) = self.take(&self.tail, 0) else {
            return false;
        };
        // SAFETY: it is the turn of this thread.
        slot.value.with_mut(|place| unsafe { *place = value });
        slot.turn.store(at + 1, self.spelling.publish);
        true
    }

    #[expect(unsafe_code, reason = "the content of a cell is shared")]
    fn pop(&self) -> Option<u8> {
        let (at, slot) = self.take(&self.head, 1)?;
        // SAFETY: it is the turn of this thread.
        let value = slot.value.with(|place| unsafe { *place });
        slot.turn.store(at + CAPACITY, Ordering::Release);
        Some(value)
    }
}

fn ring(spelling: Spelling) -> impl Object {
    let refusal: fn(&Call<u8>) -> Option<Answer<u8>> = |call| {
        Some(match call {
            Call::Push(_) => Answer::Is(false),
            Call::Pop => Answer::Nothing,
        })
    };
    let object = Bounded::new(CAPACITY);
    let specification = Operations(MayRefuse { object, refusal });
    let calls = [Call::Pop, Call::Push(1), Call::Push(2), Call::Push(3)];
    let make = move || Ring::new(spelling);
    let object = Shared::new(specification, make, calls, |ring: &Ring, call| match call {
        Call::Push(value) => ring.push(*value).into(),
        Call::Pop => ring.pop().into(),
    });
    object.with_schedules()
}

/// The default effort under Loom alone, with so many executions of a program.
fn under_loom(spelling: Spelling, seed: u64, executions: u32) -> Tested {
    let effort = Effort {
        seed,
        alone: 0,
        programs: 0,
        runs: 0,
        executions,
        ..Effort::default()
    };
    test(ring(spelling), &effort)
}

#[test]
fn a_ring_that_publishes_without_order_is_found_from_each_of_a_hundred_seeds() {
    for seed in 1..=100 {
        for is_polite in [false, true] {
            let spelling = Spelling {
                publish: Ordering::Relaxed,
                is_polite,
            };
            let tested = under_loom(spelling, seed, Effort::default().executions);
            let finding = found(&tested, Run::Memory, &["Causality violation"]);
            // Two calls show it.
            assert_eq!(finding.history.lines().count(), 4, "{finding}");
        }
    }
}

#[test]
fn a_ring_that_publishes_in_order_holds() {
    for is_polite in [false, true] {
        let spelling = Spelling {
            publish: Ordering::Release,
            is_polite,
        };
        // All programs up to names take some thousands of executions.
        let executions = if is_polite {
            1_000
        } else {
            Effort::default().executions
        };
        let tested = under_loom(spelling, 1, executions);
        let memory = tested.parts.iter().find(|part| part.run == Run::Memory);
        let memory = memory.expect("it was tried");
        assert_eq!(memory.verdict, Verdict::Holds, "{tested}");
        let all = |remark: &String| remark.starts_with("all");
        let tries_all = memory.remarks.first().is_some_and(all);
        assert!(is_polite || tries_all, "{tested}");
    }
}
