//! The engine, part by part, at a size that takes milliseconds: level 3 of Ben-Ari's collector with
//! three nodes of one son each, every node white at the start.
//!
//! For a comparison of changes to the engine. The bench `compare` measures larger sizes, where memory
//! matters.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use refmap::explore::Storage;
use refmap::internal::explore::{Explored, Options, explore};
use refmap::obligation::Selection;
use refmap::{ActionOf, Refinement, Settings, TransitionSystem, Verdict, round_trip};
use refmap_refinements::Checked;
use refmap_refinements::ben_ari::Refinement3;
use refmap_systems::ben_ari::{InitialColours, Level3, Scope};
use refmap_testing::Labelling;

/// Expected counts of every search here.
const STATES: usize = 12_497;
const TRANSITIONS: u64 = 54_070;

/// The obligations that the bench `compare` calls a refinement: all but the environment's.
const OBLIGATIONS: [&str; 7] = [
    "observation",
    "initiality",
    "simulation",
    "agency",
    "invariant",
    "deadlock",
    "coverage",
];

fn scope() -> Scope {
    Scope {
        colours: InitialColours::White,
        ..Scope::new(3, 1, 1)
    }
}

/// Visitor that does nothing, so that the engine alone is measured.
const BLIND: Labelling<fn(&ActionOf<Level3>) -> u32> = Labelling(|_| 0);

fn options(storage: Storage, threads: usize) -> Options<'static, Level3> {
    Options {
        storage,
        threads,
        ..Options::default()
    }
}

fn assert_counts<T>(explored: &Explored<Level3, T>) {
    assert!(explored.is_complete());
    assert_eq!(explored.states(), STATES);
    assert_eq!(explored.transitions, TRANSITIONS);
}

/// Exploration without obligations.
fn exploration(criterion: &mut Criterion) {
    let system = Level3::new(scope());
    let mut group = criterion.benchmark_group("explore");
    group.throughput(Throughput::Elements(TRANSITIONS));
    for (name, storage, threads) in [
        ("packed", Storage::Packed, 1),
        ("packed, two threads", Storage::Packed, 2),
        ("whole", Storage::Whole, 1),
    ] {
        let options = options(storage, threads);
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_counts(&explore(&system, &BLIND, &options)));
        });
    }
    group.finish();
}

/// Exploration with the obligations of a refinement.
fn check(criterion: &mut Criterion) {
    let refinement = Refinement3::new(scope());
    let mut group = criterion.benchmark_group("check");
    group.throughput(Throughput::Elements(TRANSITIONS));
    for (name, storage) in [("packed", Storage::Packed), ("whole", Storage::Whole)] {
        let settings = Settings {
            storage,
            threads: 1,
            obligations: Selection::only(OBLIGATIONS),
            ..Settings::default()
        };
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let report = refinement.checker().check(&settings);
                let report = report.expect("the refinement has these obligations");
                assert_eq!(report.verdict, Some(Verdict::Holds));
                assert_eq!(report.transitions, TRANSITIONS);
            });
        });
    }
    group.finish();
}

/// The model's functions, called on every reachable state without a search.
fn model(criterion: &mut Criterion) {
    let refinement = Refinement3::new(scope());
    let system = refinement.implementation();
    let explored = explore(system, &BLIND, &options(Storage::Whole, 1));
    let states: Vec<_> = (0..STATES as u64)
        .map(|id| explored.state(system, refmap::internal::explore::StateId(id)))
        .map(|state| state.expect("whole states are kept"))
        .collect();
    let mut group = criterion.benchmark_group("model");
    group.throughput(Throughput::Elements(TRANSITIONS));
    group.bench_function("next", |bencher| {
        bencher.iter(|| {
            let mut transitions = 0;
            for state in &states {
                system.next(state, &mut |action, to| {
                    black_box((action, to));
                    transitions += 1;
                });
            }
            assert_eq!(transitions, TRANSITIONS);
        });
    });
    group.throughput(Throughput::Elements(STATES as u64));
    group.bench_function("map", |bencher| {
        bencher.iter(|| {
            for state in &states {
                black_box(refinement.map(state));
            }
        });
    });
    group.bench_function("pack and unpack", |bencher| {
        bencher.iter(|| {
            for state in &states {
                assert_eq!(round_trip(system, state), Ok(()));
            }
        });
    });
    group.finish();
}

criterion_group! {
    name = engine;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    targets = exploration, check, model
}
criterion_main!(engine);
