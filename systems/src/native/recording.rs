//! Recording of mutators and the collector, and its overhead.

use std::time::{Duration, Instant};

use refmap_histories::{Begin, Event as Recording, Recorder, ThreadLog};

use super::on_the_fly::{Event, Heap, HeapError, Mutator, NoWitness, Place, Shape, Witness};

/// Witness that records one thread. Threads share only the clock.
#[derive(Debug)]
pub struct Recorded(ThreadLog<Event>);

impl Recorded {
    /// Starts a log of the recorder.
    pub fn on(recorder: &Recorder<Event>) -> Self {
        Self(recorder.thread())
    }
}

impl Witness for Recorded {
    type Moment = Begin;

    fn now(&mut self) -> Begin {
        self.0.begin()
    }

    fn saw(&mut self, begin: Begin, event: Event) {
        self.0.end(begin, event);
    }

    fn at(&mut self, _: Place) {}
}

/// The maximum number of mutators at a time, each counted from the begin of its join to the end of its leave.
pub fn most_mutators(history: &[Recording<Event>]) -> usize {
    let changes = history.iter().filter_map(|recorded| match recorded.event? {
        Event::Join { .. } => Some((recorded.begin, 1)),
        // A mutator whose leave has no end stays to the end.
        Event::Leave => Some((recorded.end?, -1)),
        _ => None,
    });
    let mut changes: Vec<(u64, isize)> = changes.collect();
    // At equal times joins count before leaves.
    changes.sort_unstable_by_key(|(time, by)| (*time, -by));
    let mut there = 0;
    let counts = changes.iter().map(|(_, by)| {
        there += by;
        there
    });
    counts.max().unwrap_or(0).unsigned_abs()
}

/// Recording overhead: the factor by which an operation of a mutator takes longer, on an idle heap.
pub fn overhead() -> f64 {
    const ROUNDS: u32 = 20_000;
    let shape = Shape {
        objects: 1024,
        fields: 2,
    };
    let heap = Heap::new(shape).expect("the shape is one");
    let recorder = Recorder::new();
    let unseen = time(Mutator::witnessed(&heap, NoWitness), ROUNDS);
    let recorded = time(Mutator::witnessed(&heap, Recorded::on(&recorder)), ROUNDS);
    recorded.as_secs_f64() / unseen.as_secs_f64().max(1e-9)
}

/// The minimum time of several runs of some loads, stores and discards.
fn time<W: Witness>(mut mutator: Mutator<W>, rounds: u32) -> Duration {
    let mut work = || -> Result<Duration, HeapError> {
        let [one, other] = [mutator.alloc()?, mutator.alloc()?];
        let begun = Instant::now();
        for _ in 0..rounds {
            mutator.store(&one, 0, Some(&other))?;
            if let Some(loaded) = mutator.load(&one, 0)? {
                mutator.discard(loaded)?;
            }
            mutator.store(&one, 0, None)?;
        }
        let taken = begun.elapsed();
        mutator.discard(one)?;
        mutator.discard(other)?;
        Ok(taken)
    };
    let times = (0..5).map(|_| work().expect("the heap has room and no collector runs"));
    times.min().expect("there are several")
}
