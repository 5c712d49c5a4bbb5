//! Test: transactions reach the same quiescent states as the steps at fine granularity.

use std::collections::HashMap;

use refmap::TransitionSystem;
use refmap::internal::Quotient;
use refmap::internal::explore::Quotienting;

use super::super::label::{Label, RoundStep};
use super::super::naive_search::reached;
use super::super::scope::{
    Barriers, Granularity, LoadOrder, Memory, Part, ResidualFence, Scope, Variant,
};
use super::super::state::{GC, HandshakeType, Mutators, State, Who};
use super::super::system::OnTheFly;
use super::forget_ghosts;
use crate::heap::Objects as Refs;

/// Whether a state is quiescent: the collector is about to poll the first mutator, and every mutator is at rest.
/// Transactions visit it unless a mutator answers at once (R17).
fn is_quiescent(system: &OnTheFly, state: &State) -> bool {
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

/// Splits a state into the roots of its mutators and everything else.
fn split(state: &State) -> (State, Vec<Refs>) {
    let mut rest = *state;
    forget_ghosts(&mut rest);
    let roots = rest.mutators.iter_mut();
    let roots = roots
        .map(|mutator| std::mem::take(&mut mutator.roots))
        .collect();
    (rest, roots)
}

/// Number of quiescent states compared, and one that the transactions accepted by `taken` do not reach.
fn compare(
    scope: Scope,
    variant: Variant,
    taken: impl Fn(&OnTheFly, &State, &State) -> bool,
) -> (usize, Option<State>) {
    let system = OnTheFly::new(scope, variant).expect("it is in range");
    let quotient = Quotient::of(&system).expect("there are names");
    let mut initial = Vec::new();
    system.initial(&mut |state| initial.push(state));
    let canonical = |state: &State| quotient.canonical(&system, state);

    let transactions = |from: &State, visit: &mut dyn FnMut(State)| {
        system.next(from, &mut |_, to| {
            if taken(&system, from, to) {
                visit(canonical(to));
            }
        });
    };
    let (reduced, _) = reached(initial.clone(), transactions, |_| false);
    let mut roots: HashMap<State, Vec<Vec<Refs>>> = HashMap::new();
    for state in reduced.iter().filter(|state| is_quiescent(&system, state)) {
        for exchanged in quotient.exchanged(state) {
            let (rest, held) = split(&exchanged);
            roots.entry(rest).or_default().push(held);
        }
    }

    let steps = |from: &State, visit: &mut dyn FnMut(State)| {
        let visit = &mut |_, to: &State| visit(canonical(to));
        system.processes.steps(from, visit);
    };
    let (all, _) = reached(initial, steps, |_| false);
    let mut compared = all.iter().filter(|state| is_quiescent(&system, state));
    let is_missed = |state: &&State| {
        let (rest, held) = split(state);
        let includes = |reduced: &Vec<Refs>| {
            let mut both = held.iter().zip(reduced);
            both.all(|(held, reduced)| held.without(*reduced).is_empty())
        };
        // R14.
        !roots.get(&rest).is_some_and(|all| all.iter().any(includes))
    };
    (compared.clone().count(), compared.find(is_missed).copied())
}

/// Asserts that all quiescent states are reached, and that there are more than `least`.
fn reach_more_than(least: usize, scope: Scope, variant: Variant) {
    let (compared, missed) = compare(scope, variant, |_, _, _| true);
    assert_eq!(missed, None, "{variant:?}");
    assert!(compared > least, "{compared} {variant:?}");
}

/// Variants that free nothing reachable in such small instances: of the others the reduction only claims that
/// transactions free something reachable too.
fn variants() -> Vec<Variant> {
    let baseline = Variant::default();
    let mut neither = Variant::without(Part::IdleNoop);
    neither.without = neither.without.and(Part::IdleFlipNoop);
    let fenced = Variant {
        residual_fence: ResidualFence::Present,
        ..Variant::without(Part::MarkNoop)
    };
    let insertion_first = Variant {
        barriers: Barriers::InsertionFirst,
        ..baseline
    };
    let sense_first = Variant {
        load_order: LoadOrder::SenseFirst,
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
fn transactions_reach_all_quiescent_states() {
    for variant in variants() {
        reach_more_than(10, Scope::new(1, 1, Granularity::Reduced), variant);
    }
    for (mutators, refs) in [(1, 2), (2, 1)] {
        let scope = Scope::new(mutators, refs, Granularity::Reduced);
        reach_more_than(1000, scope, Variant::default());
    }
}

/// The comparison can fail: without the loads of mutators at rest before commits (R18) a quiescent state is missed.
#[test]
fn without_the_loads_before_commits_a_quiescent_state_is_missed() {
    let loads_nothing = |system: &OnTheFly, from: &State, to: &State| {
        let commits =
            from.sys.buffers.iter().flatten().count() > to.sys.buffers.iter().flatten().count();
        let mut mutators = from.numbers();
        let begins = |m| system.is_at_rest(from, m) && !system.is_at_rest(to, m);
        !(commits && mutators.any(begins))
    };
    for (mutators, refs) in [(1, 2), (2, 1)] {
        let scope = Scope::new(mutators, refs, Granularity::Reduced);
        let (_, missed) = compare(scope, Variant::default(), loads_nothing);
        assert!(missed.is_some(), "{mutators} {refs}");
    }
}

fn compare_all(mutators: u8, refs: u8, buffer: u8) {
    let scope = Scope {
        buffer,
        ..Scope::new(mutators, refs, Granularity::Reduced)
    };
    for variant in variants() {
        reach_more_than(10, scope, variant);
    }
}

#[test]
#[ignore = "some minutes"]
fn nightly_transactions_reach_all_quiescent_states_with_two_mutators() {
    compare_all(2, 1, 1);
}

#[test]
#[ignore = "some minutes"]
fn nightly_transactions_reach_all_quiescent_states_with_two_references() {
    compare_all(1, 2, 1);
}

#[test]
#[ignore = "some minutes"]
fn nightly_transactions_reach_all_quiescent_states_with_longer_buffers() {
    compare_all(1, 1, 2);
    compare_all(1, 2, 2);
}
