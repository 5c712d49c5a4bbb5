//! Random programs, biased towards the race windows of a collector.
//!
//! Besides single operations, fragments of several operations lead into a window: an object reachable only
//! from another one, a reference hidden behind the wavefront, an allocation between the flip of `fA`
//! and root marking, a store during root marking, two threads that mark the same object, or that
//! write the same field.

use proptest::prelude::*;
use proptest::strategy::Union;

use super::on_the_fly::{Place, Stage};
use super::program::{Operation, Program, Step, stages};

/// The most fragments of a thread.
const FRAGMENTS: usize = 8;
/// A root number that usually names the oldest root, which all threads share.
const OLDEST: u8 = 5;

fn step(operation: Operation) -> Step {
    Step {
        operation,
        dwell: None,
    }
}

fn root() -> impl Strategy<Value = u8> {
    prop_oneof![4 => 0u8..3, 1 => 3u8..8]
}

fn field() -> impl Strategy<Value = u8> {
    prop_oneof![3 => Just(0u8), 1 => 0u8..4]
}

fn stage() -> impl Strategy<Value = Stage> {
    Union::new(stages().map(Just))
}

/// The delay place of an operation.
fn dwell() -> impl Strategy<Value = Option<Place>> {
    prop_oneof![
        6 => Just(None),
        1 => Just(Some(Place::Sense)),
        1 => Just(Some(Place::Claim)),
        1 => Just(Some(Place::Write)),
    ]
}

fn load() -> impl Strategy<Value = Operation> {
    (root(), field()).prop_map(|(src, field)| Operation::Load { src, field })
}

fn store() -> impl Strategy<Value = Operation> {
    let dst = prop_oneof![1 => Just(None), 3 => root().prop_map(Some)];
    (root(), field(), dst).prop_map(|(src, field, dst)| Operation::Store { src, field, dst })
}

/// One operation of any kind.
fn single() -> impl Strategy<Value = Vec<Step>> {
    let operation = prop_oneof![
        3 => Just(Operation::Alloc),
        3 => load(),
        6 => store(),
        2 => root().prop_map(|root| Operation::Discard { root }),
        3 => stage().prop_map(Operation::Until),
        1 => Just(Operation::Safepoint),
        1 => Just(Operation::Relay),
    ];
    (operation, dwell()).prop_map(|(operation, dwell)| vec![Step { operation, dwell }])
}

/// An object with a field that is the only reference to another object.
fn chain() -> Vec<Step> {
    let link = Operation::Store {
        src: 1,
        field: 0,
        dst: Some(0),
    };
    let discard = Operation::Discard { root: 0 };
    [Operation::Alloc, Operation::Alloc, link, discard]
        .map(step)
        .to_vec()
}

/// In a window, loads a field of the newest root, and overwrites that field.
fn hide() -> impl Strategy<Value = Vec<Step>> {
    (stage(), dwell(), any::<bool>()).prop_map(|(stage, dwell, is_replaced)| {
        let load = Operation::Load { src: 0, field: 0 };
        let cut = Operation::Store {
            src: 1,
            field: 0,
            dst: is_replaced.then_some(1),
        };
        let cut = Step {
            operation: cut,
            dwell,
        };
        vec![step(Operation::Until(stage)), step(load), cut]
    })
}

/// In a window, allocates, stores the newest root in the new object, and discards that root.
fn adopt() -> impl Strategy<Value = Vec<Step>> {
    (stage(), dwell()).prop_map(|(stage, dwell)| {
        let link = Operation::Store {
            src: 0,
            field: 0,
            dst: Some(1),
        };
        let link = Step {
            operation: link,
            dwell,
        };
        let discard = Operation::Discard { root: 1 };
        let [until, alloc, discard] =
            [Operation::Until(stage), Operation::Alloc, discard].map(step);
        vec![until, alloc, link, discard]
    })
}

/// Publishes the newest root to all threads, or loads one that another thread has published.
fn share() -> impl Strategy<Value = Vec<Step>> {
    (any::<bool>(), field(), dwell()).prop_map(|(is_shown, field, dwell)| {
        let src = OLDEST;
        let operation = if is_shown {
            Operation::Store {
                src,
                field,
                dst: Some(0),
            }
        } else {
            Operation::Load { src, field }
        };
        vec![Step { operation, dwell }]
    })
}

/// In a window, stores the shared object, so that several threads mark it.
fn race() -> impl Strategy<Value = Vec<Step>> {
    (stage(), dwell()).prop_map(|(stage, dwell)| {
        let operation = Operation::Store {
            src: 0,
            field: 1,
            dst: Some(OLDEST),
        };
        vec![step(Operation::Until(stage)), Step { operation, dwell }]
    })
}

/// While marking begins, a thread publishes its private object, discards it, and loads
/// it back after root marking; or another thread overwrites the published reference. Both are delayed before they
/// write.
fn put_away() -> impl Strategy<Value = Vec<Step>> {
    let begins = prop_oneof![Just(Stage::IdleFlip), Just(Stage::Init), Just(Stage::Mark)];
    (begins, any::<bool>()).prop_map(|(stage, is_put)| {
        let (src, field) = (OLDEST, 1);
        let write = |dst| Step {
            operation: Operation::Store { src, field, dst },
            dwell: Some(Place::Write),
        };
        let until = step(Operation::Until(stage));
        if is_put {
            vec![
                step(Operation::Alloc),
                until,
                write(Some(0)),
                step(Operation::Discard { root: 0 }),
                step(Operation::Until(Stage::GetRoots)),
                step(Operation::Load { src, field }),
            ]
        } else {
            vec![until, write(None)]
        }
    })
}

fn fragment() -> impl Strategy<Value = Vec<Step>> {
    prop_oneof![
        6 => single(),
        2 => Just(chain()),
        2 => hide(),
        2 => adopt(),
        1 => share(),
        1 => race(),
        2 => put_away(),
        1 => Just(vec![step(Operation::Until(Stage::Idle))]),
    ]
}

/// Programs of this number of threads.
pub fn programs(threads: usize) -> impl Strategy<Value = Program> {
    let thread =
        prop::collection::vec(fragment(), 1..=FRAGMENTS).prop_map(|fragments| fragments.concat());
    let collector = prop_oneof![
        2 => Just(None),
        1 => Just(Some(Place::Trace)),
        1 => Just(Some(Place::Round)),
    ];
    (prop::collection::vec(thread, threads), collector)
        .prop_map(|(threads, collector)| Program { threads, collector })
}
