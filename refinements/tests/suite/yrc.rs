//! The design of YRC and its variants: claims beyond the catalogue.

use refmap::{Action as _, Settings, TransitionSystem, Verdict, disagreement};
use refmap_refinements::Checked;
use refmap_refinements::yrc::DesignRefinement;
use refmap_systems::heap::Objects;
use refmap_systems::yrc::design::{
    Barrier, Design, Granularity, Increments, Merge, Mutators, Reservation, State, TrialDeletion,
    Variant,
};

use refmap_testing::reachable;
use strum::VariantArray;

use crate::decide;

fn design(objects: u8, mutators: u8, stripes: u8, variant: Variant) -> Design {
    Design {
        objects,
        fields: 1,
        mutators,
        queue: 2,
        stripes,
        variant,
    }
}

/// Every variant of a granularity, with reservation.
fn variants(granularity: Granularity) -> Vec<Variant> {
    let mut variants = vec![Variant {
        granularity,
        ..Variant::default()
    }];
    vary(&mut variants, |v, barrier: Barrier| v.barrier = barrier);
    vary(&mut variants, |v, increments: Increments| {
        v.increments = increments;
    });
    vary(&mut variants, |v, merge: Merge| v.merge = merge);
    vary(&mut variants, |v, mutators: Mutators| v.mutators = mutators);
    vary(&mut variants, |v, trial_deletion: TrialDeletion| {
        v.trial_deletion = trial_deletion;
    });
    variants
}

/// Each of `variants` with each value of a parameter.
fn vary<T: VariantArray + Copy>(variants: &mut Vec<Variant>, set: impl Fn(&mut Variant, T)) {
    let each = variants.iter().flat_map(|variant| {
        T::VARIANTS.iter().map(|value| {
            let mut varied = *variant;
            set(&mut varied, *value);
            varied
        })
    });
    *variants = each.collect();
}

/// The variants that the rules say are safe.
fn safe(granularity: Granularity) -> impl Iterator<Item = Variant> {
    let all = variants(granularity).into_iter();
    all.filter(|variant| follows_the_rules(*variant))
}

/// No collection sees an edge without its increment, and no decrement is merged without the increments
/// before it; or the commit sees what is pending and what is in flight.
fn follows_the_rules(variant: Variant) -> bool {
    let validated = matches!(
        variant.trial_deletion,
        TrialDeletion::Validated | TrialDeletion::ValidatedInFlight
    );
    let merged_together = variant.increments == Increments::Direct
        || matches!(variant.merge, Merge::AllDecrementsFirst | Merge::Atomic)
        || variant.granularity == Granularity::Phase;
    match variant.mutators {
        Mutators::Free => variant.trial_deletion == TrialDeletion::ValidatedInFlight,
        Mutators::StoppedAtBarriers => true,
        Mutators::StoppedAnywhere => {
            variant.barrier == Barrier::IncrementFirst
                || variant.trial_deletion == TrialDeletion::ValidatedInFlight
        }
        Mutators::StoreLock => validated || merged_together,
    }
}

fn verdict(design: Design) -> Option<Verdict> {
    decide(
        &*DesignRefinement::new(design).checker(),
        &Settings::default(),
    )
    .verdict
}

fn assert_holds(design: Design) {
    assert_eq!(verdict(design), Some(Verdict::Holds), "{design:?}");
}

/// Every so many of the variants are left out between two that are tested: no number of values of a part divides it, so that all
/// values are met.
const ONE_OF: usize = 11;
/// The same where the states are passed over by the test itself, which is not optimised.
const ONE_OF_MANY: usize = 101;

/// Variants that follow the rules are safe with one thread, and with two on two stripes.
fn assert_the_rules_suffice(one_of: usize) {
    for granularity in Granularity::VARIANTS {
        for variant in safe(*granularity).step_by(one_of) {
            assert_holds(design(1, 2, 2, variant));
            assert_holds(design(2, 1, 1, variant));
        }
    }
}

#[test]
fn the_rules_suffice() {
    assert_the_rules_suffice(ONE_OF);
}

#[test]
#[ignore = "half a minute"]
fn slow_the_rules_suffice_in_every_variant() {
    assert_the_rules_suffice(1);
}

/// Variants that violate them are unsafe in one of four small instances.
#[test]
fn the_rules_are_needed() {
    let instances = [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 2, 2)];
    for granularity in Granularity::VARIANTS {
        for variant in variants(*granularity) {
            let is_unsafe = || {
                instances.iter().any(|(objects, mutators, stripes)| {
                    verdict(design(*objects, *mutators, *stripes, variant))
                        == Some(Verdict::Violated)
                })
            };
            assert!(follows_the_rules(variant) || is_unsafe(), "{variant:?}");
        }
    }
}

/// Without reservation, a variant that may stop a thread within its operation during a collection stays safe; one
/// whose collection waits for operations to end deadlocks.
fn assert_reservation_is_needed(one_of: usize) {
    for variant in safe(Granularity::Slot).step_by(one_of) {
        let unreserved = Variant {
            reservation: Reservation::Unreserved,
            ..variant
        };
        let expected = match variant.mutators {
            Mutators::Free | Mutators::StoppedAnywhere => Verdict::Holds,
            Mutators::StoppedAtBarriers | Mutators::StoreLock => Verdict::Violated,
        };
        let found = verdict(design(2, 1, 1, unreserved));
        assert_eq!(found, Some(expected), "{unreserved:?}");
    }
}

#[test]
fn reservation_is_needed_where_a_collection_waits_for_operations() {
    assert_reservation_is_needed(ONE_OF);
}

#[test]
#[ignore = "some ten seconds"]
fn slow_reservation_is_needed_in_every_variant_that_waits() {
    assert_reservation_is_needed(1);
}

/// A safe collector that never collects would be no use: alone, it frees all garbage.
fn assert_collections_free(one_of: usize) {
    for variant in safe(Granularity::Slot).step_by(one_of) {
        assert_complete(&design(2, 1, 1, variant));
        assert_complete(&design(1, 2, 2, variant));
    }
    for variant in safe(Granularity::Phase).step_by(one_of) {
        assert_complete(&design(2, 1, 1, variant));
    }
}

#[test]
fn collections_free_every_unreachable_object() {
    assert_collections_free(ONE_OF_MANY);
}

#[test]
#[ignore = "a minute"]
fn slow_collections_of_every_variant_free_every_unreachable_object() {
    assert_collections_free(1);
}

/// Cycles through several fields are found too.
#[test]
fn objects_may_have_two_fields() {
    let variant = Variant {
        mutators: Mutators::StoppedAtBarriers,
        ..Variant::default()
    };
    let two_fields = Design {
        fields: 2,
        ..design(1, 1, 1, variant)
    };
    assert_holds(two_fields);
    assert_complete(&two_fields);
}

/// From every quiescent state, the collector alone frees all garbage.
fn assert_complete(design: &Design) {
    let reached = reachable(design);
    let quiescent = |state: &&State| !state.locked() && state.no_operation_in_flight();
    let mut garbage_seen = 0;
    for state in reached.iter().filter(quiescent) {
        garbage_seen += usize::from(!garbage(state).is_empty());
        let end = collected(design, *state);
        assert!(garbage(&end).is_empty(), "{design:?}\n{state:?}\n{end:?}");
    }
    assert!(garbage_seen > 0, "{design:?}");
}

fn garbage(state: &State) -> Objects {
    state.allocated.without(state.heap().reachable())
}

/// Collections until one changes nothing.
fn collected(design: &Design, mut state: State) -> State {
    loop {
        let before = state;
        state = collector_step(design, &state);
        while state.locked() {
            state = collector_step(design, &state);
        }
        if state == before {
            return state;
        }
    }
}

fn collector_step(design: &Design, state: &State) -> State {
    let mut next = None;
    design.next(state, &mut |action, to| {
        if action.process(design).name == "collector" {
            assert!(next.is_none(), "the collector has no choice");
            next = Some(*to);
        }
    });
    next.expect("the collector always has a step in a quiescent state")
}

/// Threads of one stripe are alike: with the two exchanged, each state is reached.
#[test]
fn threads_of_a_stripe_reach_the_same() {
    for reservation in [Reservation::Reserved, Reservation::Unreserved] {
        let variant = Variant {
            reservation,
            mutators: Mutators::StoppedAtBarriers,
            ..Variant::default()
        };
        let reached = reachable(&design(1, 2, 1, variant));
        for state in &reached {
            let mut exchanged = *state;
            for thread in 0..2 {
                exchanged.held[thread] = state.held[1 - thread];
                exchanged.in_flight[thread] = state.in_flight[1 - thread];
            }
            assert!(reached.contains(&exchanged), "{state:?}");
        }
    }
}

/// The overridden methods of the model are consistent with `next`.
#[test]
fn the_model_agrees_with_itself() {
    for variant in safe(Granularity::Slot) {
        let design = design(1, 1, 1, variant);
        let states = reachable(&design);
        for state in &states {
            assert_eq!(disagreement(&design, state, &states[..2]), None);
        }
    }
}

/// Two objects, two threads and two stripes; and three objects where threads go on storing.
#[test]
#[ignore = "half a minute: millions of states"]
fn slow_the_rules_suffice_in_larger_instances() {
    for mutators in [Mutators::StoppedAtBarriers, Mutators::StoreLock] {
        let variant = Variant {
            mutators,
            merge: Merge::AllDecrementsFirst,
            ..Variant::default()
        };
        assert_holds(design(2, 2, 2, variant));
    }
    let variant = Variant {
        trial_deletion: TrialDeletion::ValidatedInFlight,
        ..Variant::default()
    };
    assert_holds(design(3, 1, 1, variant));
}
