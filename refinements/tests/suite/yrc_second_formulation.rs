//! YRC against a second formulation: the heaps that the design reaches are those of the specification,
//! all of them and no others.
//!
//! Refinement states that there are no others. That all are reached states that a safe variant neither
//! blocks operations of threads nor fails to free garbage. The specification is a
//! direct transcription of the heap; both are explored by naive search.

use std::collections::HashSet;

use refmap::Refinement;
use refmap_refinements::yrc::DesignRefinement;
use refmap_systems::heap::{CollectOnlyGarbage, Sources};
use refmap_systems::yrc::design::{Design, Granularity, Mutators, TrialDeletion, Variant};
use refmap_testing::reachable;

/// Objects, mutators, and the heaps that the specification reaches: four for one object and one
/// thread (free; held, alone or pointing to itself; dropped), the others by search.
const HEAPS: [(u8, u8, usize); 3] = [(1, 1, 4), (2, 1, 27), (1, 2, 8)];
/// Instances at which only whole phases are tried.
const LARGER: [(u8, u8, usize); 2] = [(2, 2, 127), (3, 1, 294)];

fn assert_same_heaps((objects, mutators, heaps): (u8, u8, usize), variant: Variant) {
    let specification = CollectOnlyGarbage {
        objects,
        fields: 1,
        threads: mutators,
        sources: Sources::Operations,
    };
    let specified: HashSet<_> = reachable(&specification).into_iter().collect();
    assert_eq!(specified.len(), heaps);
    let design = Design {
        objects,
        fields: 1,
        mutators,
        queue: 2,
        stripes: 1,
        variant,
    };
    let refinement = DesignRefinement::new(design);
    let reached: HashSet<_> = reachable(&design)
        .iter()
        .map(|state| refinement.map(state))
        .collect();
    assert_eq!(reached, specified);
}

#[test]
fn threads_stopped_between_operations_reach_every_heap() {
    for granularity in [Granularity::Slot, Granularity::Phase] {
        let variant = Variant {
            mutators: Mutators::StoppedAtBarriers,
            granularity,
            ..Variant::default()
        };
        for instance in HEAPS {
            assert_same_heaps(instance, variant);
        }
    }
    for instance in LARGER {
        assert_same_heaps(
            instance,
            Variant {
                mutators: Mutators::StoppedAtBarriers,
                granularity: Granularity::Phase,
                ..Variant::default()
            },
        );
    }
}

#[test]
fn threads_that_go_on_reach_every_heap_and_no_other_where_the_commit_sees_what_is_in_flight() {
    let variant = Variant {
        trial_deletion: TrialDeletion::ValidatedInFlight,
        ..Variant::default()
    };
    for instance in HEAPS {
        assert_same_heaps(instance, variant);
    }
}

/// As described, a heap is reached that the specification does not have: a thread holds what is free.
#[test]
#[should_panic(expected = "assertion `left == right` failed")]
fn the_design_as_described_reaches_another_heap() {
    assert_same_heaps((1, 1, 4), Variant::default());
}
