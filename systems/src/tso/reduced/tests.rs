//! What moves, at states made by hand.

use refmap::process::{DeadRegisters, Location};
use refmap::{TransitionSystem, steps};

use super::super::scope::{Granularity, Initial, Part, Scope, Variant};
use super::super::state::{Object, State, Store, Who, place_of};
use super::super::system::OnTheFly;
use super::{GC, Mover, Reduction};
use crate::heap::Objects as Refs;

struct Bench {
    system: OnTheFly,
    reduction: Reduction,
    /// Two objects, both white, of which the first points to the second; both mutators hold the first.
    state: State,
}

impl Bench {
    fn new(mutators: u8, variant: Variant) -> Self {
        let scope = Scope {
            mutators,
            refs: 2,
            fields: 1,
            buffer: 1,
            collector_buffer: 4,
            initial: Initial::Canonical,
            granularity: Granularity::Reduced,
            registers: DeadRegisters::Cleared,
        };
        let system = OnTheFly::new(scope, variant).expect("it is in range");
        let mut initial = Vec::new();
        system.initial(&mut |state| initial.push(state));
        Self {
            reduction: Reduction::new(&system.processes, variant),
            state: initial[0],
            system,
        }
    }

    fn put(&mut self, process: usize, label: &str) {
        let there = self.system.processes.at(process, label);
        let mut all = (0..self.system.processes.locations(process) as u16).map(Location);
        let location = all.find(|location| there.contains(*location));
        self.state.at[process] = location.expect("the label is somewhere");
    }

    fn mover(&self, process: usize) -> Mover {
        self.reduction.at(&self.state, process).0
    }

    fn mutator(&mut self, number: usize) -> &mut super::super::state::Mutator {
        &mut self.state.mutators[number]
    }
}

const FIRST: usize = 2;

/// R4: what a mutator is about to publish is not its own any more.
#[test]
fn a_load_moves_as_long_as_nobody_else_gets_to_the_object() {
    assert_eq!(place_of(0), FIRST);
    let mut bench = Bench::new(2, Variant::default());
    bench.state.sys.heap[0] = Some(Object::new(false, 1));
    bench.put(FIRST, "deletion: ref ← src.field");
    bench.mutator(0).roots = Refs::first(2);
    bench.mutator(0).src = 1;
    assert_eq!(bench.mover(FIRST), Mover::Both);

    bench.state.sys.buffers[Who::Mutator(0).index()].push(Store::Field(0, 0, Some(1)));
    assert_eq!(
        bench.mover(FIRST),
        Mover::Neither,
        "its own store publishes it"
    );
    bench.state.sys.buffers[Who::Mutator(0).index()].clear();

    bench.mutator(1).roots = Refs::first(2);
    assert_eq!(bench.mover(FIRST), Mover::Neither, "the other one holds it");
    bench.mutator(1).roots = Refs::one(0);

    bench.state.sys.heap[1] = None;
    assert_eq!(
        bench.mover(FIRST),
        Mover::Neither,
        "there may be another one"
    );

    let mut alone = Bench::new(1, Variant::default());
    alone.put(FIRST, "deletion: ref ← src.field");
    assert_eq!(alone.mover(FIRST), Mover::Both);
}

/// R10: the load of a mark moves because whoever loses the CAS does nothing, and only while marks are of
/// one sense.
#[test]
fn the_load_of_a_mark_moves_for_the_sake_of_the_cas() {
    let loads = |variant| {
        let mut bench = Bench::new(2, variant);
        bench.put(FIRST, "deletion: load mark");
        bench.mutator(0).marking.reference = Some(1);
        bench
    };
    let mut bench = loads(Variant::default());
    assert_eq!(bench.mover(FIRST), Mover::Right);
    bench.state.sys.buffers[Who::Gc.index()].push(Store::FM(true));
    assert_eq!(
        bench.mover(FIRST),
        Mover::Neither,
        "the sense is about to change"
    );
    let mut variant = Variant::default();
    variant.without = variant.without.and(Part::Cas);
    assert_eq!(loads(variant).mover(FIRST), Mover::Neither);
}

/// A mutator is about to mark the second object, which the collector is about to free.
fn losing(is_reachable: bool) -> Bench {
    let mut bench = Bench::new(2, Variant::default());
    bench.put(GC, "sweep: free");
    bench.state.gc.src = 1;
    bench.put(FIRST, "deletion: load mark");
    bench.mutator(0).marking.reference = Some(1);
    match is_reachable {
        true => bench.mutator(1).roots = Refs::first(2),
        false => bench.state.sys.heap[0] = Some(Object::new(false, 1)),
    }
    bench
}

/// It is what simulation looks for.
#[test]
fn freeing_what_is_reachable_is_a_step() {
    let bench = losing(true);
    assert_eq!(bench.mover(GC), Mover::Left);
    let freeing = steps(&bench.system, &bench.state);
    assert!(freeing.iter().any(|(_, to)| to.sys.heap[1].is_none()));
}

/// The assumption of the granularity.
#[test]
#[should_panic(expected = "object 1 is freed while mutator 0 is about to mark it")]
fn freeing_what_only_a_barrier_knows_is_not_passed_over() {
    steps(&losing(false).system, &losing(false).state);
}
