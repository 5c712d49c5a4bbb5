//! What says nothing is told.

use refmap::obligation::CheckError;
use refmap::{Fairness, Property, Settings, Verdict, check};

use super::{checked, fair, server};

#[test]
fn a_premise_that_never_holds_fails() {
    let mut refinement = server();
    refinement.liveness = vec![Property::leads_to(
        "never",
        "",
        |s: &u8| *s > 9,
        |s: &u8| *s == 0,
    )];
    let report = checked(&refinement);
    let row = report.obligation("leads-to:never").unwrap();
    assert_eq!(row.verdict, Verdict::Violated, "{report}");
    assert_eq!(
        row.counterexamples[0].explanation,
        "vacuous: the premise holds in no state that is reached"
    );
}

#[test]
fn a_condition_that_is_enabled_nowhere_is_told() {
    let mut refinement = server();
    refinement
        .implementation
        .rules
        .push(refmap::Rule::new("nap", "server", "a test"));
    refinement.specification.rules = refinement.implementation.rules.clone();
    fair(
        &mut refinement,
        &[
            Fairness::weak("the server goes on", ["serve"]),
            Fairness::weak("naps", ["nap"]),
        ],
    );
    refinement.specification.fairness = vec![Fairness::strong("naps", ["nap"])];
    let report = checked(&refinement);
    let row = report.obligation("fairness:naps").unwrap();
    assert_eq!(row.verdict, Verdict::Incomplete, "{report}");
    assert_eq!(
        row.note.as_deref(),
        Some("vacuous: its action is enabled in no mapped state")
    );
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
    let warnings: Vec<_> = report
        .warnings
        .iter()
        .map(|warning| &*warning.text)
        .collect();
    let expected = "the fairness condition `naps` of the implementation is on an action that is enabled nowhere: it \
                    assumes nothing";
    assert!(warnings.contains(&expected), "{report}");
}

#[test]
fn properties_that_were_not_asked_for_are_named() {
    let mut refinement = server();
    refinement.specification.fairness = vec![Fairness::weak("serves", ["serve"])];
    let report = check(&refinement, &Settings::default()).unwrap();
    assert_eq!(report.not_asked, ["fairness:serves", "leads-to:served"]);
    assert_eq!(report.verdict, Some(Verdict::Holds));
    let text = report.to_string();
    let line = "not asked for: fairness:serves, leads-to:served; --liveness decides them";
    assert!(text.contains(line), "{text}");
    assert!(checked(&refinement).not_asked.is_empty());
}

#[test]
fn conditions_are_on_rules_that_are_there() {
    let refused = |conditions: &[Fairness]| {
        let mut refinement = server();
        fair(&mut refinement, conditions);
        check(&refinement, &Settings::default()).unwrap_err()
    };
    let unknown = refused(&[Fairness::weak("goes on", ["server"])]);
    assert_eq!(
        unknown.to_string(),
        "the fairness condition \"goes on\" names \"server\", which is no rule of its system (did you mean \"serve\"?)"
    );
    let none: [&str; 0] = [];
    assert!(matches!(
        refused(&[Fairness::weak("goes on", none)]),
        CheckError::FairnessOfNothing { .. }
    ));
    let twice = ["serve", "tick"].map(|rule| Fairness::weak("goes on", [rule]));
    assert!(matches!(
        refused(&twice),
        CheckError::DuplicateProperty { .. }
    ));
    let mut refinement = server();
    refinement.liveness.push(super::served());
    let twice = check(&refinement, &Settings::default()).unwrap_err();
    assert_eq!(twice.to_string(), "two are named \"leads-to:served\"");
}
