//! The claims of the catalogue come true: the small ones here, and all of them where `refmap` decides them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use refmap::explore::Limits;
use refmap::internal::TextOptions;
use refmap::obligation::{Induction, Search, Selection};
use refmap::report::{About, Step};
use refmap::{Settings, Verdict};
use refmap_checks::{NAME, catalogue};
use refmap_cli::catalogue::{Claim, InputError};
use refmap_cli::{Status, page};
use serde_json::Value;

use crate::browser::Pages;
use crate::has;

/// The warnings that claims have, which the page *What a verdict does not say* explains: the check, what a warning is
/// about, and a part of its text.
const EXPLAINED: [(&str, About, &str); 14] = [
    ("yrc", About::SpecificationRule, "`load`"),
    ("yrc", About::SpecificationRule, "`take`"),
    ("yrc", About::SpecificationRule, "`pass`"),
    ("yrc-module", About::SpecificationRule, "`allocate`"),
    ("yrc-module", About::SpecificationRule, "`load`"),
    ("yrc-module", About::SpecificationRule, "`pass`"),
    ("yrc-module", About::SpecificationRule, "`store`"),
    ("broken", About::SpecificationRule, "`mutate`"),
    ("tso", About::SpecificationRule, "`commit`"),
    ("tso", About::SpecificationRule, "`load`"),
    ("broken", About::Specification, "it may allow everything"),
    ("broken", About::MayStop, "`may_stop`"),
    ("copying", About::Implementation, "does not speculate"),
    ("spin-lock", About::Implementation, "does not speculate"),
];

/// States of the claims that are decided here; the default run of `refmap` decides all of them, optimised.
const MOST_STATES: u64 = 600;

/// True of a claim that is decided from what a search reaches, and not from all type-correct states or views, which have tests of their own.
fn is_search(claim: &Claim) -> bool {
    claim.settings.induction == Induction::Omitted
        && !matches!(claim.settings.search, Search::AnyNumber { .. })
}

/// Decides the claims that have at most so many states, and looks at the page of each, or of a few: one of every other check. Returns how many
/// claims and how many pages there were, and the explained warnings that no claim has.
fn assert_they_come_true<'c>(
    claims: impl Iterator<Item = &'c Claim>,
    most_states: u64,
    few: bool,
) -> (usize, usize, Vec<(&'static str, About, &'static str)>) {
    let catalogue = catalogue();
    let settings = Settings {
        limits: Limits {
            states: Some(most_states),
            ..Limits::default()
        },
        ..Settings::default()
    };
    let (mut decided, mut failures) = (0, Vec::new());
    let mut unused = EXPLAINED.to_vec();
    let mut pages = Pages::new();
    let mut has_page = BTreeSet::new();
    for claim in claims.filter(|claim| claim.expect.states.is_none_or(|of| of <= most_states)) {
        let report = catalogue.run(claim, &settings);
        let report = report.expect("it can be decided");
        if report.limit.is_some() && claim.settings.limits == Limits::default() {
            continue;
        }
        decided += 1;
        if let Some(found) = &report.counterexample {
            // A side condition speaks of the system without the variable, which has no mapping.
            let has_levels = !found.obligation.starts_with("auxiliary:");
            let is_drawn = |step: &Step| {
                step.picture.is_some() && (step.abstract_picture.is_some() || !has_levels)
            };
            if !found.steps.iter().all(is_drawn) {
                failures.push(format!(
                    "{}: a step is not drawn on both levels",
                    claim.command
                ));
            }
            let is_first = has_page.insert(&claim.check);
            if !few || is_first && has_page.len() % 2 == 1 {
                pages.add(&page(&report, &format!("{NAME} {}", claim.command)));
            }
        }
        for warning in &report.warnings {
            let is_it = |(check, about, part): &(&str, About, &str)| {
                claim.check == *check && warning.about == *about && warning.text.contains(part)
            };
            unused.retain(|explained| !is_it(explained));
            if !EXPLAINED.iter().any(is_it) {
                failures.push(format!("{}: {}", claim.command, warning.text));
            }
        }
        for difference in claim.differences(&report) {
            failures.push(format!("{}: {difference}", claim.command));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    pages.look();
    (decided, pages.count(), unused)
}

#[test]
fn every_small_claim_comes_true() {
    let claims = catalogue().claims().expect("each row is a claim");
    let small = claims.iter().filter(|claim| is_search(claim));
    let (decided, shown, _) = assert_they_come_true(small, MOST_STATES, true);
    assert!(decided > 80 && shown > 10, "{decided} {shown}");
}

/// Claims of a million states and more are for the default run of `refmap`.
#[test]
#[ignore = "some minutes"]
fn slow_every_claim_comes_true() {
    let claims = catalogue().claims().expect("each row is a claim");
    let (decided, shown, unused) = assert_they_come_true(claims.iter(), 1_000_000, false);
    assert!(decided > 140 && shown > 70, "{decided} {shown}");
    assert_eq!(unused, [], "explained, and not told");
}

/// Nor does any cell of a table differ from what is recorded, or from what was published. The default run of `refmap` decides them, too.
#[test]
#[ignore = "half a minute"]
fn slow_every_cell_comes_true() {
    let catalogue = catalogue();
    let (mut cells, mut failures) = (0, Vec::new());
    for (table, _) in catalogue.published() {
        let check = catalogue.check(table.check).expect("it is there");
        let decided = table.decide(check, &Settings::default(), |row| {
            let row = row.cells().expect("the table is a published one");
            for cell in &row.cells {
                cells += 1;
                if !cell.is_as_claimed() || cell.agrees() == Some(false) {
                    failures.push(format!("{}: {:?}: {cell:?}", table.name, row.given));
                }
            }
            Ok::<_, InputError>(true)
        });
        decided.expect("the table fits its check");
    }
    assert!(cells > 500, "{cells}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A claim is not met by another verdict, another obligation, another length or another count.
#[test]
fn a_claim_that_is_wrong_is_noticed() {
    let catalogue = catalogue();
    let mut claim = catalogue.claims().expect("each row is a claim").remove(0);
    let check = catalogue.check(&claim.check).expect("it is there");
    let arguments = check.arguments("--nodes 1 --sons 1 --figure-14 as-printed");
    claim.arguments = arguments.expect("they are in range");
    let report = catalogue.run(&claim, &Settings::default()).unwrap();
    let differences = claim.differences(&report).join("; ");
    for expected in [
        "verdict: expected holds, found violated",
        "states:",
        "transitions:",
    ] {
        has(&differences, expected);
    }
    let mut right = claim.clone();
    right.expect.verdict = Verdict::Violated;
    (right.expect.states, right.expect.transitions) = (None, None);
    assert_eq!(right.differences(&report), Vec::<String>::new());
    right.expect.length = Some(22);
    right.expect.by = Some("agency".to_owned());
    right.expect.also = vec!["deadlock".to_owned()];
    assert_eq!(right.differences(&report).len(), 3);
}

/// Every refinement that is claimed to hold has an instance at which all its rules fire and all its
/// premises are true. (The module of YRC is not: that most of its rules never fire is the finding.)
#[test]
fn every_refinement_is_exercised_in_full_somewhere() {
    let catalogue = catalogue();
    let all = catalogue.claims().expect("each row is a claim");
    let mut held = 0;
    for check in &catalogue.checks {
        let claims = || all.iter().filter(|claim| claim.check == check.name);
        let holds = |claim: &Claim| {
            claim.expect.verdict == Verdict::Holds
                && claim.settings.obligations == Selection::Default
        };
        if claims().any(holds) {
            assert!(
                claims().any(|claim| claim.expect.all_exercised),
                "{}",
                check.name
            );
            held += 1;
        }
    }
    assert!(held >= 5);
}

#[test]
fn the_page_of_claims_lists_the_published_tables() {
    let catalogue = catalogue();
    assert_eq!(catalogue.published().count(), 3);
    for (table, _) in catalogue.published() {
        let row = format!("\n| `{NAME} table {}` |", table.name);
        assert!(catalogue.claims.contains(&row), "{row}");
    }
}

/// Every row can be decided as it is stated.
#[test]
fn every_claim_is_valid() {
    let valid = catalogue().validate();
    assert!(valid.is_ok(), "{valid:?}");
}

/// Status and output of the default run on three small claims, the second of which is wrong.
fn everything(words: &str, cancelled: bool) -> (Status, Value) {
    let mut catalogue = catalogue();
    catalogue.tables.clear();
    catalogue.claims = "\
| claim | expected | source |
|---|---|---|
| `refmap check yrc-module --objects 2 --obligations simulation,invariant` | holds, 8 states | a test: it is so |
| `refmap check yrc-module --threads 2 --obligations simulation,invariant` | holds, 1 state | a test: it is wrong |
| `refmap check copying --protocol clover-fix --memory sc --scenario wr` | holds, 113 states | a test: it is so |
"
    .to_owned();
    let words = ["refmap", "--json"]
        .into_iter()
        .chain(words.split_whitespace());
    let mut output = Vec::new();
    let status = refmap_cli::run(
        "refmap",
        "",
        &catalogue,
        words.map(OsString::from),
        &AtomicBool::new(cancelled),
        TextOptions::default(),
        &mut output,
    );
    let printed = serde_json::from_slice(&output).expect("it is JSON");
    (status.expect("it is carried out"), printed)
}

/// Rows are in the catalogue's order and say the same, however many workers there are; a claim that is
/// wrong is counted, and shown in the status.
#[test]
fn the_default_run_is_the_same_with_any_number_of_workers() {
    let rows = |words| {
        let (status, mut printed) = everything(words, false);
        assert_eq!(status, Status::Violated);
        assert_eq!(
            (&printed["as_claimed"], &printed["otherwise"]),
            (&2.into(), &1.into())
        );
        let mut rows = printed["claims"].take();
        for row in rows.as_array_mut().expect("rows") {
            for measured in ["seconds", "peak_memory_bytes"] {
                row["report"][measured].take();
            }
        }
        rows
    };
    let one = rows("--threads 1");
    let as_claimed = [&one[0], &one[1], &one[2]].map(|row| row["as_claimed"].clone());
    assert_eq!(as_claimed, [true, false, true].map(Value::from));
    assert_eq!(rows("--threads 3"), one);
}

#[test]
fn what_was_not_run_is_said() {
    let (status, printed) = everything("--threads 2", true);
    assert_eq!(status, Status::Incomplete);
    assert_eq!(printed["not_run"], 3);
}

/// Rules not counted where steps are joined are called neither unexercised nor exercised.
#[test]
fn coverage_that_is_not_counted_is_said_to_be_unknown() {
    let catalogue = catalogue();
    let check = catalogue.check("tso").expect("it is there");
    let unexercised = |granularity: &str| {
        let given = format!("--references 1 --granularity {granularity}");
        let given = check.arguments(&given).expect("they are in range");
        let report = check.run(&given, &Settings::default());
        report.expect("it can be checked").unexercised
    };
    let reduced = unexercised("reduced");
    let rules = reduced.iter().filter(|name| name.starts_with("rule:"));
    let rules: Vec<_> = rules.collect();
    assert_eq!(rules.len(), 1, "{reduced:?}");
    assert!(rules[0].starts_with("rule:* (unknown: "), "{reduced:?}");
    assert!(unexercised("coarse").iter().all(|name| !name.contains('*')));
}
