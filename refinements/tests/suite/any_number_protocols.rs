//! Protocols of any number of members: those as published hold for every number, and what is left out is missed with few.

use refmap::crowd::CrowdRefinement;
use refmap::obligation::Symmetry;
use refmap::{Report, Settings, Verdict, check, check_any_number};
use refmap_refinements::barriers::SenseReversingRefinement;
use refmap_refinements::caches::{GermanRefinement, MesiRefinement};
use refmap_refinements::locks::{LockRefinement, ReadersWritersRefinement};
use refmap_systems::barriers::sense_reversing::{SenseReversing, Senses};
use refmap_systems::caches::german::{self, German};
use refmap_systems::caches::mesi::{self, Mesi};
use refmap_systems::locks::bakery::{self, Bakery};
use refmap_systems::locks::readers_writers::{self, ReadersWriters};

fn asked(crowd: &impl CrowdRefinement) -> Report {
    check_any_number(crowd, &Settings::default()).expect("it is a crowd")
}

/// The report of an instance, of which exchanged members and shifted counters are one.
fn with(crowd: &impl CrowdRefinement, members: usize, symmetry: Symmetry) -> Report {
    let settings = Settings {
        symmetry,
        ..Settings::default()
    };
    check(&crowd.of(members), &settings).expect("it can be checked")
}

/// Asserts that a crowd holds for every number of members, with views of so many.
#[track_caller]
fn assert_holds(crowd: &impl CrowdRefinement, views: usize) {
    let report = asked(crowd);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    assert!(report.unexercised.is_empty(), "{report}");
    let found = report.every_number.expect("it is asked for");
    assert_eq!(found.view_members, views);
}

/// Asserts that a crowd violates an obligation with so many members, and none with fewer.
#[track_caller]
fn assert_fails(crowd: &impl CrowdRefinement, members: usize, obligation: &str) {
    let report = asked(crowd);
    assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
    let shown = report.counterexample.as_ref().expect("it is shown");
    assert!(shown.reachable, "{report}");
    assert_eq!(shown.obligation, obligation, "{report}");
    let found = report.every_number.expect("it is asked for");
    assert_eq!(found.failed_with, Some(members));
}

/// Asserts that instances of these numbers of members hold, whatever is asked of them.
#[track_caller]
fn assert_instances_hold(crowd: &impl CrowdRefinement, members: &[usize]) {
    for members in members {
        let report = with(crowd, *members, Symmetry::Full);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
        assert!(report.complete);
    }
}

#[test]
fn a_directory_keeps_any_number_of_caches_coherent() {
    let crowd = |omits| GermanRefinement(German { omits });
    assert_holds(&crowd(german::Omits::Nothing), 1);
    assert_instances_hold(&crowd(german::Omits::Nothing), &[1, 2]);
    for (omits, obligation) in [
        (german::Omits::ExclusiveInvalidation, "observation"),
        (german::Omits::Acknowledgements, "observation"),
        (german::Omits::WriteBack, "invariant:data_prop"),
    ] {
        assert_fails(&crowd(omits), 1, obligation);
    }
    // What a cache has that is alone is old; with another one, both are held.
    for omits in [
        german::Omits::ExclusiveInvalidation,
        german::Omits::Acknowledgements,
    ] {
        let report = with(&crowd(omits), 2, Symmetry::None);
        let violated: Vec<_> = report.violated().collect();
        assert!(violated.contains(&"invariant:ctrl_prop"), "{report}");
    }
}

#[test]
fn a_bus_keeps_any_number_of_caches_coherent() {
    let crowd = |omits| MesiRefinement(Mesi { omits });
    assert_holds(&crowd(mesi::Omits::Nothing), 1);
    assert_instances_hold(&crowd(mesi::Omits::Nothing), &[2, 3, 4]);
    assert_fails(&crowd(mesi::Omits::Invalidation), 2, "observation");
    assert_fails(&crowd(mesi::Omits::WriteBack), 1, "observation");
}

#[test]
fn a_sense_that_is_reversed_keeps_rounds_apart() {
    let crowd = |senses| SenseReversingRefinement(SenseReversing { senses });
    assert_holds(&crowd(Senses::Reversed), 2);
    assert_instances_hold(&crowd(Senses::Reversed), &[2, 3, 4]);
    assert_fails(&crowd(Senses::Kept), 2, "simulation");
}

/// It lets nobody go early, and stops.
#[test]
fn a_barrier_of_own_senses_stops() {
    let senses = Senses::OfEach;
    let crowd = SenseReversingRefinement(SenseReversing { senses });
    assert_fails(&crowd, 2, "deadlock");
    for members in [2, 3] {
        let report = with(&crowd, members, Symmetry::Full);
        let violated: Vec<_> = report.violated().collect();
        assert_eq!(violated, ["deadlock"], "{report}");
    }
}

#[test]
fn readers_lock_writers_out() {
    let crowd = |omits| ReadersWritersRefinement(ReadersWriters { omits });
    assert_holds(&crowd(readers_writers::Omits::Nothing), 2);
    assert_instances_hold(&crowd(readers_writers::Omits::Nothing), &[1, 2, 3, 4]);
    assert_fails(&crowd(readers_writers::Omits::Mutex), 2, "simulation");
    assert_fails(&crowd(readers_writers::Omits::LastReader), 2, "simulation");
}

#[test]
fn a_bakery_without_choosing_serves_two_at_once() {
    let omits = bakery::Omits::Choosing;
    assert_fails(&LockRefinement(Bakery { omits }), 2, "simulation");
}

#[test]
#[ignore = "some ten seconds"]
fn slow_a_bakery_serves_any_number_one_by_one() {
    let omits = bakery::Omits::Nothing;
    assert_holds(&LockRefinement(Bakery { omits }), 2);
}
