//! Lipton reduction: what is freed, with several mutators or three references.

use refmap_systems::tso::Without;

use super::*;

/// The baseline at granularity reduced; counts are of states modulo symmetry.
#[test]
fn tso_collects_only_garbage_by_transactions() {
    for (mutators, refs, states, transitions) in [
        (1, 1, 319, 850),
        (1, 2, 4_326, 13_280),
        (2, 1, 2_472, 9_609),
    ] {
        let report = freed(reduced(mutators, refs, 1), Variant::default());
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!((report.states, report.transitions), (states, transitions));
    }
}

/// … with two mutators and two references, and with three references.
#[test]
#[ignore = "some five seconds"]
fn slow_tso_collects_only_garbage_by_transactions_at_larger_instances() {
    for (mutators, refs, states, transitions) in
        [(1, 3, 59_123, 200_563), (2, 2, 330_254, 1_448_442)]
    {
        let report = freed(reduced(mutators, refs, 1), Variant::default());
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!((report.states, report.transitions), (states, transitions));
    }
}

/// The need for the paper's handshakes shows at two mutators and two references: the init handshake cannot
/// be left out.
#[test]
#[ignore = "some three seconds"]
fn slow_tso_needs_the_init_handshake() {
    let report = freed(reduced(2, 2, 1), Variant::without(Part::InitNoop));
    let found = report.counterexample.expect("something reachable is freed");
    assert_eq!((&*found.obligation, found.length), ("simulation", 30));
}

/// Two of the initialisation handshakes can be left out, the paper's authors think [section 4]: the first two
/// can, both of them. The others cannot, even if their fences stay.
#[test]
#[ignore = "some ten seconds"]
fn slow_tso_needs_neither_of_the_first_two_handshakes() {
    let both = Without::one(Part::IdleNoop).and(Part::IdleFlipNoop);
    let without = |without| Variant {
        without,
        ..Variant::default()
    };
    let report = freed(reduced(2, 2, 1), without(both));
    assert_eq!(report.verdict, Some(Verdict::Holds));
    assert_eq!(report.states, 576_189);
    for (part, length) in [(Part::InitNoop, 31), (Part::MarkNoop, 31)] {
        let variant = Variant {
            residual_fence: ResidualFence::Present,
            ..without(Without::one(part))
        };
        let report = freed(reduced(2, 2, 1), variant);
        let found = report.counterexample.expect("something reachable is freed");
        assert_eq!(
            (&*found.obligation, found.length),
            ("simulation", length),
            "{part:?}"
        );
    }
}

/// The round that asks for work before marking ends takes three references to be needed.
#[test]
fn tso_needs_the_round_that_asks_for_work() {
    let report = freed(reduced(1, 3, 1), Variant::without(Part::GetWork));
    let found = report.counterexample.expect("something reachable is freed");
    assert_eq!((&*found.obligation, found.length), ("simulation", 26));
}

/// Once a mutator's roots are marked its insertion barrier is not needed, the paper's authors think [section 4].
#[test]
#[ignore = "some five seconds"]
fn slow_tso_does_not_need_the_late_insertion_barrier() {
    for (mutators, refs, states) in [(1, 3, 59_902), (2, 2, 331_446)] {
        let late = Variant::without(Part::InsertionBarrierAfterRoots);
        let report = freed(reduced(mutators, refs, 1), late);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert_eq!(report.states, states);
    }
}

/// The lengths of the shortest executions, in transactions, that free something reachable, with one mutator and two
/// references.
#[test]
fn tso_lipton_reduction_finds_what_is_freed() {
    let of = Variant::without;
    let allocate = |allocate| Variant {
        allocate,
        ..Variant::default()
    };
    let never = Variant {
        flip: Flip::Never,
        ..Variant::default()
    };
    for (variant, length) in [
        (of(Part::DeletionBarrier), 25),
        (of(Part::InsertionBarrier), 47),
        (of(Part::CollectorFence), 14),
        (of(Part::MutatorFence), 21),
        (of(Part::RootMarking), 20),
        (allocate(Allocate::NotFa), 43),
    ] {
        let report = freed(reduced(1, 2, 1), variant);
        let found = report.counterexample.expect("something reachable is freed");
        assert_eq!(
            (&*found.obligation, found.length),
            ("simulation", length),
            "{variant:?}"
        );
    }
    for variant in [
        of(Part::MarkNoop),
        allocate(Allocate::Fm),
        allocate(Allocate::WhiteInMark),
        never,
    ] {
        let report = freed(reduced(1, 2, 1), variant);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{variant:?}");
    }
}
