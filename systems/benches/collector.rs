//! The native collector's own figures: operations of mutators a second, and how long one takes, with the
//! collector idle, running, and stopping the world.
//!
//! `cargo bench -p refmap-systems --bench collector [-- SECONDS]`. Every operation is timed by itself,
//! with the safepoint behind it. With more mutators than processors less one, what the slowest
//! operations show is the scheduler of the machine. A cycle of the collector that stops the world is one
//! pause of every mutator.

#![allow(clippy::print_stdout, missing_docs)]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use refmap::random::Generator;
use refmap_systems::native::on_the_fly::{
    Collector, Heap, HeapError, Mode, Mutator, NoWitness, Root, Shape,
};

/// Objects that stay reachable, as a tree.
const LIVE: usize = 100_000;
const SHAPE: Shape = Shape {
    objects: 1_000_000,
    fields: 2,
};

/// Time between two cycles.
const GAP: Duration = Duration::from_millis(10);

/// Cycles of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Collecting {
    Never,
    Always(Mode),
}

/// Histogram of latencies: 16 classes for each power of two of nanoseconds.
struct Latencies {
    counts: Vec<u64>,
    longest: u64,
}

impl Latencies {
    fn new() -> Self {
        Self {
            counts: vec![0; 64 * 16],
            longest: 0,
        }
    }

    fn add(&mut self, taken: Duration) {
        let ns = taken.as_nanos() as u64;
        self.counts[class(ns)] += 1;
        self.longest = self.longest.max(ns);
    }

    fn join(&mut self, other: &Self) {
        let pairs = self.counts.iter_mut().zip(&other.counts);
        pairs.for_each(|(count, more)| *count += more);
        self.longest = self.longest.max(other.longest);
    }

    fn all(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The least time such that this share of all operations took no longer, to a sixteenth.
    fn quantile(&self, share: f64) -> u64 {
        let wanted = (self.all() as f64 * share).ceil() as u64;
        let mut seen = 0;
        let class = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        upper(class.unwrap_or(0)).min(self.longest)
    }
}

fn class(ns: u64) -> usize {
    let power = ns.max(16).ilog2();
    let part = (ns.max(16) >> (power - 4)) as usize - 16;
    power as usize * 16 + part
}

fn upper(class: usize) -> u64 {
    let (power, part) = (class / 16, class as u64 % 16);
    (16 + part + 1) << power.saturating_sub(4)
}

/// A binary tree of so many objects; its root.
fn tree(mutator: &mut Mutator, objects: usize) -> Result<Root, HeapError> {
    let root = mutator.alloc()?;
    if objects <= 1 {
        return Ok(root);
    }
    let left = (objects - 1) / 2;
    for (field, size) in [(0, left), (1, objects - 1 - left)] {
        if size > 0 {
            let child = tree(mutator, size)?;
            mutator.store(&root, field, Some(&child))?;
            mutator.discard(child)?;
        }
    }
    Ok(root)
}

/// Goes down the tree at random and puts a new leaf in the place of an old one; each operation is timed.
fn mutate(mut mutator: Mutator, root: Root, ended: &AtomicBool, seed: u64) -> Latencies {
    let mut latencies = Latencies::new();
    let mut choice = Generator::new(seed);
    while !ended.load(Ordering::Relaxed) {
        let mut timed = |mutator: &mut Mutator, begun: Instant| {
            mutator.safepoint().expect("nothing reachable is freed");
            latencies.add(begun.elapsed());
        };
        let mut at = None;
        for _ in 0..12 {
            let begun = Instant::now();
            let from = at.as_ref().unwrap_or(&root);
            let field = choice.below(2) as u32;
            let next = mutator
                .load(from, field)
                .expect("nothing reachable is freed");
            timed(&mut mutator, begun);
            let Some(next) = next else { break };
            if let Some(left) = at.replace(next) {
                let begun = Instant::now();
                mutator.discard(left).expect("it is a root");
                timed(&mut mutator, begun);
            }
        }
        let from = at.as_ref().unwrap_or(&root);
        let field = choice.below(2) as u32;
        if choice.below(16) > 0 {
            // Writes again what is there: both barriers, and the tree stays as it is.
            let there = mutator
                .load(from, field)
                .expect("nothing reachable is freed");
            let begun = Instant::now();
            let stored = mutator.store(from, field, there.as_ref());
            stored.expect("nothing reachable is freed");
            timed(&mut mutator, begun);
            if let Some(there) = there {
                mutator.discard(there).expect("it is a root");
            }
        } else {
            let begun = Instant::now();
            let new = mutator.alloc();
            timed(&mut mutator, begun);
            if let Ok(new) = new {
                // Below the root, and seldom, so that the tree keeps about its size.
                if at.is_some() && choice.below(16) == 0 {
                    let begun = Instant::now();
                    let stored = mutator.store(from, field, Some(&new));
                    stored.expect("nothing reachable is freed");
                    timed(&mut mutator, begun);
                }
                let begun = Instant::now();
                mutator.discard(new).expect("it is a root");
                timed(&mut mutator, begun);
            }
        }
        if let Some(left) = at {
            mutator.discard(left).expect("it is a root");
        }
    }
    black_box(latencies)
}

fn measure(mutators: u64, collecting: Collecting, duration: Duration) {
    let heap = Heap::new(SHAPE).expect("the shape is one");
    let mut first = Mutator::new(&heap);
    let root = tree(&mut first, LIVE).expect("the heap has room");
    let ended = Arc::new(AtomicBool::new(false));
    let collector = match collecting {
        Collecting::Never => None,
        Collecting::Always(mode) => {
            let mut collector = Collector::new(&heap).in_mode(mode);
            let ended = Arc::clone(&ended);
            Some(thread::spawn(move || {
                let mut cycles = Vec::new();
                while !ended.load(Ordering::Relaxed) {
                    let begun = Instant::now();
                    collector.cycle().expect("the collector is correct");
                    cycles.push(begun.elapsed());
                    // Mutators that were stopped have to get going again before the next cycle.
                    thread::sleep(GAP);
                }
                cycles.sort_unstable();
                cycles
            }))
        }
    };
    let mut threads = Vec::new();
    for seed in 0..mutators {
        let (mutator, mut roots) = first.fork([&root], NoWitness).expect("it is a root");
        let root = roots.pop().expect("there is one");
        let ended = Arc::clone(&ended);
        threads.push(thread::spawn(move || mutate(mutator, root, &ended, seed)));
    }
    drop(first);
    let begun = Instant::now();
    thread::sleep(duration);
    ended.store(true, Ordering::Relaxed);
    let mut latencies = Latencies::new();
    for thread in threads {
        latencies.join(&thread.join().expect("no operation fails"));
    }
    let seconds = begun.elapsed().as_secs_f64();
    let cycles = collector.map_or_else(Vec::new, |thread| {
        thread.join().expect("the collector does not fail")
    });
    let name = match collecting {
        Collecting::Never => "idle",
        Collecting::Always(Mode::OnTheFly) => "on the fly",
        Collecting::Always(Mode::StopTheWorld) => "stop the world",
    };
    let us = |ns: u64| ns as f64 / 1e3;
    let median = cycles
        .get(cycles.len() / 2)
        .map_or(0, |cycle| cycle.as_nanos() as u64);
    println!(
        "{mutators} mutators, {name:<14}  {:>6.2} M operations/s  99.9 % {:>9.2} µs  longest {:>10.1} µs  \
         {:>5} cycles, median {:>8.1} µs",
        latencies.all() as f64 / seconds / 1e6,
        us(latencies.quantile(0.999)),
        us(latencies.longest),
        cycles.len(),
        us(median),
    );
}

fn main() {
    let seconds = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let duration = Duration::from_secs_f64(seconds.unwrap_or(3.0));
    for mutators in [1, 2] {
        for collecting in [
            Collecting::Never,
            Collecting::Always(Mode::OnTheFly),
            Collecting::Always(Mode::StopTheWorld),
        ] {
            measure(mutators, collecting, duration);
        }
    }
}
