//! Systems with any number of members: what holds for every number, what is not known, and what the ordinary search says of a few.

use refmap::crowd::Crowd;
use refmap::{Report, Search, Settings, Verdict, check, check_any_number};
use refmap_refinements::locks::{AnySzymanski, AnyTestAndSet, AnyTicketLock};
use refmap_refinements::stacks::AnyTreiber;
use refmap_systems::locks::szymanski::Omits;
use refmap_systems::locks::test_and_set::Takes;
use refmap_systems::locks::ticket::Counters;
use refmap_systems::stacks::treiber::Reuses;

fn asked(crowd: &impl Crowd, views: Option<usize>) -> Report {
    let settings = Settings {
        search: Search::AnyNumber { views },
        ..Settings::default()
    };
    check_any_number(crowd, &settings).expect("it is a crowd")
}

/// Asserts that a crowd holds for every number, and with one to `most` members.
fn assert_holds(crowd: &impl Crowd, views: usize, most: usize) {
    let report = asked(crowd, None);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let found = report.every_number.expect("it is asked for");
    assert_eq!(found.view_members, views);
    for members in 1..=most {
        let report = check(&crowd.instance(members), &Settings::default());
        let report = report.expect("it can be checked");
        assert_eq!(report.violated().count(), 0, "{members}: {report}");
        assert!(report.complete);
    }
}

/// Asserts that a crowd fails with so many members, and with no fewer, and that it is said of no number that it holds.
fn assert_fails(crowd: &impl Crowd, members: usize) {
    for fewer in 1..=members {
        let report = check(&crowd.instance(fewer), &Settings::default());
        let report = report.expect("it can be checked");
        let fails = report.violated().next() == Some("simulation");
        assert_eq!(fails, fewer == members, "{fewer}: {report}");
    }
    for views in [None, Some(members), Some(members + 1)] {
        let report = asked(crowd, views);
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        let shown = report.counterexample.as_ref().expect("it is shown");
        assert_eq!(shown.obligation, "simulation");
    }
    let found = asked(crowd, Some(members)).every_number;
    let found = found.expect("it is asked for");
    assert_eq!(found.failed_with, Some(members));
}

#[test]
fn a_flag_that_is_tested_and_set_at_once_excludes_any_number() {
    assert_holds(&AnyTestAndSet(Takes::AtOnce), 2, 5);
    assert_fails(&AnyTestAndSet(Takes::InTwoSteps), 2);
}

#[test]
fn tickets_without_end_exclude_any_number() {
    let report = asked(&AnyTicketLock(Counters::Unbounded), None);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // Safe for two threads, and not for three.
    assert_fails(&AnyTicketLock(Counters::Bits), 3);
}

/// That there is someone who closes the door is not shown by views.
#[test]
fn of_a_waiting_room_views_do_not_tell() {
    for views in [1, 2] {
        let report = asked(&AnySzymanski(Omits::Nothing), Some(views));
        assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
        let shown = report.counterexample.as_ref().expect("it is shown");
        assert!(shown.by_views);
    }
    for threads in 1..=4 {
        let instance = AnySzymanski(Omits::Nothing).instance(threads);
        let report = check(&instance, &Settings::default()).expect("it can be checked");
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
    for omits in [Omits::Lower, Omits::Higher] {
        assert_fails(&AnySzymanski(omits), 2);
    }
}

#[test]
fn a_stack_takes_any_number_of_threads() {
    let stack = |reuses| AnyTreiber { nodes: 2, reuses };
    assert_holds(&stack(Reuses::Unreferenced), 2, 3);
    assert_fails(&stack(Reuses::Freed), 2);
}

#[test]
#[ignore = "a minute"]
fn slow_a_stack_of_three_nodes_takes_any_number_of_threads() {
    let stack = AnyTreiber {
        nodes: 3,
        reuses: Reuses::Unreferenced,
    };
    assert_holds(&stack, 2, 2);
}
