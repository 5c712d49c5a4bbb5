//! Cost of recording a call, and how much less often a fault shows because of it.
//!
//! Two threads add to a number by a load and a store. An addition is lost where that of the other thread comes in between. How many
//! are is known without a record: the number says so when the threads have ended. `cargo bench -p refmap-checks --bench recording`
//! prints a table.

#![allow(clippy::print_stdout, reason = "the measurements are the output")]

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use refmap_histories::object::{AnswerOf, CallOf, Effort, test};
use refmap_histories::specifications::counter::Call;
use refmap_histories::specifications::{Called, Counter, Operations};
use refmap_histories::{Object, Recorder, ThreadLog};

const THREADS: u64 = 2;
/// Calls of a thread in a run.
const CALLS: u64 = 1_000_000;
/// Runs of each kind. They take turns, so that what disturbs the machine for a while disturbs all of them.
const RUNS: usize = 9;

/// Addition that is two steps.
fn add(number: &AtomicU64) {
    let before = number.load(Ordering::Relaxed);
    number.store(before + 1, Ordering::Relaxed);
}

/// Part of what recording a call takes.
#[derive(Clone, Copy)]
enum Part {
    Nothing,
    Fences,
    Clock,
    Record,
}

impl Part {
    const ALL: [Self; 4] = [Self::Nothing, Self::Fences, Self::Clock, Self::Record];

    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Fences => "two fences",
            Self::Clock => "two looks at the clock",
            Self::Record => "a record, with fences",
        }
    }

    /// Makes the calls of a thread.
    fn play(self, number: &AtomicU64, origin: Instant, log: &mut ThreadLog<Called<Call, ()>>) {
        for _ in 0..CALLS {
            match self {
                Self::Nothing => add(number),
                Self::Fences => {
                    fence(Ordering::SeqCst);
                    add(number);
                    fence(Ordering::SeqCst);
                }
                Self::Clock => {
                    black_box(origin.elapsed());
                    add(number);
                    black_box(origin.elapsed());
                }
                Self::Record => {
                    let begin = log.begin();
                    fence(Ordering::SeqCst);
                    add(number);
                    fence(Ordering::SeqCst);
                    let (call, answer) = (Call::Add(1), Some(()));
                    log.end(begin, Called { call, answer });
                }
            }
        }
    }

    fn run(self) -> Run {
        let number = AtomicU64::new(0);
        let recorder = Recorder::new();
        let barrier = Barrier::new(THREADS as usize);
        let origin = Instant::now();
        thread::scope(|scope| {
            for _ in 0..THREADS {
                let mut log = recorder.thread();
                let (number, barrier) = (&number, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    self.play(number, origin, &mut log);
                });
            }
        });
        Run {
            took: origin.elapsed(),
            calls: THREADS * CALLS,
            lost: THREADS * CALLS - number.into_inner(),
        }
    }
}

/// Calls, those of which the addition was lost, and the time of all threads.
struct Run {
    took: Duration,
    calls: u64,
    lost: u64,
}

/// The same number as an object. Its calls answer nothing, so that no run is wrong by its record, and none ends the test.
struct Number {
    calls: Arc<AtomicU64>,
    kept: Arc<AtomicU64>,
}

struct Shared {
    number: AtomicU64,
    kept: Arc<AtomicU64>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        let number = self.number.load(Ordering::Relaxed);
        self.kept.fetch_add(number, Ordering::Relaxed);
    }
}

/// Access of a thread, with the number of its calls.
struct Handle<'a> {
    number: &'a AtomicU64,
    own: u64,
    calls: Arc<AtomicU64>,
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        self.calls.fetch_add(self.own, Ordering::Relaxed);
    }
}

impl Object for Number {
    type Specification = Operations<Counter>;
    type Shared = Shared;
    type Handle<'a> = Handle<'a>;

    fn specification(&self) -> Self::Specification {
        Operations(Counter {
            initial: 0,
            values: vec![1],
        })
    }

    fn make(&self) -> Shared {
        Shared {
            number: AtomicU64::new(0),
            kept: Arc::clone(&self.kept),
        }
    }

    fn handle<'a>(&self, shared: &'a Shared, _: u32) -> Handle<'a> {
        Handle {
            number: &shared.number,
            own: 0,
            calls: Arc::clone(&self.calls),
        }
    }

    fn calls(&self, _: &Handle<'_>, visit: &mut impl FnMut(CallOf<Self>)) {
        visit(Call::Add(1));
    }

    fn call(&self, handle: &mut Handle<'_>, _: &CallOf<Self>) -> AnswerOf<Self> {
        handle.own += 1;
        add(handle.number);
        ().into()
    }

    fn threads(&self) -> std::ops::RangeInclusive<u32> {
        THREADS as u32..=THREADS as u32
    }
}

/// Runs the test of the object on real threads. Its time has that of the validation.
fn tested() -> Run {
    let (calls, kept) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
    let object = Number {
        calls: Arc::clone(&calls),
        kept: Arc::clone(&kept),
    };
    let effort = Effort {
        alone: 1,
        calls_alone: 1,
        programs: 0,
        tiny_programs: 0,
        ..Effort::default()
    };
    let begun = Instant::now();
    black_box(test(object, &effort));
    let took = begun.elapsed();
    let calls = calls.load(Ordering::Relaxed);
    Run {
        took,
        calls,
        lost: calls - kept.load(Ordering::Relaxed),
    }
}

/// Median.
fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn print(name: &str, runs: &[Run]) {
    let of = |value: fn(&Run) -> f64| middle(runs.iter().map(value).collect());
    println!(
        "| {name} | {:.0} | {:.0} | {:.0} |",
        of(|run| run.took.as_nanos() as f64 * THREADS as f64 / run.calls as f64),
        of(|run| run.lost as f64 * 1e6 / run.calls as f64),
        of(|run| run.lost as f64 / run.took.as_secs_f64()),
    );
}

fn main() {
    let mut runs = Part::ALL.map(|_| Vec::new());
    let mut whole = Vec::new();
    for _ in 0..RUNS {
        for (part, runs) in Part::ALL.into_iter().zip(&mut runs) {
            runs.push(part.run());
        }
        whole.push(tested());
    }
    println!("| besides the call | ns a call | lost of a million | lost a second |");
    println!("| ---------------- | --------: | ----------------: | ------------: |");
    for (part, runs) in Part::ALL.into_iter().zip(&runs) {
        print(part.name(), runs);
    }
    print("the test of an object, with its validation", &whole);
}
