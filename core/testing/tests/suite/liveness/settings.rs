//! Liveness is decided on the recorded graph, and holds on the complete one alone.

use refmap::explore::{Limits, Order, Storage};
use refmap::obligation::{CheckError, Liveness, Search, Selection};
use refmap::random::Walks;
use refmap::{AbstractSteps, Fairness, Property, Refinement, Settings, Verdict, check};
use refmap_testing::{Machine, Via, Whole, itself};

use super::{fair, server};

fn asked() -> Settings<'static> {
    Settings {
        liveness: Liveness::Included,
        ..Settings::default()
    }
}

#[test]
fn it_is_chosen_by_name() {
    let mut refinement = server();
    fair(
        &mut refinement,
        &[Fairness::weak("the server goes on", ["serve"])],
    );
    for name in ["leads-to", "leads-to:served"] {
        let settings = Settings {
            obligations: Selection::only([name]),
            ..Settings::default()
        };
        let report = check(&refinement, &settings).unwrap();
        assert_eq!(report.obligations.len(), 1);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
}

/// A light that goes on and off, of which the states are kept whole.
fn light() -> Via<Whole, Whole> {
    let next = |state: &Whole| vec![(("switch", 0), Whole(1 - state.0))];
    let machine = Machine::new(&[("switch", "light")], [Whole(0)], next, |_| 0);
    let mut refinement = itself(machine);
    let is_on = |state: &Whole| state.0 == 1;
    let is_off = |state: &Whole| state.0 == 0;
    refinement.liveness = vec![Property::leads_to("served", "a test", is_on, is_off)];
    refinement
}

fn assert_refused(refinement: &impl Refinement, settings: &Settings<'_>) {
    let named = Settings {
        obligations: Selection::only(["leads-to"]),
        ..settings.clone()
    };
    let refused = check(refinement, &named).expect_err("it cannot be decided");
    assert!(
        matches!(refused, CheckError::Unsupported { .. }),
        "{refused}"
    );
    let report = check(refinement, settings).expect("the settings fit");
    let row = report.obligation("leads-to:served").expect("it is listed");
    assert_eq!(row.verdict, Verdict::Incomplete, "{report}");
    assert!(
        row.note
            .as_deref()
            .expect("it says why")
            .starts_with("not evaluated: "),
        "{report}"
    );
}

#[test]
fn it_is_refused_where_the_graph_is_not_kept() {
    let fingerprints = Settings {
        storage: Storage::Fingerprints,
        ..asked()
    };
    assert_refused(&light(), &fingerprints);
    let depth_first = Settings {
        order: Order::DepthFirst,
        ..asked()
    };
    assert_refused(&server(), &depth_first);
    let mut bounded = server();
    bounded.implementation.bound = Some("each loop once");
    let report = check(&bounded, &asked()).unwrap();
    let row = report.obligation("leads-to:served").unwrap();
    assert_eq!(row.verdict, Verdict::Incomplete, "{report}");
}

#[test]
fn it_is_incomplete_where_the_search_is() {
    let limited = Settings {
        limits: Limits {
            states: Some(2),
            ..Limits::default()
        },
        ..asked()
    };
    let walks = Settings {
        search: Search::Walks(Walks {
            walks: 3,
            steps: 5,
            seed: 0,
        }),
        ..asked()
    };
    for settings in [limited, walks] {
        let report = check(&server(), &settings).unwrap();
        let row = report.obligation("leads-to:served").unwrap();
        assert_eq!(row.verdict, Verdict::Incomplete, "{report}");
        assert_ne!(report.verdict, Some(Verdict::Holds));
    }
}

/// States 0, 2 and 1 are expanded, and from 1 the clock leads to a state for which there is no room.
#[test]
fn a_part_of_the_graph_shows_a_violation_and_never_that_it_holds() {
    let limited = Settings {
        limits: Limits {
            states: Some(3),
            ..Limits::default()
        },
        ..asked()
    };
    let verdict = |conditions: &[Fairness]| {
        let mut refinement = server();
        fair(&mut refinement, conditions);
        let report = check(&refinement, &limited).unwrap();
        assert!(report.limit.is_some(), "{report}");
        report.obligation("leads-to:served").unwrap().verdict
    };
    assert_eq!(verdict(&[]), Verdict::Violated);
    assert_eq!(
        verdict(&[Fairness::weak("serves", ["serve"])]),
        Verdict::Incomplete
    );
    // It is violated, and by states of which one is not known: the clock is enabled where the client waits.
    assert_eq!(
        verdict(&[Fairness::weak("ticks", ["tick"])]),
        Verdict::Incomplete
    );
}

/// A step answered by several abstract steps, or none, is no matter; a wrong answer is.
#[test]
fn fairness_through_a_mapping_that_is_none_is_not_evaluated() {
    let mut refinement = server();
    refinement.specification.fairness = vec![Fairness::weak("serves", ["serve"])];
    refinement.abstract_steps = |_, _, _| AbstractSteps::Stutter;
    let settings = Settings {
        until: refmap::obligation::Until::End,
        ..asked()
    };
    let report = check(&refinement, &settings).unwrap();
    let row = report.obligation("fairness:serves").unwrap();
    assert_eq!(row.verdict, Verdict::Incomplete, "{report}");
    let row = report.obligation("leads-to:served").unwrap();
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
}
