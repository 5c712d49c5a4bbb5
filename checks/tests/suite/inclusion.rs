//! Inclusion of what is observed, without a mapping, agrees with the verdicts on mappings.

use std::collections::BTreeMap;

use refmap::Verdict;
use refmap::explore::{Limits, Watch};
use refmap::inclusion::{Evidence, Included, Inclusion};
use refmap_checks::catalogue;
use serde_json::Value;

/// States of either side above which a claim is left out.
const MOST_STATES: u64 = 3_000;

/// Compares the systems of a check with arguments as they are typed to a shell.
fn included(check: &str, arguments: &str, states: Option<u64>) -> Inclusion {
    let catalogue = catalogue();
    let check = catalogue.check(check).expect("it is a check");
    let arguments = check.arguments(arguments).expect("they are its arguments");
    let limits = Limits {
        states,
        ..Limits::default()
    };
    let inclusion = check.include(&arguments, limits, Watch::default());
    inclusion.expect("nothing panics")
}

/// A mapping that holds is an inclusion; what is not included has no mapping that holds.
#[test]
fn a_refinement_that_holds_is_an_inclusion() {
    let catalogue = catalogue();
    let claims = catalogue.claims().expect("each row is a claim");
    let mut decided: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    for claim in &claims {
        let check = catalogue.check(&claim.check).expect("it is a check");
        let limits = Limits {
            states: Some(MOST_STATES),
            ..Limits::default()
        };
        let inclusion = check.include(&claim.arguments, limits, Watch::default());
        let inclusion = inclusion.unwrap_or_else(|error| panic!("{}: {error}", claim.command));
        let holds = claim.expect.verdict == Verdict::Holds;
        match inclusion.verdict {
            Included::Incomplete => continue,
            Included::Included => {}
            Included::NotIncluded => assert!(!holds, "{}: {inclusion}", claim.command),
        }
        let numbers = decided.entry(&claim.check).or_default();
        numbers[usize::from(inclusion.verdict == Included::NotIncluded)] += 1;
    }
    let [included, refuted] = [0, 1].map(|at| decided.values().map(|one| one[at]).sum::<u32>());
    assert!(included > 20 && refuted > 3, "{decided:?}");
}

/// What is found of Ben-Ari's collector is the mapping of Havelund and Shankar [section 6.1]: without the variables of level 3.
#[test]
fn the_mapping_of_ben_aris_collector_is_found() {
    let inclusion = included("ben-ari-3", "--nodes 2 --sons 1 --roots 1", None);
    assert_eq!(inclusion.rung, Some(1));
    let Some(Evidence::Mapping { mapping }) = &inclusion.evidence else {
        panic!("{inclusion}");
    };
    println!(
        "{mapping}\n{}",
        serde_json::to_string_pretty(&Value::from(mapping.function())).unwrap()
    );
}
