//! Vacuous statements are told.

use refmap::{Fairness, Property, Settings, Verdict, check};
use refmap_testing::row_of;

use super::{fair, live, server};

#[test]
fn a_premise_that_never_holds_fails() {
    let mut refinement = server();
    refinement.liveness = vec![Property::leads_to(
        "never",
        "",
        |s: &u8| *s > 9,
        |s: &u8| *s == 0,
    )];
    let report = live(&refinement);
    let row = row_of(&report, "leads-to:never");
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
    let report = live(&refinement);
    let row = row_of(&report, "fairness:naps");
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

/// However it is stated: on a rule that has no step, on one whose steps change nothing, of a process that takes none of its
/// steps.
#[test]
fn each_condition_that_assumes_nothing_is_told() {
    let mut refinement = server();
    let rules = [("nap", "server"), ("blink", "server")];
    let further = rules.map(|(name, process)| refmap::Rule::new(name, process, "a test"));
    refinement.implementation.rules.extend(further);
    refinement.implementation.next = |state| {
        let mut steps = (server().specification.next)(state);
        steps.push((("blink", 0), *state));
        steps
    };
    refinement.specification.rules = refinement.implementation.rules.clone();
    refinement.specification.next = refinement.implementation.next;
    refinement.implementation.number_of = |action| (action.0 == "serve").then_some(300);
    refinement.specification.number_of = refinement.implementation.number_of;
    let stated = |rule: &'static str, of: Option<u16>| {
        [Fairness::weak, Fairness::strong].map(|new| {
            let one: fn(String, [&'static str; 1]) -> Fairness = new;
            let name = |how: &str| format!("{rule} {how} {of:?}");
            match of {
                None => [
                    one(name("each"), [rule]),
                    one(name("jointly"), [rule]).jointly(),
                ],
                Some(process) => ["of", "again of"].map(|how| one(name(how), [rule]).of(process)),
            }
        })
    };
    let idle = ["nap", "blink"].map(|rule| stated(rule, None));
    let absent = [0, 44, 299, 301].map(|process| stated("serve", Some(process)));
    let takes_steps = stated("serve", None)
        .into_iter()
        .chain(stated("serve", Some(300)));
    let idle: Vec<Fairness> = idle.into_iter().chain(absent).flatten().flatten().collect();
    for (conditions, told) in [(idle, true), (takes_steps.flatten().collect(), false)] {
        for condition in conditions {
            fair(&mut refinement, std::slice::from_ref(&condition));
            let report = live(&refinement);
            let about = format!("the fairness condition `{}` of the impl", condition.name());
            let mut warnings = report.warnings.iter();
            let is_told = warnings.any(|warning| warning.text.starts_with(&about));
            assert_eq!(is_told, told, "{condition:?}: {report}");
        }
    }
}

#[test]
fn properties_that_were_not_asked_for_are_named() {
    let mut refinement = server();
    refinement.specification.fairness = vec![Fairness::weak("serves", ["serve"])];
    let report = check(&refinement, &Settings::default()).unwrap();
    assert_eq!(report.not_asked, ["fairness:serves", "leads-to:served"]);
    assert_eq!(report.verdict, Some(Verdict::Holds));
    let text = report.to_string();
    let line = "not asked for: fairness:serves, leads-to:served; asking for liveness decides them";
    assert!(text.contains(line), "{text}");
    assert!(live(&refinement).not_asked.is_empty());
}
