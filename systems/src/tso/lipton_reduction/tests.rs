//! Mover types, at hand-made states.

use refmap::{TransitionSystem, steps};
use refmap_processes::Location;

use super::super::scope::{Allocate, Granularity, LoadOrder, Part, Scope, Variant};
use super::super::state::{HandshakeType, Object, Phase, State, Store, Who, place_of};
use super::super::system::OnTheFly;
use super::{GC, LiptonReduction, Mover};
use crate::heap::Objects as Refs;

struct Bench {
    system: OnTheFly,
    reduction: LiptonReduction,
    /// Two objects, both marked, of which the first points to the second; both mutators hold the first.
    state: State,
}

impl Bench {
    fn new(mutators: u8, variant: Variant) -> Self {
        let scope = Scope::new(mutators, 2, Granularity::Reduced);
        let system = OnTheFly::new(scope, variant).expect("it is in range");
        let mut initial = Vec::new();
        system.initial(&mut |state| initial.push(state));
        let mut state = initial[0];
        // At first these registers are dead, and name nothing; where a process is put they name the first of each.
        (state.gc.src, state.gc.mutator) = (0, 0);
        state.mutators.iter_mut().for_each(|one| one.src = 0);
        Self {
            reduction: LiptonReduction::new(&system.processes, variant),
            state,
            system,
        }
    }

    /// Moves a process to the location of the step with this text.
    fn put(&mut self, process: usize, label: &str) {
        let processes = &self.system.processes;
        let there = processes.find_any(process, |offered| offered.to_string() == label);
        let there = there.unwrap_or_else(|| panic!("`{label}` is no step"));
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

/// R4: an object that a mutator is about to publish is not private any more. A load of it can be postponed (R18).
#[test]
fn a_load_is_a_both_mover_while_no_other_mutator_can_reach_the_object() {
    assert_eq!(place_of(0), FIRST);
    let mut bench = Bench::new(2, Variant::default());
    bench.state.sys.phase = Phase::Mark;
    bench.state.sys.heap[0] = Some(Object::new(false, 1));
    bench.put(FIRST, "deletion: ref ← src.field");
    bench.mutator(0).roots = Refs::first(2);
    bench.mutator(0).src = 1;
    assert_eq!(bench.mover(FIRST), Mover::Both);

    bench.state.sys.buffers[Who::Mutator(0).index()].push(Store::Field(0, 0, Some(1)));
    assert_eq!(
        bench.mover(FIRST),
        Mover::Right,
        "its own store publishes it"
    );
    bench.state.sys.buffers[Who::Mutator(0).index()].clear();

    bench.mutator(1).roots = Refs::first(2);
    assert_eq!(bench.mover(FIRST), Mover::Right, "the other one holds it");
    bench.mutator(1).roots = Refs::one(0);

    bench.state.sys.heap[1] = None;
    assert_eq!(
        bench.mover(FIRST),
        Mover::Neither,
        "there may be another one"
    );

    let mut alone = Bench::new(1, Variant::default());
    alone.state.sys.phase = Phase::Mark;
    alone.put(FIRST, "deletion: ref ← src.field");
    assert_eq!(alone.mover(FIRST), Mover::Both);
}

/// R10: the load of a mark moves because the loser of the CAS has no effect, and only while all marks have one
/// sense.
#[test]
fn the_load_of_a_mark_moves_for_the_sake_of_the_cas() {
    let loads = |variant| {
        let mut bench = Bench::new(2, variant);
        bench.state.sys.phase = Phase::Mark;
        bench.state.sys.heap[1] = Some(Object::new(true, 1));
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

/// R10: a marked object stays marked, unless it is about to be freed.
#[test]
fn the_load_of_a_mark_that_stays_moves_both_ways() {
    let mut bench = Bench::new(2, Variant::default());
    bench.put(FIRST, "deletion: load mark");
    bench.mutator(0).marking.reference = Some(1);
    bench.state.sys.phase = Phase::Mark;
    bench.put(GC, "get-roots: set type");
    assert_eq!(bench.mover(FIRST), Mover::Both);
    bench.state.sys.heap[1] = Some(Object::new(true, 1));
    assert_eq!(bench.mover(FIRST), Mover::Right, "it is white");
    bench.state.sys.heap[1] = Some(Object::new(false, 1));
    bench.state.sys.buffers[Who::Gc.index()].push(Store::FM(true));
    assert_eq!(bench.mover(FIRST), Mover::Right, "it is white soon");
    bench.state.sys.buffers[Who::Gc.index()].clear();
    bench.state.gc.src = 1;
    bench.put(GC, "sweep: free");
    assert_eq!(bench.mover(FIRST), Mover::Right, "it is gone soon");
}

/// R10: until the sense changes a marked object stays marked, except for processes that have loaded it as white.
#[test]
fn the_load_of_a_mark_moves_until_the_sense_changes() {
    let loads = |variant| {
        let mut bench = Bench::new(2, variant);
        bench.state.sys.phase = Phase::Mark;
        bench.put(FIRST, "deletion: load mark");
        bench.mutator(0).marking.reference = Some(1);
        bench.mutator(1).marking.reference = Some(1);
        bench.state.sys.buffers[Who::Gc.index()].push(Store::FM(true));
        bench
    };
    let mut bench = loads(Variant::default());
    assert_eq!(bench.mover(FIRST), Mover::Right);
    bench.mutator(1).marking.mark = Some(true);
    assert_eq!(bench.mover(FIRST), Mover::Neither, "it is unmarked later");
    bench.mutator(1).marking.reference = Some(0);
    assert_eq!(bench.mover(FIRST), Mover::Right, "another one is");
    bench.mutator(1).marking.fm = Some(true);
    assert_eq!(
        bench.mover(FIRST),
        Mover::Neither,
        "it is marked so too early"
    );
    let sense_first = Variant {
        load_order: LoadOrder::SenseFirst,
        ..Variant::default()
    };
    for variant in [sense_first, Variant::without(Part::Cas)] {
        assert_eq!(loads(variant).mover(FIRST), Mover::Neither);
    }
}

/// R18.
#[test]
fn what_is_about_to_change_is_loaded_before() {
    let mut bench = Bench::new(2, Variant::default());
    bench.state.sys.phase = Phase::Mark;
    bench.state.sys.heap[1] = Some(Object::new(true, 1));
    bench.state.sys.buffers[Who::Mutator(1).index()].push(Store::Field(0, 0, None));
    bench.state.gc.marking.phase = Phase::Mark;
    bench.put(GC, "get-roots: poll");
    let holds = bench.state.mutators.iter_mut();
    holds.for_each(|mutator| mutator.roots = Refs::first(2));
    let about_to_mark = |bench: &Bench| {
        let commits = steps(&bench.system, &bench.state).into_iter();
        let commits = commits.filter(|(_, to)| to.sys.heap[0] == Some(Object::new(false, 1)));
        let marking = commits.map(|(_, to)| to.mutators[0].marking.reference);
        marking.collect::<Vec<_>>()
    };
    assert_eq!(about_to_mark(&bench), [None, Some(1)]);
    // It loads its own pending store, before and after.
    bench.state.sys.buffers[Who::Mutator(0).index()].push(Store::Field(0, 0, Some(1)));
    assert_eq!(about_to_mark(&bench), [None]);
    bench.state.sys.buffers[Who::Mutator(0).index()].clear();
    // Nothing changes.
    bench.state.sys.heap[0] = Some(Object::new(false, 1));
    assert!(!about_to_mark(&bench).contains(&Some(1)));
}

/// R19.
#[test]
fn what_can_be_done_earlier_is_done_at_once() {
    let mut bench = Bench::new(2, Variant::default());
    bench.state.sys.phase = Phase::Mark;
    bench.put(GC, "get-roots: poll");
    bench.put(FIRST, "store: src.field ← dst");
    let holds = bench.state.mutators.iter_mut();
    holds.for_each(|mutator| mutator.roots = Refs::first(2));
    let own = Who::Mutator(0).index();
    let all = steps(&bench.system, &bench.state);
    assert_eq!(all.len(), 1, "it stores");
    assert_eq!(all[0].1.sys.buffers[own].len(), 1);
    bench.state.sys.buffers[own].push(Store::Field(0, 0, None));
    let all = steps(&bench.system, &bench.state);
    assert!(all.len() > 1, "there is no room");
}

/// R15. Marked is what has the sense of `fM`, `false`.
#[test]
fn what_is_swept_may_be_looked_at_earlier() {
    let swept = |variant, object: Option<bool>| {
        let mut bench = Bench::new(2, variant);
        bench.put(GC, "sweep: load mark");
        bench.state.gc.src = 1;
        bench.state.sys.heap = [
            Some(Object::new(false, 1)),
            object.map(|m| Object::new(m, 1)),
        ]
        .into_iter()
        .collect();
        bench
    };
    let [marked, white, missing] = [Some(false), Some(true), None];
    let mover = |bench: &Bench| bench.mover(GC);
    let baseline = |object| swept(Variant::default(), object);
    assert_eq!(mover(&baseline(marked)), Mover::Both);
    assert_eq!(mover(&baseline(missing)), Mover::Both);
    assert_eq!(mover(&baseline(white)), Mover::Neither);
    let no_cas = Variant::without(Part::Cas);
    assert_eq!(mover(&swept(no_cas, marked)), Mover::Neither);
    for allocate in [Allocate::NotFa, Allocate::WhiteInMark] {
        let variant = Variant {
            allocate,
            ..Variant::default()
        };
        assert_eq!(mover(&swept(variant, missing)), Mover::Neither);
    }
    let mut bench = baseline(missing);
    bench.state.sys.fa = true;
    assert_eq!(mover(&bench), Mover::Neither, "what comes is white");
    let mut bench = baseline(missing);
    bench.state.sys.buffers[Who::Gc.index()].push(Store::FA(true));
    assert_eq!(mover(&bench), Mover::Neither, "what comes may be white");
    let mut bench = baseline(marked);
    bench.mutator(1).marking.fm = Some(true);
    assert_eq!(mover(&bench), Mover::Neither, "it may be unmarked");
}

/// R16.
#[test]
fn barriers_that_mark_nothing_move() {
    let loads = |variant, label: &str| {
        let mut bench = Bench::new(2, variant);
        bench.put(FIRST, label);
        bench.mutator(0).marking.reference = Some(1);
        bench.mutator(1).roots = Refs::first(2);
        bench.state.sys.heap[1] = Some(Object::new(true, 1));
        bench
    };
    for label in ["deletion: ref ← src.field", "insertion: load mark"] {
        let bench = loads(Variant::default(), label);
        assert_eq!(bench.mover(FIRST), Mover::Both, "{label}");
        let mut bench = loads(Variant::default(), label);
        bench.state.sys.phase = Phase::Mark;
        assert_ne!(bench.mover(FIRST), Mover::Both, "{label}");
        let mut bench = loads(Variant::default(), label);
        bench.state.sys.buffers[Who::Gc.index()].push(Store::Phase(Phase::Init));
        assert_ne!(bench.mover(FIRST), Mover::Both, "{label}");
        let bench = loads(Variant::without(Part::PhaseTest), label);
        assert_ne!(bench.mover(FIRST), Mover::Both, "{label}");
    }
}

/// R17.
#[test]
fn noop_handshakes_are_answered_at_once() {
    let asked = || {
        let mut bench = Bench::new(2, Variant::default());
        bench.state.sys.handshake = HandshakeType::Noop;
        bench.state.sys.pending.set(1, true);
        // Nothing can be loaded.
        bench.state.sys.heap[0] = Some(Object::new(false, 1));
        bench
    };
    let answers = |bench: &Bench| {
        let all = steps(&bench.system, &bench.state);
        let answers = all.iter().filter(|(_, to)| to.sys.pending.is_empty());
        (answers.count(), all.len())
    };
    assert_eq!(answers(&asked()), (1, 1));
    let mut bench = asked();
    bench.state.sys.handshake = HandshakeType::GetWork;
    let (answering, all) = answers(&bench);
    assert!(answering == 1 && all > 1, "it takes work with it");
    let mut bench = asked();
    bench.state.mutators[1].roots_marked = true;
    let (answering, all) = answers(&bench);
    assert!(answering == 1 && all > 1, "it changes what it does");
    let mut bench = asked();
    bench.state.sys.buffers[Who::Mutator(1).index()].push(Store::Field(0, 0, None));
    let (answering, all) = answers(&bench);
    assert!(answering == 0 && all > 1, "it has to wait");
}

/// A mutator is about to mark the second object, which the collector is about to free.
fn losing(is_reachable: bool) -> Bench {
    let mut bench = Bench::new(2, Variant::default());
    bench.put(GC, "sweep: free");
    bench.state.gc.src = 1;
    bench.put(FIRST, "deletion: load mark");
    bench.mutator(0).marking.reference = Some(1);
    if is_reachable {
        bench.mutator(1).roots = Refs::first(2)
    } else {
        bench.state.sys.heap[0] = Some(Object::new(false, 1))
    }
    bench
}

/// Freeing a reachable object is the violation that `simulation` detects.
#[test]
fn freeing_what_is_reachable_is_a_step() {
    let bench = losing(true);
    assert_eq!(bench.mover(GC), Mover::Left);
    let freeing = steps(&bench.system, &bench.state);
    assert!(freeing.iter().any(|(_, to)| to.sys.heap[1].is_none()));
}

/// The assumption of the reduction.
#[test]
#[should_panic(expected = "object 1 is freed while mutator 0 is about to mark it")]
fn freeing_what_only_a_barrier_knows_is_not_passed_over() {
    steps(&losing(false).system, &losing(false).state);
}
