//! The collector in Loom's memory model: every behaviour of a tiny heap, within Loom's limits.
//!
//! Loom covers, and Shuttle does not: a load may return an old value if it is not ordered after the
//! store of a newer one. Loom does not cover: a load never returns a value that is stored later in
//! the order in which threads run, so of store buffering it has only the stale loads; `SeqCst`
//! accesses are treated as acquire and release; and polling is cut short, since a thread that yields is
//! not run again before another has.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use refmap_schedules::explore::{Ended, Order, explore};
use refmap_schedules::thread;

use crate::native::on_the_fly::{self, Collector, Fault, Heap, Mode, Mutator, Shape, Stage};

/// Number of wrong behaviours, and of all behaviours.
fn explored(
    preemptions: Option<usize>,
    is_wrong: impl Fn() -> bool + Sync + Send + 'static,
) -> (u64, u64) {
    let wrong = Arc::new(AtomicU64::new(0));
    let execution = {
        let wrong = Arc::clone(&wrong);
        move || {
            wrong.fetch_add(u64::from(is_wrong()), Ordering::Relaxed);
        }
    };
    let most = usize::MAX;
    let order = Order::Every { preemptions, most };
    let explored = explore(&order, 20_000, false, execution, &mut |execution| {
        assert_eq!(execution.ended, Ended::Completed);
        ControlFlow::Continue(())
    });
    assert!(explored.complete);
    (wrong.load(Ordering::Relaxed), explored.executions as u64)
}

fn heap(objects: u32, fault: Fault) -> Arc<Heap> {
    Heap::with_fault(Shape { objects, fields: 1 }, fault).unwrap()
}

/// Two mutators store the same object in the middle of a cycle, and so race to mark it. Wrong: both win.
fn both_win(fault: Fault) -> (u64, u64) {
    explored(None, move || {
        let heap = heap(1, fault);
        let mut one = Mutator::new(&heap);
        let root = one.alloc().unwrap();
        let (mut other, roots) = one.fork([&root], on_the_fly::NoWitness).unwrap();
        heap.control.invert_fm();
        heap.control.set_phase(on_the_fly::Phase::Mark);
        let thread = thread::spawn(move || other.store(&roots[0], 0, Some(&roots[0])).unwrap());
        one.store(&root, 0, Some(&root)).unwrap();
        thread.join().unwrap();
        drop(one);
        heap.counts().marks != 1
    })
}

#[test]
fn one_thread_wins_a_race_to_mark() {
    let (wrong, all) = both_win(Fault::None);
    assert_eq!(wrong, 0);
    assert!(all > 10, "{all}");
}

#[test]
fn without_cas_both_win() {
    assert!(both_win(Fault::MarkWithoutCas).0 > 0);
}

/// A mutator allocates after it has answered get-roots. Wrong: the object is marked in the sense that the
/// sweep treats as white.
///
/// The mutator's thread did not create the heap: Loom never returns to a thread that has yielded a value
/// that it has read before, and the creator of a variable has read its first value.
fn allocates_white(fault: Fault) -> (u64, u64) {
    explored(Some(2), move || {
        let heap = heap(1, fault);
        let mutator = Mutator::new(&heap);
        let thread = thread::spawn(move || {
            let mut mutator = mutator;
            while mutator.safepoint().unwrap() != Some(Stage::GetRoots) {
                thread::yield_now();
            }
            let name = mutator.alloc().unwrap().reference();
            // It stays in the cycle: root marking is complete, and no further request follows.
            (mutator, name)
        });
        let collected = Collector::new(&heap).cycle();
        let (_mutator, name) = thread.join().unwrap();
        collected.is_err() || heap.audit([name]).is_err()
    })
}

#[test]
fn what_is_allocated_after_the_roots_is_kept() {
    let (wrong, all) = allocates_white(Fault::None);
    assert_eq!(wrong, 0);
    assert!(all > 10, "{all}");
}

/// On x86-64 stores become visible in their order, and the mutator would see `fA` with the request.
#[test]
fn without_fences_what_is_allocated_is_freed() {
    assert!(allocates_white(Fault::NoHandshakeFence).0 > 0);
}

/// Get-roots has no fence of its own: what the model shows of the mark handshake shows here too.
#[test]
fn without_the_mark_handshake_what_is_allocated_is_freed() {
    assert!(allocates_white(Fault::SkipMarkNoop).0 > 0);
}

/// A mutator is requested to stop. Wrong: it continues before it is resumed, and so does not read that `fM` was
/// inverted in the meantime.
fn runs_through_a_stop(fault: Fault) -> (u64, u64) {
    explored(Some(2), move || {
        let heap = heap(1, fault);
        let mutator = Mutator::new(&heap);
        let thread = thread::spawn({
            let heap = Arc::clone(&heap);
            move || {
                let mut mutator = mutator;
                while mutator.safepoint().unwrap() != Some(Stage::Stop) {
                    thread::yield_now();
                }
                heap.control.fm()
            }
        });
        let collected = Collector::new(&heap).in_mode(Mode::StopTheWorld).cycle();
        let was_stopped = thread.join().unwrap();
        collected.is_err() || !was_stopped
    })
}

#[test]
fn a_mutator_that_stops_waits_for_the_end_of_the_collection() {
    let (wrong, all) = runs_through_a_stop(Fault::None);
    assert_eq!(wrong, 0);
    assert!(all > 10, "{all}");
}

#[test]
fn without_fences_a_mutator_runs_through_a_stop() {
    assert!(runs_through_a_stop(Fault::NoHandshakeFence).0 > 0);
}

/// A mutator removes a reference from an object before the collector traces the object, so its deletion barrier
/// marks the target instead of the collector. Wrong: that work is lost, and an object reachable from the target is
/// freed.
fn loses_work(fault: Fault) -> (u64, u64) {
    explored(Some(2), move || {
        let heap = heap(3, fault);
        let mut mutator = Mutator::new(&heap);
        let src = mutator.alloc().unwrap();
        let kept = mutator.alloc().unwrap();
        let below = mutator.alloc().unwrap();
        mutator.store(&src, 0, Some(&kept)).unwrap();
        mutator.store(&kept, 0, Some(&below)).unwrap();
        mutator.discard(kept).unwrap();
        mutator.discard(below).unwrap();
        let thread = thread::spawn({
            let heap = Arc::clone(&heap);
            move || {
                while mutator.safepoint().unwrap() != Some(Stage::GetRoots) {
                    thread::yield_now();
                }
                let kept = mutator.load(&src, 0).unwrap().unwrap();
                mutator.store(&src, 0, None).unwrap();
                let names = [&src, &kept].map(on_the_fly::Root::reference);
                while heap.control.phase() == on_the_fly::Phase::Mark {
                    mutator.safepoint().unwrap();
                    thread::yield_now();
                }
                (mutator, names)
            }
        });
        let collected = Collector::new(&heap).cycle();
        let (_mutator, names) = thread.join().unwrap();
        collected.is_err() || heap.audit(names).is_err()
    })
}

#[test]
fn what_a_barrier_marks_is_handed_over() {
    let (wrong, all) = loses_work(Fault::None);
    assert_eq!(wrong, 0);
    assert!(all > 10, "{all}");
}

#[test]
fn what_is_not_handed_over_is_freed() {
    assert!(loses_work(Fault::NoGetWork).0 > 0);
}
