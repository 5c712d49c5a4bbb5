//! Checkpoints: a search that was ended at any moment and goes on says what one says that was never ended, to the byte.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use refmap::explore::{Checkpoints, Limit, Limits, Start, Storage, Watch, Watchdog};
use refmap::internal::explore::DiskError;
use refmap::obligation::{CheckError, Search, Selection, Until};
use refmap::random::{Generator, Walks};
use refmap::{Refinement, Report, Settings, TransitionSystem, Verdict, check};
use refmap_testing::{Go, Itself, checked, counter, itself, to_the_end};
use serde_json::json;
use tempfile::TempDir;

use crate::comparison::timeless;
use crate::spilling::{fan, spilling};
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
fn without_account(report: Report) -> Report {
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

/// Way to run a check.
#[derive(Clone, Copy, Debug)]
struct Way {
    storage: Storage,
    until: Until,
    /// Whether states may go to disk, now and then.
    spills: bool,
}

impl Way {
    const ALL: [Self; 4] = [
        Self::of(Storage::Packed, Until::End),
        Self::of(Storage::Packed, Until::FirstViolation),
        Self::of(Storage::Whole, Until::End),
        Self::of(Storage::Whole, Until::FirstViolation),
    ];

    const fn of(storage: Storage, until: Until) -> Self {
        Self {
            storage,
            until,
            spills: matches!(storage, Storage::Packed),
        }
    }

    fn settings(self, threads: usize) -> Settings<'static> {
        Settings {
            storage: self.storage,
            until: self.until,
            threads,
            ..Settings::default()
        }
    }
}

/// Figures of all cases.
#[derive(Debug, Default)]
struct Cases {
    resumed: u64,
    /// Of a checkpoint that was not the first.
    late: u64,
    violated: u64,
    limited: u64,
}

/// Runs a check to the end, and copies its folder when it reports its progress for the time of this number.
fn run_and_copy(
    refinement: &impl Refinement,
    settings: Settings<'_>,
    start: Start,
    of: &Path,
    moment: u64,
    to: &Path,
) -> (Report, u64) {
    let times = Mutex::new(0);
    let progress = |_: &_| {
        let mut times = times.lock().expect("no holder of this lock panics");
        if *times == moment {
            copy(of, to);
        }
        *times += 1;
    };
    let settings = Settings {
        checkpoints: checkpoints(of, start),
        watch: Watch {
            progress: Some(&progress),
            cancel: None,
        },
        ..settings
    };
    let report = checked(refinement, &settings);
    let times = *times.lock().expect("no holder of this lock panics");
    (report, times)
}

/// Compares a search that was killed, as often as the generator says, with one that was not.
fn compare(refinement: &impl Refinement, way: Way, generator: &mut Generator, cases: &mut Cases) {
    let threads = 1 + generator.below(3);
    let [first, mut killed] = [folder(), folder()];
    let (whole, times) = run_and_copy(
        refinement,
        way.settings(threads),
        Start::Anew,
        first.path(),
        u64::MAX,
        killed.path(),
    );
    let whole = without_account(whole);
    cases.violated += u64::from(whole.verdict == Some(Verdict::Violated));
    let again = folder();
    // Before a third of its looks a search may have no checkpoint yet.
    let moment = times / 3 + generator.bits() % (times - times / 3).max(1);
    let (again, _) = run_and_copy(
        refinement,
        way.settings(threads),
        Start::Anew,
        again.path(),
        moment,
        killed.path(),
    );
    assert_eq!(without_account(again), whole, "{way:?}");
    for _ in 0..3 {
        if !killed.path().join("checkpoint").exists() {
            return;
        }
        let next = folder();
        let threads = 1 + generator.below(3);
        let moment = generator.bits() % times.max(1);
        let on_disk = folder();
        let spills = way.spills && generator.below(2) == 0;
        let settings = Settings {
            spill: spilling(on_disk.path(), generator.bits() % 5_000).filter(|_| spills),
            ..way.settings(threads)
        };
        let (resumed, _) = run_and_copy(
            refinement,
            settings,
            Start::Resumed,
            killed.path(),
            moment,
            next.path(),
        );
        let account = resumed
            .checkpoints
            .clone()
            .expect("there was to be an account");
        let states = account.resumed_states.expect("it was resumed");
        cases.resumed += 1;
        cases.late += u64::from(states > whole.initial_states);
        assert_eq!(without_account(resumed), whole, "{way:?} {moment}");
        killed = next;
    }
}

fn compare_all(seeds: std::ops::Range<u64>, size: Size, each: u64) -> Cases {
    let mut cases = Cases::default();
    for seed in seeds {
        let refinement = draw(seed, size);
        let mut generator = Generator::new(seed);
        for (turn, way) in (seed..).zip(Way::ALL) {
            if turn % each == 0 {
                compare(&refinement, way, &mut generator, &mut cases);
            }
        }
    }
    cases
}

#[test]
fn a_search_that_was_killed_goes_on_as_if_it_was_not() {
    let cases = compare_all(0..300, Size::Small, 1);
    assert!(cases.resumed > 500 && cases.late > 200, "{cases:?}");
    assert!(cases.violated > 100, "{cases:?}");
}

#[test]
fn wide_levels_are_resumed_within_a_level() {
    let fan = fan(70_000);
    let mut cases = Cases::default();
    let mut generator = Generator::new(3);
    for until in [Until::FirstViolation, Until::End, Until::End] {
        let way = Way::of(Storage::Packed, until);
        compare(&fan, way, &mut generator, &mut cases);
    }
    assert!(cases.resumed > 1 && cases.violated == 3, "{cases:?}");
}

#[test]
#[ignore = "takes minutes"]
fn slow_searches_that_were_killed_go_on_at_length() {
    compare_all(300..3000, Size::Small, 1);
    compare_all(0..40, Size::Wide, 1);
    compare_all(1..3, Size::Huge, 3);
}

/// A search that a limit, or its user, has ended, goes on where it was.
#[test]
fn a_search_that_was_ended_goes_on() {
    let mut cases = Cases::default();
    for seed in 0..120 {
        let refinement = draw(seed, Size::Small);
        let mut generator = Generator::new(seed);
        let ways = Way::ALL.into_iter();
        for way in ways {
            let whole = folder();
            let settings = |checkpoints| Settings {
                checkpoints,
                ..way.settings(2)
            };
            let run = |settings: &Settings<'_>| checked(&refinement, settings);
            let complete = run(&settings(checkpoints(whole.path(), Start::Anew)));
            if complete.depth < 2 {
                continue;
            }
            let ended = folder();
            let depth = 1 + generator.below(complete.depth as usize - 1) as u32;
            let cancel = AtomicBool::new(false);
            let progress = |progress: &refmap::explore::Progress| {
                cancel.store(progress.depth >= depth, Ordering::Relaxed);
            };
            let by_user = seed % 2 == 0;
            let first = run(&Settings {
                limits: Limits {
                    depth: (!by_user).then_some(depth),
                    ..Limits::default()
                },
                watch: Watch {
                    cancel: by_user.then_some(&cancel),
                    progress: Some(&progress),
                },
                ..settings(checkpoints(ended.path(), Start::Anew))
            });
            let limit = if by_user {
                Limit::Cancelled
            } else {
                Limit::Depth(depth)
            };
            if first.limit != Some(limit) {
                // A violation came before.
                continue;
            }
            cases.limited += 1;
            if !ended.path().join("checkpoint").exists() {
                let account = first.checkpoints.expect("there is an account");
                assert!(account.ended.is_some(), "{seed} {way:?}");
                continue;
            }
            cases.resumed += 1;
            let resumed = run(&settings(checkpoints(ended.path(), Start::Resumed)));
            assert_eq!(
                without_account(resumed),
                without_account(complete),
                "{seed} {way:?}"
            );
        }
    }
    assert!(cases.limited > 100 && cases.resumed > 80, "{cases:?}");
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
            search: Search::Walks(Walks {
                walks: 1,
                steps: 1,
                seed: 0,
            }),
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

/// The search ends at the limit, says how far the checkpoint was read, and leaves it as it was.
#[test]
fn limits_hold_while_a_checkpoint_is_read() {
    let refinement = draw(11, Size::Small);
    let kept = folder();
    let cancelled = AtomicBool::new(true);
    let settings = |start, limits, watch| Settings {
        checkpoints: checkpoints(kept.path(), start),
        until: Until::End,
        limits,
        watch,
        ..Settings::default()
    };
    let unbounded = || (Limits::default(), Watch::default());
    let asked = |start, (limits, watch)| check(&refinement, &settings(start, limits, watch));
    let whole = asked(Start::Anew, unbounded()).expect("it is empty");
    let memory = Limits {
        memory_bytes: Some(1),
        ..Limits::default()
    };
    let watch = Watch {
        cancel: Some(&cancelled),
        ..Watch::default()
    };
    for (limits, limit) in [
        ((memory, Watch::default()), Limit::MemoryBytes(1)),
        ((Limits::default(), watch), Limit::Cancelled),
    ] {
        let ended = asked(Start::Resumed, limits).expect("it can be read");
        assert_eq!(ended.verdict, Some(Verdict::Incomplete), "{limit}");
        assert_eq!(ended.limit, Some(limit));
        let written = ended.checkpoints.and_then(|written| written.ended);
        let far = written.unwrap_or_default();
        assert!(
            far.starts_with(&format!("{limit} came when 0 of ")),
            "{far}"
        );
    }
    let again = asked(Start::Resumed, unbounded()).expect("it is as it was");
    assert_eq!(without_account(again), without_account(whole));
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

/// A search that the limit on states ends has a checkpoint, of the last wave that found room: with the same limit it says the same once
/// more, with another one or none what one search says.
#[test]
fn a_search_that_the_limit_on_states_ends_goes_on() {
    let mut kept = 0;
    for seed in 0..150 {
        let refinement = draw(seed, Size::Small);
        for way in Way::ALL {
            let run = |settings: &Settings<'_>| checked(&refinement, settings);
            let settings = |states, checkpoints| Settings {
                limits: Limits {
                    states,
                    ..Limits::default()
                },
                checkpoints,
                ..way.settings(1 + seed as usize % 3)
            };
            let whole = folder();
            let whole = run(&settings(None, checkpoints(whole.path(), Start::Anew)));
            let least = whole.initial_states + 1;
            if whole.states < least + 2 {
                continue;
            }
            let few = least + seed % (whole.states - least - 1);
            let ended = folder();
            let limited = run(&settings(Some(few), never_due(ended.path(), Start::Anew)));
            if limited.limit != Some(Limit::States(few)) {
                // A violation came before.
                continue;
            }
            let account = limited.checkpoints.clone().expect("there is an account");
            if account.ended.is_some() {
                // The model is at fault.
                continue;
            }
            assert_eq!(account.checkpoints, 1, "{seed} {way:?}");
            kept += 1;
            let resumed = |states| {
                let copied = folder();
                copy(ended.path(), copied.path());
                run(&settings(states, never_due(copied.path(), Start::Resumed)))
            };
            let told = format!("{seed} {way:?}");
            assert_eq!(
                without_account(resumed(Some(few))),
                without_account(limited),
                "{told}"
            );
            let all = resumed(None);
            let account = all.checkpoints.clone().expect("there is an account");
            assert!(account.resumed_states.is_some_and(|states| states <= few));
            assert_eq!(without_account(all), without_account(whole), "{told}");
        }
    }
    assert!(kept > 100, "{kept}");
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
        let depth = |depth| Limits {
            depth: Some(depth),
            ..Limits::default()
        };
        let states = |states| Limits {
            states: Some(states),
            ..Limits::default()
        };
        let first = checked(&refinement, &settings(depth(2), Start::Anew));
        if first.limit != Some(Limit::Depth(2)) || !kept.path().join("checkpoint").exists() {
            continue;
        }
        cases += 1;
        let error = refused(&refinement, &settings(depth(1), Start::Resumed));
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
        let again = check(&refinement, &settings(depth(2), Start::Resumed));
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
    let depth = Limits {
        depth: Some(30),
        ..Limits::default()
    };
    let first = checked(&slow, &settings(depth, Start::Anew));
    let mut states = first.states;
    let slice = Limits {
        seconds: Some(0.05),
        ..Limits::default()
    };
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
    let depth = Limits {
        depth: Some(2),
        ..Limits::default()
    };
    checked(&slow, &settings(depth, Start::Anew));
    let limits = Limits {
        seconds: Some(0.05),
        ..Limits::default()
    };
    let work = || check(&slow, &settings(limits, Start::Resumed));
    let watchdog = Watchdog::new(limits);
    let report = watchdog.attended(None, work, |unreturned| panic!("{unreturned}"));
    assert_eq!(report.expect("the settings fit").states, 5);
}

/// A signal, and a limit on memory, hold while a checkpoint is read; what it has is still there.
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
    let depth = Limits {
        depth: Some(1),
        ..Limits::default()
    };
    checked(&fan, &settings(depth, Start::Anew));
    let memory = Limits {
        memory_bytes: Some(1),
        ..Limits::default()
    };
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
        assert!(reason.contains(" bytes of "), "{reason}");
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
