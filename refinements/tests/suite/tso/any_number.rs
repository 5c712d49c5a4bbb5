//! The collector with any number of mutators: its instances are the collector with so many.

use refmap::Search;
use refmap::explore::Limits;
use refmap::obligation::Until;
use refmap_refinements::CheckedCrowd;
use refmap_refinements::tso::AnyCollector;
use refmap_systems::tso::ScopeError;

use super::*;

fn crowd(scope: Scope, variant: Variant) -> AnyCollector {
    AnyCollector::new(scope, variant).expect("the instance is in range")
}

/// Asserts that the instance of the crowd with so many mutators has the states and transitions of the collector, up to a depth, and the verdicts.
#[track_caller]
fn assert_same(scope: Scope, variant: Variant, depth: Option<u32>) {
    let names = [
        "observation",
        "initiality",
        "simulation",
        "deadlock",
        "coverage",
    ];
    let settings = Settings {
        obligations: Selection::only(names),
        limits: Limits {
            depth,
            ..Limits::default()
        },
        until: Until::End,
        ..Settings::default()
    };
    let expected = report(scope, variant, &settings);
    let crowd = crowd(scope, variant);
    let checker = crowd.into_checker(scope.mutators.into());
    let found = checker.check(&settings).expect("the settings are right");
    let figures = |report: &Report| {
        (
            report.states,
            report.transitions,
            report.depth,
            report.verdict,
        )
    };
    assert_eq!(figures(&found), figures(&expected), "{scope:?} {variant:?}");
}

#[test]
fn tso_crowd_of_one_mutator_is_the_collector() {
    for variant in variants() {
        assert_same(coarse(1, 1, 1), variant, None);
    }
    assert_same(scope(1, 1, 1, Granularity::Fine), Variant::default(), None);
    let every = Scope {
        initial: Initial::All,
        ..coarse(1, 1, 1)
    };
    assert_same(every, Variant::default(), None);
}

/// Of several mutators, as far as a search goes in little time.
#[test]
fn tso_crowd_of_several_mutators_begins_as_the_collector() {
    for granularity in [Granularity::Coarse, Granularity::Fine] {
        for (mutators, depth) in [(2, 30), (3, 10)] {
            let scope = scope(mutators, 1, 1, granularity);
            assert_same(scope, Variant::default(), Some(depth));
        }
    }
}

#[test]
#[ignore = "some 30 s"]
fn slow_tso_crowd_of_two_mutators_is_the_collector() {
    assert_same(coarse(2, 1, 1), Variant::default(), None);
}

/// Transactions of the Lipton reduction move several mutators.
#[test]
fn tso_crowd_has_no_transactions() {
    let crowd = AnyCollector::new(reduced(1, 1, 1), Variant::default());
    assert!(matches!(crowd.err(), Some(ScopeError::Transactions)));
}

/// A question that is put, and to which there is no answer within the limit.
#[test]
fn tso_crowd_is_not_decided_within_a_limit() {
    let settings = Settings {
        search: Search::AnyNumber { views: Some(1) },
        limits: Limits {
            states: Some(5000),
            ..Limits::default()
        },
        ..Settings::default()
    };
    let checker = crowd(coarse(1, 1, 1), Variant::default()).into_checker(1);
    let report = checker.check(&settings).expect("the settings are right");
    assert_ne!(report.verdict, Some(Verdict::Holds), "{report}");
    assert_eq!(report.violated().count(), 0, "{report}");
}
