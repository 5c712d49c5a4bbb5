//! Throughput of reading and validating histories.
//!
//! `cargo bench -p refmap-checks --bench validate` measures; with `-- long` it validates one history of
//! ten million events, which is read as it is made, and prints the time and the memory that took.

#![allow(clippy::print_stdout, reason = "the measurements are the output")]

use std::hint::black_box;
use std::io::{self, BufReader, Read};
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group};
use refmap::random::Generator;
use refmap::{TransitionSystem, Verdict};
use refmap_histories::{
    Effect, Event, Happening, Header, History, HistoryError, Observed, Ordered, Settings,
    Validation, Writer, validate,
};
use serde::{Deserialize, Serialize};

/// Specification: a memory with this many cells.
const CELLS: usize = 8;
type Cells = [u16; CELLS];

struct Memory {
    effect: Effect,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Access {
    Store { cell: usize, value: u16 },
    Load { cell: usize, value: u16 },
    Fence,
}

impl refmap::Action<Memory> for (usize, u16) {}

impl TransitionSystem for Memory {
    type State = Cells;
    type Action = (usize, u16);
    type Observation = Cells;

    fn initial(&self, visit: &mut impl FnMut(Cells)) {
        visit([0; CELLS]);
    }

    fn candidates(&self, _: &Cells, visit: &mut impl FnMut((usize, u16))) {
        for cell in 0..CELLS {
            (0..=u16::MAX).for_each(|value| visit((cell, value)));
        }
    }

    fn fire(&self, (cell, value): &(usize, u16), cells: &mut Cells) -> Option<()> {
        *cells.get_mut(*cell)? = *value;
        Some(())
    }

    fn observe(&self, state: &Cells) -> Cells {
        *state
    }
}

/// Cell that the event accesses.
fn cell(access: &Access) -> Option<usize> {
    match access {
        Access::Store { cell, .. } | Access::Load { cell, .. } => Some(*cell),
        Access::Fence => None,
    }
}

impl Observed for Memory {
    type Specification = Self;
    type Event = Access;

    fn specification(&self) -> &Self {
        self
    }

    fn shows(
        &self,
        from: &Cells,
        happening: &Happening<'_, Access>,
        visit: &mut impl FnMut(Option<(usize, u16)>),
    ) {
        match *happening.event {
            Access::Store { cell, value } => visit(Some((cell, value))),
            Access::Load { cell, value } => {
                let own = happening
                    .pending
                    .iter()
                    .rev()
                    .find_map(|store| match store {
                        Access::Store { cell: of, value } if *of == cell => Some(*value),
                        _ => None,
                    });
                if own.unwrap_or(from[cell]) == value {
                    visit(None);
                }
            }
            Access::Fence => visit(None),
        }
    }

    fn commute(&self, one: &Access, other: &Access) -> bool {
        match (cell(one), cell(other)) {
            (Some(one_cell), Some(other_cell)) => {
                let looks = self.only_looks(one) && self.only_looks(other);
                one_cell != other_cell || looks
            }
            // A fence says something of its own thread alone.
            _ => true,
        }
    }

    fn only_looks(&self, access: &Access) -> bool {
        matches!(access, Access::Load { .. } | Access::Fence)
    }

    fn effect(&self, access: &Access) -> Effect {
        match access {
            Access::Store { .. } => self.effect,
            Access::Load { .. } => Effect::Within,
            Access::Fence => match self.effect {
                Effect::Delayed => Effect::Draining,
                Effect::Within | Effect::Draining => Effect::Within,
            },
        }
    }
}

/// History of threads that take turns: each event overlaps those that begin at the next turns.
struct Turns {
    random: Generator,
    cells: Cells,
    threads: u64,
    number: u64,
    events: u64,
}

impl Turns {
    fn new(threads: u64, events: u64) -> Self {
        Self {
            random: Generator::new(7),
            cells: [0; CELLS],
            threads,
            number: 0,
            events,
        }
    }
}

impl Iterator for Turns {
    type Item = Event<Access>;

    fn next(&mut self) -> Option<Event<Access>> {
        if self.number == self.events {
            return None;
        }
        let (number, threads) = (self.number, self.threads);
        self.number += 1;
        let cell = self.random.below(CELLS);
        let place = number / threads;
        let access = if place % 8 == 7 {
            Access::Fence
        } else if self.random.below(2) == 0 {
            let value = self.random.below(1 << 16) as u16;
            self.cells[cell] = value;
            Access::Store { cell, value }
        } else {
            let value = self.cells[cell];
            Access::Load { cell, value }
        };
        // Shorter than a round, so that the thread is done when its turn comes again.
        let length = 10 * threads - 9;
        Some(Event {
            thread: (number % threads) as u32,
            place,
            begin: 10 * number,
            end: Some(10 * number + length.min(25)),
            event: Some(access),
        })
    }
}

fn run<I>(effect: Effect, events: Ordered<I>) -> Validation
where
    I: Iterator<Item = Result<Event<Access>, HistoryError>>,
{
    let validation = validate(&Memory { effect }, events, &Settings::default());
    let validation = validation.expect("the history is in order");
    let Validation {
        outcome,
        widest_frontier,
        ..
    } = &validation;
    assert_eq!(
        validation.verdict(),
        Verdict::Holds,
        "{outcome:?}, {widest_frontier} configurations at most"
    );
    validation
}

const EVENTS: u64 = 100_000;

fn validation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("validate");
    group.throughput(Throughput::Elements(EVENTS));
    for threads in [1, 2, 4, 8] {
        for (model, effect) in [("sc", Effect::Within), ("tso", Effect::Delayed)] {
            if threads == 8 && effect == Effect::Delayed {
                // The stores of eight threads, delayed by up to eight events each, can be in memory in more
                // ways than are kept: nothing would be decided.
                continue;
            }
            let events: Vec<_> = Turns::new(threads, EVENTS).collect();
            group.bench_function(format!("{threads} threads, {model}"), |bencher| {
                bencher.iter(|| {
                    let events = events.iter().cloned().map(Ok);
                    black_box(run(effect, Ordered::new(events)));
                });
            });
        }
    }
    let text = text(Turns::new(1, EVENTS));
    group.bench_function("1 thread, sc, read from JSON lines", |bencher| {
        bencher.iter(|| {
            let history = History::open(text.as_slice()).expect("it has a header");
            black_box(run(Effect::Within, history.events()));
        });
    });
    group.finish();
}

fn text(events: impl Iterator<Item = Event<Access>>) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &Header::default()).expect("there is memory");
    for event in events {
        writer.write(&event).expect("there is memory");
    }
    writer.finish().expect("there is memory")
}

fn header() -> Vec<u8> {
    let writer = Writer::new(Vec::new(), &Header::default()).expect("there is memory");
    writer.suspend().expect("there is memory")
}

/// Reader that generates the lines of a history as they are read.
struct Made {
    events: Turns,
    line: Vec<u8>,
    read: usize,
}

impl Read for Made {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() {
            self.line.clear();
            self.read = 0;
            for event in self.events.by_ref().take(256) {
                serde_json::to_writer(&mut self.line, &event)?;
                self.line.push(b'\n');
            }
        }
        let rest = &self.line[self.read..];
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        self.read += read;
        Ok(read)
    }
}

fn long() {
    const EVENTS: u64 = 10_000_000;
    println!("| threads | stores | events | seconds | events/s | peak MiB |");
    println!("|---|---|---|---|---|---|");
    for (threads, effect) in [
        (1, Effect::Within),
        (4, Effect::Within),
        (4, Effect::Delayed),
    ] {
        let made = Made {
            events: Turns::new(threads, EVENTS),
            line: header(),
            read: 0,
        };
        let history = History::open(BufReader::new(made)).expect("it has a header");
        let validation = run(effect, history.events());
        println!(
            "| {threads} | {} | {} | {:.1} | {:.0} | {} |",
            match effect {
                Effect::Delayed => "delayed",
                Effect::Within | Effect::Draining => "at once",
            },
            validation.events,
            validation.seconds,
            validation.events as f64 / validation.seconds,
            validation.peak_memory_bytes >> 20,
        );
    }
}

criterion_group! {
    name = histories;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    targets = validation
}

fn main() {
    if std::env::args().any(|word| word == "long") {
        return long();
    }
    histories();
    Criterion::default().configure_from_args().final_summary();
}
