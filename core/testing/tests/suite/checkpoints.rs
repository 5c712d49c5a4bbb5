//! Checkpoints: a search that was ended at any moment and goes on says what one says that was never ended, to the byte.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use refmap::explore::{Checkpoints, Limit, Limits, Progress, Start, Storage, Watch, Watchdog};
use refmap::internal::explore::DiskError;
use refmap::obligation::{CheckError, Selection, Until};
use refmap::random::Generator;
use refmap::{Refinement, Report, Settings, TransitionSystem, Verdict, check};
use refmap_testing::{
    Go, Itself, checked, counter, itself, to_the_end, up_to_bytes, up_to_depth, up_to_seconds,
    up_to_states, walking,
};
use serde_json::json;
use tempfile::TempDir;

use crate::comparison::timeless;
use crate::resumed::ways;
use crate::spilling::fan;
use crate::table::random::{Size, draw};
use crate::walks::Starts;

pub fn checkpoints(folder: &Path, start: Start) -> Option<Checkpoints> {
    Some(Checkpoints {
        folder: folder.to_owned(),
        every: Duration::ZERO,
        start,
        label: json!("of a test"),
    })
}

/// A report without what differs where a search was ended.
pub fn without_account(report: Report) -> Report {
    let report = timeless(report);
    Report {
        checkpoints: None,
        spilled: None,
        ..report
    }
}

/// File system in memory, which has nothing to wait for when a file is written through to it.
const IN_MEMORY: &str = "/dev/shm";

pub fn folder() -> TempDir {
    let in_memory = tempfile::tempdir_in(IN_MEMORY);
    let folder = in_memory.or_else(|_| tempfile::tempdir());
    folder.expect("there is room for a folder")
}

/// Copies a folder as it is: what is left of a process that is killed.
pub fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().expect("a file has a name");
        fs::copy(&path, to.join(name)).expect("there is room for a file");
    }
}

/// A search that its user or a limit has ended goes on where it was, and says what one says that was never ended; with the same limit it says
/// the same once more. One that the limit on states ends has a checkpoint of the last wave that found room, though none was due.
#[test]
fn a_search_that_was_ended_goes_on() {
    let mut kept = [0; 3];
    for seed in 0..150 {
        let refinement = draw(seed, Size::Small);
        let mut generator = Generator::new(seed);
        let run = |settings: &Settings<'_>| checked(&refinement, settings);
        for way in ways() {
            let settings = |limits, checkpoints| Settings {
                limits,
                checkpoints,
                threads: 1 + seed as usize % 3,
                ..way.clone()
            };
            let unlimited = Limits::default;
            let whole = folder();
            let whole = checkpoints(whole.path(), Start::Anew);
            let whole = run(&settings(unlimited(), whole));
            let least = whole.initial_states + 1;
            if whole.depth < 2 || whole.states < least + 2 {
                continue;
            }
            let depth = 1 + generator.below(whole.depth as usize - 1) as u32;
            let few = least + seed % (whole.states - least - 1);
            let whole = without_account(whole);
            let cancel = AtomicBool::new(false);
            let progress = |progress: &Progress| {
                cancel.store(progress.depth >= depth, Ordering::Relaxed);
            };
            let ends = [Limit::Cancelled, Limit::Depth(depth), Limit::States(few)];
            for (limit, kept) in ends.into_iter().zip(&mut kept) {
                let told = format!("{seed} {:?} {limit}", way.storage);
                let (limits, every): (_, fn(&Path, Start) -> _) = match limit {
                    Limit::Depth(depth) => (up_to_depth(depth), checkpoints),
                    Limit::States(few) => (up_to_states(few), never_due),
                    _ => (unlimited(), checkpoints),
                };
                let ended = folder();
                let first = run(&Settings {
                    watch: Watch {
                        cancel: (limit == Limit::Cancelled).then_some(&cancel),
                        progress: Some(&progress),
                    },
                    ..settings(limits, every(ended.path(), Start::Anew))
                });
                if first.limit != Some(limit) {
                    // A violation came before.
                    continue;
                }
                let account = first.checkpoints.clone().expect("there is an account");
                if !ended.path().join("checkpoint").exists() {
                    assert!(account.ended.is_some(), "{told}");
                    continue;
                }
                *kept += 1;
                let resumed = |limits| {
                    let copied = folder();
                    copy(ended.path(), copied.path());
                    run(&settings(limits, every(copied.path(), Start::Resumed)))
                };
                let all = resumed(unlimited());
                let account_of_all = all.checkpoints.clone().expect("there is an account");
                let read = account_of_all.resumed_states.expect("it was resumed");
                assert_eq!(without_account(all), whole, "{told}");
                if limit == Limit::States(few) {
                    assert!(account.checkpoints == 1 && read <= few, "{told}");
                }
                if limit != Limit::Cancelled {
                    let again = without_account(resumed(limits));
                    assert_eq!(again, without_account(first), "{told}");
                }
            }
        }
    }
    assert!(kept.iter().all(|kept| *kept > 80), "{kept:?}");
}

/// Obligations that need the complete graph are not decided, and say so; all else is as without checkpoints.
#[test]
fn all_but_the_graph_is_decided_as_without_checkpoints() {
    let mut open = 0;
    for seed in 0..100 {
        let refinement = draw(seed, Size::Small);
        let kept = folder();
        let settings = to_the_end();
        let plain = checked(&refinement, &settings);
        let kept = checked(
            &refinement,
            &Settings {
                checkpoints: checkpoints(kept.path(), Start::Anew),
                ..settings
            },
        );
        assert_eq!(
            (
                plain.states,
                plain.transitions,
                plain.depth,
                &plain.coverage
            ),
            (kept.states, kept.transitions, kept.depth, &kept.coverage)
        );
        let of_graph = |name: &str| name.starts_with("environment");
        for row in &plain.obligations {
            let same = kept.obligations.iter().find(|other| other.name == row.name);
            match same {
                Some(same) if of_graph(&row.name) => {
                    let note = same.note.as_deref().unwrap_or_default();
                    open += u64::from(note.contains("checkpoints"));
                    assert_ne!(same.verdict, Verdict::Holds, "{seed}");
                }
                same => assert_eq!(Some(row), same, "{seed}"),
            }
        }
    }
    assert!(open > 50, "{open}");
}

/// A folder is refused with the reason, and left as it is.
#[test]
fn what_cannot_be_resumed_is_refused() {
    let refinement = draw(11, Size::Small);
    let settings = |folder: &Path, start| Settings {
        checkpoints: checkpoints(folder, start),
        until: Until::End,
        ..Settings::default()
    };
    let refused = |settings: &Settings<'_>| match check(&refinement, settings) {
        Err(CheckError::Disk(error)) => *error,
        other => panic!("{other:?}"),
    };
    let nothing = folder();
    let there = nothing.path().join("not-there");
    let error = refused(&settings(&there, Start::Resumed));
    assert!(matches!(error, DiskError::NoCheckpoint { .. }), "{error}");
    assert!(!there.exists());

    let used = folder();
    checked(&refinement, &settings(used.path(), Start::Anew));
    let error = refused(&settings(used.path(), Start::Anew));
    assert!(matches!(error, DiskError::Occupied { .. }), "{error}");

    let other_settings: [(&str, Settings<'_>); 3] = [
        (
            "the end",
            Settings {
                until: Until::FirstViolation,
                ..settings(used.path(), Start::Resumed)
            },
        ),
        (
            "the storage",
            Settings {
                storage: Storage::Whole,
                ..settings(used.path(), Start::Resumed)
            },
        ),
        (
            "the list of obligations",
            Settings {
                obligations: Selection::only(["deadlock"]),
                ..settings(used.path(), Start::Resumed)
            },
        ),
    ];
    for (expected, settings) in other_settings {
        match refused(&settings) {
            DiskError::Other { what, .. } => assert_eq!(what, expected),
            error => panic!("{expected}: {error}"),
        }
    }
    let foreign = folder();
    fs::write(foreign.path().join("thesis.tex"), "All of it.").expect("there is room");
    let error = refused(&settings(foreign.path(), Start::Anew));
    assert!(matches!(error, DiskError::Foreign { .. }), "{error}");
    assert_eq!(
        fs::read_dir(foreign.path()).expect("it is there").count(),
        1
    );

    let error = check(
        &refinement,
        &Settings {
            search: walking(1, 1, 0),
            ..settings(folder().path(), Start::Anew)
        },
    );
    assert_eq!(error, Err(CheckError::CheckpointsOfWalks));
}

/// A link is neither followed to be written to, nor to be read from.
#[cfg(unix)]
#[test]
fn a_link_in_the_folder_is_refused_by_its_name() {
    use std::os::unix::fs::symlink;
    let refinement = draw(11, Size::Small);
    let elsewhere = folder();
    let target = elsewhere.path().join("target");
    for (name, start) in [
        ("states", Start::Anew),
        ("checkpoint.next", Start::Anew),
        ("lock", Start::Anew),
        ("states", Start::Resumed),
        ("chunks", Start::Resumed),
        ("checkpoint", Start::Resumed),
    ] {
        let kept = folder();
        let path = kept.path().join(name);
        let settings = |start| Settings {
            checkpoints: checkpoints(kept.path(), start),
            until: Until::End,
            ..Settings::default()
        };
        fs::write(&target, "of somebody else").expect("there is room");
        if start == Start::Resumed {
            checked(&refinement, &settings(Start::Anew));
            // What it has is all right.
            fs::rename(&path, &target).expect("it is there");
        }
        let before = fs::read(&target).expect("it is there");
        symlink(&target, &path).expect("there is room");
        match check(&refinement, &settings(start)) {
            Err(CheckError::Disk(error)) => assert_eq!(*error, DiskError::NoFile { path }),
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(fs::read(&target).expect("it is there"), before, "{name}");
    }
}

/// A step less is found out by the sample, of whichever state of it.
#[test]
fn another_model_is_refused() {
    let mut refused = 0;
    let mut cases = 0;
    for seed in 0..60 {
        let refinement = draw(seed, Size::Small);
        let kept = folder();
        let settings = |start| Settings {
            checkpoints: checkpoints(kept.path(), start),
            until: Until::End,
            ..Settings::default()
        };
        checked(&refinement, &settings(Start::Anew));
        if !kept.path().join("checkpoint").exists() {
            continue;
        }
        let mut other = refinement.clone();
        // A step less of the first state, or of the one to which its first step leads.
        let initial = other.concrete.initial[0];
        let first = other.concrete.steps[initial].first().map(|(_, to)| *to);
        let changed = if seed % 2 == 0 { Some(initial) } else { first };
        if changed.is_none_or(|row| other.concrete.steps[row].pop().is_none()) {
            continue;
        }
        cases += 1;
        match check(&other, &settings(Start::Resumed)) {
            Err(CheckError::Disk(error)) if matches!(*error, DiskError::OtherModel { .. }) => {
                refused += 1;
            }
            other => panic!("{seed}: {other:?}"),
        }
    }
    assert!(refused == cases && cases > 20, "{refused} of {cases}");
}

/// A folder that is in use by one search is refused to another one.
#[test]
fn a_folder_is_of_one_search() {
    let refinement = draw(11, Size::Small);
    let kept = folder();
    let nested = Mutex::new(None);
    let settings = |progress| Settings {
        checkpoints: checkpoints(kept.path(), Start::Anew),
        watch: Watch {
            progress,
            cancel: None,
        },
        ..Settings::default()
    };
    let progress = |_: &_| {
        let inner = check(&draw(11, Size::Small), &settings(None));
        *nested.lock().expect("no holder of this lock panics") = Some(inner);
    };
    checked(&refinement, &settings(Some(&progress)));
    let nested = nested.into_inner().expect("no holder of this lock panics");
    let error = nested.expect("progress was reported");
    match error {
        Err(CheckError::Disk(error)) => assert!(matches!(*error, DiskError::InUse { .. })),
        other => panic!("{other:?}"),
    }
}

/// A counter whose initial states are shown with a panic after them.
struct Panicking {
    panics: bool,
}

impl TransitionSystem for Panicking {
    type State = u32;
    type Action = Go;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        visit(0);
        assert!(!self.panics, "no more initial states");
    }

    fn is_initial(&self, state: &u32) -> bool {
        *state == 0
    }

    fn fire(&self, _: &Go, state: &mut u32) -> Option<()> {
        *state = (*state + 1) % 50;
        Some(())
    }

    fn observe(&self, _: &u32) {}
}

/// A fault of a model is not kept, so that no search goes on without it; without the panic there are checkpoints.
#[test]
fn a_model_whose_initial_states_panic_has_no_checkpoint() {
    for panics in [true, false] {
        let kept = folder();
        let settings = Settings {
            checkpoints: checkpoints(kept.path(), Start::Anew),
            ..Settings::default()
        };
        let report = checked(&Itself(Panicking { panics }), &settings);
        let account = report.checkpoints.clone().expect("there is an account");
        assert_eq!(
            report.verdict == Some(Verdict::Violated),
            panics,
            "{report}"
        );
        assert_eq!(account.checkpoints == 0, panics, "{account:?}");
        assert_eq!(account.ended.is_some(), panics, "{account:?}");
        assert_eq!(kept.path().join("checkpoint").exists(), !panics);
    }
}

/// There are no more checkpoints after a fault of the model, and that is told, however long ago the last one was.
#[test]
fn no_checkpoint_comes_after_a_fault() {
    let hour = Duration::from_secs(3600);
    for (every, panics) in [(Duration::ZERO, true), (hour, true), (hour, false)] {
        let mut refinement = itself(counter());
        if panics {
            refinement.implementation.next = |n| {
                assert!(*n != 2, "two is too many");
                vec![(("tick", 0), (n + 1) % 4)]
            };
        }
        let kept = folder();
        let settings = Settings {
            checkpoints: checkpoints(kept.path(), Start::Anew).map(|checkpoints| Checkpoints {
                every,
                ..checkpoints
            }),
            until: Until::End,
            ..Settings::default()
        };
        let report = checked(&refinement, &settings);
        let account = report.checkpoints.expect("there is an account");
        let fault = "a function of the model has panicked, or the model contradicts itself";
        let ended = panics.then_some(fault);
        assert_eq!(account.ended.as_deref(), ended, "{every:?}");
    }
}
/// Checkpoints of which none is due before a limit ends the search.
fn never_due(folder: &Path, start: Start) -> Option<Checkpoints> {
    checkpoints(folder, start).map(|checkpoints| Checkpoints {
        every: Duration::MAX,
        ..checkpoints
    })
}

fn refused(refinement: &impl Refinement, settings: &Settings<'_>) -> DiskError {
    match check(refinement, settings) {
        Err(CheckError::Disk(error)) => *error,
        other => panic!("{other:?}"),
    }
}

/// A limit below what a checkpoint has is refused with its reason; one that is not is kept to.
#[test]
fn a_limit_below_what_a_checkpoint_has_is_refused() {
    let mut cases = 0;
    for seed in 0..100 {
        let refinement = draw(seed, Size::Small);
        let kept = folder();
        let settings = |limits, start| Settings {
            limits,
            checkpoints: checkpoints(kept.path(), start),
            ..Settings::default()
        };
        let states = |states| up_to_states(states);
        let first = checked(&refinement, &settings(up_to_depth(2), Start::Anew));
        if first.limit != Some(Limit::Depth(2)) || !kept.path().join("checkpoint").exists() {
            continue;
        }
        cases += 1;
        let error = refused(&refinement, &settings(up_to_depth(1), Start::Resumed));
        let DiskError::BeyondLimit { has, limit, .. } = error else {
            panic!("{seed}: {error}");
        };
        assert_eq!((has, limit), (2, 1));
        let fewer = first.states - 1;
        let error = refused(&refinement, &settings(states(fewer), Start::Resumed));
        let DiskError::BeyondLimit { has, limit, .. } = error else {
            panic!("{seed}: {error}");
        };
        assert_eq!((has, limit), (first.states, fewer));
        assert!(error.to_string().contains("which is beyond the limit of"));
        // The same limit once more.
        let again = check(&refinement, &settings(up_to_depth(2), Start::Resumed));
        let again = without_account(again.expect("the settings fit"));
        assert_eq!(again, without_account(first), "{seed}");
    }
    assert!(cases > 20, "{cases}");
}

/// A checkpoint may be written when there is no time left, and does without the initial states being enumerated again.
#[test]
fn initial_states_are_not_enumerated_for_a_checkpoint() {
    let folder = folder();
    let enumerations = |checkpoints| {
        let starts = Itself(Starts::new(100, u32::MAX));
        let settings = Settings {
            checkpoints,
            ..Settings::default()
        };
        let report = checked(&starts, &settings);
        let written = report.checkpoints.map_or(0, |account| account.checkpoints);
        (starts.0.enumerations.load(Ordering::Relaxed), written > 0)
    };
    let (without, _) = enumerations(None);
    let with = enumerations(checkpoints(folder.path(), Start::Anew));
    assert_eq!(with, (without, true));
}

/// Counts to a number, and takes its time for each step, and before the first one.
struct Slow {
    most: u32,
    pause: Duration,
    before: Duration,
}

impl TransitionSystem for Slow {
    type State = u32;
    type Action = Go;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        thread::sleep(self.before);
        visit(0);
    }

    fn fire(&self, _: &Go, state: &mut u32) -> Option<()> {
        thread::sleep(self.pause);
        *state = (*state + 1) % self.most;
        Some(())
    }

    fn observe(&self, _: &u32) {}
}

/// A search goes on though it takes longer to read its checkpoint than its limit allows: the steps of the sample alone take
/// longer, which are asked for as it is read.
#[test]
fn a_search_makes_progress_in_slices_shorter_than_reading_takes() {
    let slow = Itself(Slow {
        most: 60,
        pause: Duration::from_millis(4),
        before: Duration::ZERO,
    });
    let kept = folder();
    let settings = |limits, start| Settings {
        obligations: Selection::Nothing,
        threads: 1,
        limits,
        checkpoints: never_due(kept.path(), start),
        ..Settings::default()
    };
    let depth = up_to_depth(30);
    let first = checked(&slow, &settings(depth, Start::Anew));
    let mut states = first.states;
    let slice = up_to_seconds(0.05);
    let mut slices = 0;
    loop {
        let next = checked(&slow, &settings(slice, Start::Resumed));
        slices += 1;
        if next.limit.is_none() {
            break;
        }
        assert!(next.states > states, "{} after {states}", next.states);
        states = next.states;
    }
    assert!(slices > 1, "{slices}");
}

/// A function that is asked again while a checkpoint is read returns, though it takes longer than the limit of the search.
#[test]
#[ignore = "waits for seconds"]
fn slow_initial_states_are_waited_for_while_a_checkpoint_is_read() {
    let slow = Itself(Slow {
        most: 5,
        pause: Duration::ZERO,
        before: Duration::from_millis(1_500),
    });
    let kept = folder();
    let settings = |limits, start| Settings {
        obligations: Selection::Nothing,
        limits,
        checkpoints: never_due(kept.path(), start),
        ..Settings::default()
    };
    let depth = up_to_depth(2);
    checked(&slow, &settings(depth, Start::Anew));
    let limits = up_to_seconds(0.05);
    let work = || check(&slow, &settings(limits, Start::Resumed));
    let watchdog = Watchdog::new(limits);
    let report = watchdog.attended(None, work, |unreturned| panic!("{unreturned}"));
    assert_eq!(report.expect("the settings fit").states, 5);
}

/// A signal, and a limit on memory, hold while a checkpoint is read: the search ends at the limit, says how far it was read, and leaves it as it
/// was.
#[test]
fn what_was_read_before_a_limit_is_forgotten() {
    let fan = fan(50_000);
    let kept = folder();
    let settings = |limits, start| Settings {
        until: Until::End,
        limits,
        checkpoints: never_due(kept.path(), start),
        ..Settings::default()
    };
    let depth = up_to_depth(1);
    checked(&fan, &settings(depth, Start::Anew));
    let memory = up_to_bytes(1);
    let cancelled = AtomicBool::new(true);
    let cases = [
        (Limits::default(), Some(&cancelled), Limit::Cancelled),
        (memory, None, Limit::MemoryBytes(1)),
    ];
    for (limits, cancel, expected) in cases {
        let report = checked(
            &fan,
            &Settings {
                watch: Watch {
                    cancel,
                    progress: None,
                },
                ..settings(limits, Start::Resumed)
            },
        );
        assert_eq!(report.limit, Some(expected), "{report}");
        assert_eq!(
            (report.verdict, report.states),
            (Some(Verdict::Incomplete), 0),
            "{report}"
        );
        let account = report.checkpoints.expect("there is an account");
        let reason = account.ended.expect("there is a reason");
        let far = format!("{expected} came when ");
        assert!(
            reason.starts_with(&far) && reason.contains(" bytes of "),
            "{reason}"
        );
    }
    let other = folder();
    let plain = Settings {
        until: Until::End,
        checkpoints: checkpoints(other.path(), Start::Anew),
        ..Settings::default()
    };
    let plain = checked(&fan, &plain);
    let resumed = checked(&fan, &settings(Limits::default(), Start::Resumed));
    assert_eq!(without_account(resumed), without_account(plain));
}
