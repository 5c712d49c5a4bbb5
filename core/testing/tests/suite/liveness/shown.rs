//! Lassos in reports.

use refmap::{Fairness, Property, Verdict, compose};
use refmap_testing::{assert_explained, assert_verdict, row_of};

use super::{fair, live, server};

#[test]
fn a_behaviour_may_stop_where_no_fairness_is_stated() {
    let report = live(&server());
    let row = row_of(&report, "leads-to:served");
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    let shown = &row.counterexamples[0];
    assert_eq!((shown.length, shown.loop_start), (1, Some(1)));
    let text = report.to_string();
    assert!(
        text.contains("leads-to:served fails: after 1 step nothing happens any more"),
        "{text}"
    );
    assert!(
        text.contains("from here on nothing happens any more"),
        "{text}"
    );
    assert!(!text.contains("which is fair"), "{text}");
    assert_eq!(shown.itf(&report)["loop"], 1);
    assert!(shown.dot(&report).contains("s1 -> s1 [label=\"for ever\""));
    assert!(
        shown
            .mermaid(&report)
            .contains("for ever nothing happens any more")
    );
}

#[test]
fn a_clock_that_ticks_serves_no_client() {
    let mut refinement = server();
    fair(
        &mut refinement,
        &[Fairness::weak("the clock ticks", ["tick"])],
    );
    let report = live(&refinement);
    let shown = &row_of(&report, "leads-to:served").counterexamples[0];
    assert_eq!((shown.length, shown.loop_start), (3, Some(1)));
    assert_eq!(shown.steps[3].state, shown.steps[1].state);
    assert_eq!(shown.fairness.len(), 1);
    let text = report.to_string();
    assert!(text.contains("from here on, again and again:"), "{text}");
    assert!(text.contains("which is state 1 again"), "{text}");
    assert!(
        text.contains("weak the clock ticks: it is taken by step 2"),
        "{text}"
    );
    assert_eq!(shown.itf(&report)["loop"], 2);
    assert!(shown.dot(&report).contains("s2 -> s1 "));
    assert!(!shown.dot(&report).contains("s3"));
    let mermaid = shown.mermaid(&report);
    let [begins, ends] = ["loop for ever", "\n    end"].map(|part| mermaid.find(part));
    assert!(begins.is_some() && begins < ends, "{mermaid}");
    let json = serde_json::to_value(shown).unwrap();
    assert_eq!(json["fairness"][0]["strength"], "weak");
}

#[test]
fn fairness_of_the_server_serves() {
    let mut refinement = server();
    fair(
        &mut refinement,
        &[Fairness::weak("the server goes on", ["serve"])],
    );
    let report = live(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    let row = row_of(&report, "leads-to:served");
    assert_eq!((row.verdict, row.checked), (Verdict::Holds, 4));
}

/// The implementation has to show the specification's fairness.
#[test]
fn fairness_of_the_specification_is_an_obligation() {
    let promised = Fairness::weak("serves", ["serve"]);
    let mut refinement = server();
    refinement.specification.fairness = vec![promised.clone()];
    let report = live(&refinement);
    assert_explained(
        &report,
        "fairness:serves",
        "`serves` from some time on is enabled",
    );
    fair(&mut refinement, &[promised]);
    let report = live(&refinement);
    assert_verdict(&report, "fairness:serves", Verdict::Holds);
}

/// Strong fairness follows from weak fairness where the action stays enabled until it is taken, and not otherwise.
#[test]
fn weak_fairness_shows_strong_fairness_where_the_action_stays_enabled() {
    let mut refinement = server();
    refinement.specification.fairness = vec![Fairness::strong("serves", ["serve"])];
    fair(
        &mut refinement,
        &[Fairness::weak("the server goes on", ["serve"])],
    );
    assert_eq!(live(&refinement).verdict, Some(Verdict::Holds));
    // A server that serves on even ticks only.
    let next = |state: &u8| {
        let all = server().specification.next;
        let steps = all(state).into_iter();
        steps
            .filter(|(action, _)| action.0 != "serve" || state & 2 == 0)
            .collect()
    };
    refinement.implementation.next = next;
    refinement.specification.next = next;
    let report = live(&refinement);
    assert_verdict(&report, "fairness:serves", Verdict::Violated);
    assert_verdict(&report, "leads-to:served", Verdict::Violated);
    let strong = Fairness::strong("the server goes on", ["serve"]);
    fair(
        &mut refinement,
        &[strong.clone(), Fairness::weak("the clock ticks", ["tick"])],
    );
    let report = live(&refinement);
    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    // A clock may stop where the server does not serve, and nothing of the server's condition forbids it.
    fair(&mut refinement, &[strong]);
    let report = live(&refinement);
    assert_verdict(&report, "fairness:serves", Verdict::Holds);
    assert_verdict(&report, "leads-to:served", Verdict::Violated);
}

#[test]
fn a_property_that_holds_because_the_system_stops_says_so() {
    let mut refinement = server();
    refinement.implementation.next = |state| match state {
        0 => vec![(("ask", 0), 1)],
        1 => vec![(("serve", 0), 2)],
        _ => Vec::new(),
    };
    refinement.specification.next = refinement.implementation.next;
    refinement.implementation.may_stop = |_| true;
    fair(
        &mut refinement,
        &[Fairness::weak("goes on", ["ask", "serve"])],
    );
    let report = live(&refinement);
    let row = row_of(&report, "leads-to:served");
    assert_eq!(row.verdict, Verdict::Holds, "{report}");
    assert_eq!(
        row.note.as_deref(),
        Some("every fair behaviour ends where the system stops")
    );
}

#[test]
fn a_composition_has_the_properties_of_both() {
    let (mut upper, mut lower) = (server(), server());
    upper
        .liveness
        .push(Property::always_eventually("idle", "", |s: &u8| s & 1 == 0));
    fair(
        &mut lower,
        &[Fairness::weak("the server goes on", ["serve"])],
    );
    let report = live(&compose(upper, lower));
    for name in [
        "leads-to:served",
        "leads-to:above.served",
        "always-eventually:idle",
    ] {
        assert_verdict(&report, name, Verdict::Holds);
    }
}
