//! Liveness is decided on the recorded graph, and holds on the complete one alone.

use refmap::{AbstractSteps, Fairness, Settings, Verdict};
use refmap_testing::{
    assert_verdict, checked, only, up_to_states, verdict_on, walking, with_liveness,
};

use super::{fair, server};

fn asked() -> Settings<'static> {
    with_liveness()
}

#[test]
fn it_is_chosen_by_name() {
    let mut refinement = server();
    fair(
        &mut refinement,
        &[Fairness::weak("the server goes on", ["serve"])],
    );
    for name in ["leads-to", "leads-to:served"] {
        let settings = only([name]);
        let report = checked(&refinement, &settings);
        assert_eq!(report.obligations.len(), 1);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
}

#[test]
fn it_is_incomplete_where_the_search_is() {
    let limited = Settings {
        limits: up_to_states(2),
        ..asked()
    };
    let walks = Settings {
        search: walking(3, 5, 0),
        ..asked()
    };
    for settings in [limited, walks] {
        let report = checked(&server(), &settings);
        assert_verdict(&report, "leads-to:served", Verdict::Incomplete);
        assert_ne!(report.verdict, Some(Verdict::Holds));
    }
}

/// States 0, 2 and 1 are expanded, and from 1 the clock leads to a state for which there is no room.
#[test]
fn a_part_of_the_graph_shows_a_violation_and_never_that_it_holds() {
    let limited = Settings {
        limits: up_to_states(3),
        ..asked()
    };
    let verdict = |conditions: &[Fairness]| {
        let mut refinement = server();
        fair(&mut refinement, conditions);
        let report = checked(&refinement, &limited);
        assert!(report.limit.is_some(), "{report}");
        verdict_on(&report, "leads-to:served")
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
    refinement.abstract_steps = Box::new(|_, _, _| AbstractSteps::Stutter);
    let settings = Settings {
        until: refmap::obligation::Until::End,
        ..asked()
    };
    let report = checked(&refinement, &settings);
    assert_verdict(&report, "fairness:serves", Verdict::Incomplete);
    assert_verdict(&report, "leads-to:served", Verdict::Violated);
}
