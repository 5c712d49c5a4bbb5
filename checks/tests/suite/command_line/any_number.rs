//! Every number of members on the command line.

use refmap::Settings;
use refmap_checks::catalogue;

use crate::has;
use crate::program::{each_is_refused, json, refmap, status, text};

#[test]
fn a_lock_holds_for_every_number_of_threads() {
    let output = refmap("check ticket-lock --counters unbounded --any-number-of threads");
    assert_eq!(status(&output), 0);
    let shown = text(&output.stdout);
    has(&shown, "holds for every number of threads (views of 2)");
    let report = json("check treiber-stack --any-number-of threads --json");
    assert_eq!(report["verdict"], "holds");
    assert_eq!(report["evidence"], "views");
    assert_eq!(report["parameters"]["nodes"], 2);
    assert!(report["parameters"].get("threads").is_none(), "{report}");
    let found = &report["every_number"];
    assert_eq!(found["members"], "threads");
    assert_eq!(found["bounds"], "2 nodes");
    assert_eq!(
        (&found["view_members"], &found["configuration_members"]),
        (&1.into(), &2.into())
    );
}

/// A state that views cannot exclude is shown, and is no violation.
#[test]
fn what_is_unknown_exits_with_3() {
    let command = "check szymanski --any-number-of threads --views 1";
    let output = refmap(command);
    assert_eq!(status(&output), 3);
    let shown = text(&output.stdout);
    for part in [
        "unknown for every number of threads (views of 1), simulation fails after 1 step from a state that",
        "in a state that views leave",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let report = json(&format!("{command} --json"));
    assert_eq!(report["verdict"], "incomplete");
    let found = &report["counterexample"];
    assert_eq!(
        (&found["reachable"], &found["by_views"]),
        (&false.into(), &true.into())
    );
    let output = refmap(&format!("{command} --max-states 2"));
    assert_eq!(status(&output), 3);
}

/// A violation with few members is one of the crowd.
#[test]
fn what_few_members_violate_exits_with_1() {
    let output = refmap("check ticket-lock --counters bits --any-number-of threads");
    assert_eq!(status(&output), 1);
    let shown = text(&output.stdout);
    has(
        &shown,
        "violated with 3 threads, simulation fails after 5 steps",
    );
}

#[test]
fn what_cannot_be_asked_is_refused() {
    each_is_refused(
        "check ",
        "
szymanski --any-number-of nodes => szymanski can be checked for any number of threads
ben-ari-1 --any-number-of mutators => this check is not declared as a crowd
tso --any-number-of mutators => --any-number-of is for
szymanski --views 2 => --any-number-of
szymanski --any-number-of threads --views 0 => 0 is not in 1..=6
szymanski --any-number-of threads --threads 3 => cannot be used with
szymanski --any-number-of threads --walks 3 => cannot be used with
szymanski --any-number-of threads --obligations deadlock => deadlock cannot be decided here
szymanski --any-number-of threads --symmetry full => `symmetry` is no setting of a check of every number of members",
    );
}

/// The members that a check names before it is built are those that it names afterwards.
#[test]
fn checks_name_the_members_that_they_have() {
    let catalogue = catalogue();
    let mut named = 0;
    for check in &catalogue.checks {
        let Ok(arguments) = check.arguments("") else {
            continue;
        };
        let Ok(built) = check.build(&arguments) else {
            continue;
        };
        assert_eq!(built.any_number_of(), check.any_number_of, "{}", check.name);
        assert!(built.declared(&Settings::default()).is_ok());
        named += usize::from(check.any_number_of.is_some());
    }
    assert!(named > 3, "{named}");
}
