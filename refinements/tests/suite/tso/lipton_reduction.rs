//! Lipton reduction: what is freed, at instances that the catalogue does not have.

use super::*;

/// Asserts that nothing reachable is freed, with this number of states modulo symmetry.
#[track_caller]
fn assert_holds(scope: Scope, variant: Variant, states: u64) -> Report {
    let report = freed(scope, variant);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.states, states);
    report
}

/// The baseline at granularity reduced.
#[test]
fn tso_collects_only_garbage_by_transactions() {
    for (mutators, refs, states, transitions) in [
        (1, 1, 319, 850),
        (1, 2, 4_326, 13_280),
        (2, 1, 2_472, 9_609),
    ] {
        let report = assert_holds(reduced(mutators, refs, 1), Variant::default(), states);
        assert_eq!(report.transitions, transitions);
    }
}

/// Once a mutator's roots are marked its insertion barrier is not needed, the paper's authors think [section 4].
#[test]
#[ignore = "some five seconds"]
fn slow_tso_does_not_need_the_late_insertion_barrier() {
    let late = Variant::without(Part::InsertionBarrierAfterRoots);
    assert_holds(reduced(2, 2, 1), late, 331_446);
}

/// The lengths of the shortest executions, in transactions, that free something reachable.
#[track_caller]
fn assert_frees(scope: Scope, variant: Variant, length: usize) {
    let report = freed(scope, variant);
    let found = report.counterexample.expect("something reachable is freed");
    assert_eq!((&*found.obligation, found.length), ("simulation", length));
}

#[test]
fn tso_lipton_reduction_finds_what_is_freed() {
    for (part, length) in [
        (Part::DeletionBarrier, 25),
        (Part::CollectorFence, 14),
        (Part::MutatorFence, 21),
        (Part::RootMarking, 20),
    ] {
        assert_frees(reduced(1, 2, 1), Variant::without(part), length);
    }
}

/// The init handshake cannot be left out even if its fence stays.
#[test]
#[ignore = "some three seconds"]
fn slow_tso_needs_the_init_handshake_for_more_than_its_fence() {
    let variant = Variant {
        residual_fence: ResidualFence::Present,
        ..Variant::without(Part::InitNoop)
    };
    assert_frees(reduced(2, 2, 1), variant, 31);
}
