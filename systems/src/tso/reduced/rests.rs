//! Where all mutators rest, joined steps reach what the steps that they join reach.

use std::collections::HashMap;

use refmap::{Symmetric, TransitionSystem};

use super::super::label::{Label, RoundStep};
use super::super::plainly::reached;
use super::super::scope::{Barriers, Loads, Memory, Part, Remains, Scope, Variant};
use super::super::state::{GC, HandshakeType, Mutators, State, Who};
use super::super::system::OnTheFly;
use super::forget_ghosts;
use crate::heap::Objects as Refs;

/// Whether everybody waits: the collector, before it has polled, for mutators that are at rest. Joined steps
/// come to it unless one of these answers at once (R17).
fn is_compared(system: &OnTheFly, state: &State) -> bool {
    let mut mutators = state.numbers();
    let is_fenced = system.variant.has(Part::MutatorFence);
    let answers = |mutator| {
        let is_free = !is_fenced || state.sys.pending_stores(Who::Mutator(mutator)).is_empty();
        let is_noop = state.sys.handshake == HandshakeType::Noop;
        is_noop && is_free && state.sys.pending.contains(mutator)
    };
    let mut labels = system.processes.labels(GC, state.at[GC]);
    labels.any(|label| matches!(label, Label::Round(_, RoundStep::Poll)))
        && state.gc.muts == Mutators::first(system.scope.mutators)
        && !state.sys.pending.is_empty()
        && mutators.all(|mutator| system.is_at_rest(state, mutator) && !answers(mutator))
}

/// A state without its mutators' roots, and these.
fn split(state: &State) -> (State, Vec<Refs>) {
    let mut rest = *state;
    forget_ghosts(&mut rest);
    let roots = rest.mutators.iter_mut();
    let roots = roots
        .map(|mutator| std::mem::take(&mut mutator.roots))
        .collect();
    (rest, roots)
}

/// How many states were compared, and one to which joined steps that are `taken` do not come.
fn compare(
    scope: Scope,
    variant: Variant,
    taken: impl Fn(&OnTheFly, &State, &State) -> bool,
) -> (usize, Option<State>) {
    let system = OnTheFly::new(scope, variant).expect("it is in range");
    let permutations = system.permutations();
    let mut initial = Vec::new();
    system.initial(&mut |state| initial.push(state));
    let canonical = |state: &State| Symmetric::canonical(&system, &permutations, state);

    let joined = |from: &State, visit: &mut dyn FnMut(State)| {
        system.next(from, &mut |_, to| {
            if taken(&system, from, &to) {
                visit(canonical(&to));
            }
        });
    };
    let (joined, _) = reached(initial.clone(), joined, |_| false);
    let mut roots: HashMap<State, Vec<Vec<Refs>>> = HashMap::new();
    for state in joined.iter().filter(|state| is_compared(&system, state)) {
        for by in &permutations {
            let (rest, held) = split(&system.permute(by, state));
            roots.entry(rest).or_default().push(held);
        }
    }

    let steps = |from: &State, visit: &mut dyn FnMut(State)| {
        let visit = &mut |_, to: State| visit(canonical(&to));
        system.processes.steps(from, visit);
    };
    let (all, _) = reached(initial, steps, |_| false);
    let mut compared = all.iter().filter(|state| is_compared(&system, state));
    let is_missed = |state: &&State| {
        let (rest, held) = split(state);
        let includes = |joined: &Vec<Refs>| {
            let mut both = held.iter().zip(joined);
            both.all(|(held, joined)| held.without(*joined).is_empty())
        };
        // R14.
        !roots.get(&rest).is_some_and(|all| all.iter().any(includes))
    };
    (compared.clone().count(), compared.find(is_missed).copied())
}

/// Tests that all are reached, and that there are more than so many.
fn reach_more_than(least: usize, scope: Scope, variant: Variant) {
    let (compared, missed) = compare(scope, variant, |_, _, _| true);
    assert_eq!(missed, None, "{variant:?}");
    assert!(compared > least, "{compared} {variant:?}");
}

/// Those under which nothing reachable is freed in such small instances: of others joined steps are only said to
/// free something too.
fn variants() -> Vec<Variant> {
    let baseline = Variant::default();
    let mut neither = Variant::without(Part::IdleNoop);
    neither.without = neither.without.and(Part::IdleFlipNoop);
    let fenced = Variant {
        remains: Remains::Fence,
        ..Variant::without(Part::MarkNoop)
    };
    let insertion_first = Variant {
        barriers: Barriers::InsertionFirst,
        ..baseline
    };
    let sense_first = Variant {
        loads: Loads::SenseFirst,
        ..baseline
    };
    let of_memory = |memory| Variant { memory, ..baseline };
    let parts = [
        Part::IdleNoop,
        Part::InitNoop,
        Part::GetWork,
        Part::PhaseTest,
        Part::Cas,
        Part::InsertionBarrierAfterRoots,
    ];
    let mut variants = vec![baseline, neither, fenced, insertion_first, sense_first];
    variants.extend([Memory::Sc, Memory::Pso].map(of_memory));
    variants.extend(parts.map(Variant::without));
    variants
}

#[test]
fn joined_steps_reach_all_rests() {
    for variant in variants() {
        reach_more_than(10, Scope::of_reduced(1, 1), variant);
    }
    for (mutators, refs) in [(1, 2), (2, 1)] {
        let scope = Scope::of_reduced(mutators, refs);
        reach_more_than(1000, scope, Variant::default());
    }
}

/// The comparison can fail: not all is reached if a mutator that rests loads nothing before others commit (R18).
#[test]
fn without_the_loads_before_commits_some_rests_are_missed() {
    let loads_nothing = |system: &OnTheFly, from: &State, to: &State| {
        let commits =
            from.sys.buffers.iter().flatten().count() > to.sys.buffers.iter().flatten().count();
        let mut mutators = from.numbers();
        let begins = |m| system.is_at_rest(from, m) && !system.is_at_rest(to, m);
        !(commits && mutators.any(begins))
    };
    for (mutators, refs) in [(1, 2), (2, 1)] {
        let scope = Scope::of_reduced(mutators, refs);
        let (_, missed) = compare(scope, Variant::default(), loads_nothing);
        assert!(missed.is_some(), "{mutators} {refs}");
    }
}

fn compare_all(mutators: u8, refs: u8, buffer: u8) {
    let scope = Scope {
        buffer,
        ..Scope::of_reduced(mutators, refs)
    };
    for variant in variants() {
        reach_more_than(10, scope, variant);
    }
}

#[test]
#[ignore = "some minutes"]
fn nightly_joined_steps_reach_all_rests_with_two_mutators() {
    compare_all(2, 1, 1);
}

#[test]
#[ignore = "some minutes"]
fn nightly_joined_steps_reach_all_rests_with_two_references() {
    compare_all(1, 2, 1);
}

#[test]
#[ignore = "some minutes"]
fn nightly_joined_steps_reach_all_rests_with_longer_buffers() {
    compare_all(1, 1, 2);
    compare_all(1, 2, 2);
}
