//! Counter of which an access is lost, which shows when it is dropped, and nowhere else.

use std::sync::Arc;

use refmap_histories::object::{Effort, Run, Shared, test};
use refmap_histories::specifications::counter::Call;
use refmap_histories::specifications::{Counter, Operations};
use refmap_schedules::sync::atomic::{AtomicI64, Ordering};

use super::{found, little};

/// Schedules of the only program,
const SCHEDULES: u32 = 500;
/// and the number of those in which counters are dropped as if nothing were lost, so that equal records have been judged before.
const QUIET: usize = 300;

struct Dropped {
    count: AtomicI64,
    added: std::sync::atomic::AtomicI64,
    dropped: Arc<std::sync::atomic::AtomicUsize>,
}

impl Drop for Dropped {
    fn drop(&mut self) {
        let is_lost = self.count.load(Ordering::SeqCst) != self.added.load(Ordering::SeqCst);
        let before = self.dropped.fetch_add(1, Ordering::SeqCst);
        assert!(!is_lost || before < QUIET, "an addition was lost");
    }
}

/// Each execution in which it panics is judged, though one with the same record was right.
#[test]
fn an_object_that_panics_when_it_is_dropped_is_violated() {
    let dropped = Arc::default();
    let make = move || Dropped {
        count: AtomicI64::new(0),
        added: std::sync::atomic::AtomicI64::new(0),
        dropped: Arc::clone(&dropped),
    };
    let specification = Operations(Counter::default());
    let object = Shared::new(
        specification,
        make,
        [Call::Add(1)],
        |counter: &Dropped, _| {
            counter.added.fetch_add(1, Ordering::SeqCst);
            let before = counter.count.load(Ordering::SeqCst);
            counter.count.store(before + 1, Ordering::SeqCst);
            ().into()
        },
    );
    let effort = Effort {
        alone: 0,
        runs: 0,
        tiny_programs: 0,
        programs: 1,
        schedules: SCHEDULES,
        ..little()
    };
    let tested = test(object.with_schedules().with_threads(2..=2), &effort);
    found(
        &tested,
        Run::Schedules,
        &["an addition was lost", "dropped.rs"],
    );
}
