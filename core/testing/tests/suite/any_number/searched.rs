//! Views are searched as states are: the same for any number of workers, on disk, and from a checkpoint.

use refmap::explore::{Limits, Start};
use refmap::internal::check_by_views;
use refmap::internal::explore::DiskError;
use refmap::obligation::CheckError;
use refmap::random::Generator;
use refmap::{Report, Settings};

use super::group::Rules;
use super::random::{Family, draw, few};
use crate::checkpoints::{checkpoints, folder};
use crate::comparison::timeless;
use crate::spilling::spilling;

const FAMILIES: [Family; 8] = [
    Family::Plain,
    Family::Waits,
    Family::Line,
    Family::Tickets,
    Family::Requests,
    Family::Names,
    Family::Together,
    Family::All,
];

fn told<const IN_LINE: bool>(rules: &Rules<IN_LINE>, settings: &Settings<'_>) -> Report {
    let report = check_by_views(rules, settings).expect("it is a crowd");
    Report {
        checkpoints: None,
        spilled: None,
        ..timeless(report)
    }
}

/// Compares the report of one worker with those of several, and with one on disk.
fn assert_same<const IN_LINE: bool>(rules: &Rules<IN_LINE>, views: Option<usize>) {
    let alone = Settings {
        threads: 1,
        ..few(views)
    };
    let report = told(rules, &alone);
    for threads in [2, 4] {
        let several = Settings {
            threads,
            ..alone.clone()
        };
        assert_eq!(told(rules, &several), report, "{threads}: {rules:?}");
    }
    let on_disk = folder();
    let spilled = Settings {
        spill: spilling(on_disk.path(), 0),
        ..alone
    };
    assert_eq!(told(rules, &spilled), report, "{rules:?}");
}

/// Ends a search at a limit, goes on, and compares its report with that of one which was never ended. True if the last of the searches
/// went on from a checkpoint; none if the limit was not reached.
fn resumed<const IN_LINE: bool>(
    rules: &Rules<IN_LINE>,
    views: Option<usize>,
    states: u64,
) -> Option<bool> {
    let whole = few(views);
    let kept = folder();
    let with = |start, settings: Settings<'static>| Settings {
        checkpoints: checkpoints(kept.path(), start),
        ..settings
    };
    let ended = with(
        Start::Anew,
        Settings {
            limits: Limits {
                states: Some(states),
                ..Limits::default()
            },
            ..whole.clone()
        },
    );
    let report = check_by_views(rules, &ended).expect("it is a crowd");
    report.limit.as_ref()?;
    let refused = check_by_views(rules, &ended).err();
    let is_occupied = |error: &CheckError| matches!(error, CheckError::Disk(error) if matches!(**error, DiskError::Occupied { .. }));
    assert!(refused.as_ref().is_some_and(is_occupied), "{refused:?}");
    let resumed = with(Start::Resumed, whole.clone());
    let report = check_by_views(rules, &resumed).expect("it is a crowd");
    let account = report
        .checkpoints
        .clone()
        .expect("there was to be an account");
    assert_eq!(account.folder, kept.path());
    assert_eq!(told(rules, &resumed), told(rules, &whole), "{rules:?}");
    Some(account.resumed_states.is_some())
}

#[test]
fn any_number_of_workers_says_the_same() {
    for family in FAMILIES {
        for seed in 0..12 {
            let rules = draw(&mut Generator::new(seed), family);
            let views = (seed % 2 == 0).then_some(2);
            if family.is_line() {
                assert_same(&rules.in_line(), views);
            } else {
                assert_same(&rules, views);
            }
        }
    }
}

#[test]
fn a_search_of_views_goes_on_from_a_checkpoint() {
    let mut gone_on = 0;
    for family in FAMILIES {
        for seed in 0..12 {
            let rules = draw(&mut Generator::new(seed), family);
            let views = (seed % 2 == 0).then_some(2);
            let states = [2, 5, 9, 20][seed as usize % 4];
            let resumed = if family.is_line() {
                resumed(&rules.in_line(), views, states)
            } else {
                resumed(&rules, views, states)
            };
            gone_on += u64::from(resumed == Some(true));
        }
    }
    assert!(gone_on > 3, "{gone_on}");
}

/// Questions that steps ask of others are met before the search ends at its limit, and decide whether another search follows.
#[test]
fn what_was_met_before_the_end_is_met_again() {
    for seed in [43, 55] {
        let rules = draw(&mut Generator::new(seed), Family::Plain);
        assert!(resumed(&rules, None, 3).is_some(), "{seed}");
    }
}

/// A search that was not begun does not go on.
#[test]
fn what_has_no_checkpoint_does_not_go_on() {
    let kept = folder();
    let rules = draw(&mut Generator::new(0), Family::Plain);
    let settings = Settings {
        checkpoints: checkpoints(kept.path(), Start::Resumed),
        ..few(Some(1))
    };
    let refused = check_by_views(&rules, &settings).expect_err("there is none");
    let CheckError::Disk(refused) = refused else {
        panic!("{refused}");
    };
    assert!(matches!(*refused, DiskError::NoCheckpoint { .. }));
}
