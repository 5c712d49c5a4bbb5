//! Searches that are killed at any moment and go on from what is left, in any number of processes: they say what one says that was never killed.

use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use refmap::explore::{Progress, Start, Storage, Watch};
use refmap::obligation::Until;
use refmap::random::Generator;
use refmap::{Refinement, Report, Settings};
use refmap_testing::{checked, until_with};

use crate::checkpoints::{checkpoints, copy, folder, without_account};
use crate::spilling::{fan, grid, spilling};
use crate::table::random::{Size, draw};
use crate::together::{assert_same, of, together, without_choice};

/// Report of a search in so many processes, or of one without any if that is 0, whose folder is copied when it reports its progress for the
/// time of this number: what is left where it is killed. With it the number of times that it does.
fn killed<R: Refinement + Sync>(
    refinement: &R,
    settings: &Settings<'_>,
    processes: usize,
    moment: u64,
    left: &Path,
) -> (Report, u64) {
    let folder = settings.checkpoints.as_ref().map(|of| of.folder.clone());
    let folder = folder.expect("there are checkpoints");
    let times = Mutex::new(0);
    let progress = |progress: &Progress| {
        if progress.peers.is_none_or(|peers| peers.process == 0) {
            let mut times = times.lock().expect("no holder of this lock panics");
            if *times == moment {
                copy(&folder, left);
            }
            *times += 1;
        }
    };
    let settings = Settings {
        watch: Watch {
            progress: Some(&progress),
            cancel: None,
        },
        ..settings.clone()
    };
    let report = together(&of(refinement), &settings, processes);
    let times = *times.lock().expect("no holder of this lock panics");
    (report, times)
}

/// Searches that went on.
#[derive(Debug, Default)]
struct Resumed {
    /// By whether there were processes before, and are now.
    by_processes: [[u64; 2]; 2],
    /// From a checkpoint that was not the first.
    late: u64,
}

/// A search goes on in one number of processes from what another number of them has left; without any it says the same to the byte as one
/// with checkpoints that was never killed.
fn compare<R: Refinement + Sync>(
    refinement: &R,
    settings: &Settings<'_>,
    numbers: &[usize],
    generator: &mut Generator,
    resumed: &mut Resumed,
) {
    let [mut from, nowhere] = [folder(), folder()];
    let with = |of: &Path, start| Settings {
        checkpoints: checkpoints(of, start),
        ..settings.clone()
    };
    let whole = with(from.path(), Start::Anew);
    let (whole, times) = killed(refinement, &whole, 0, u64::MAX, nowhere.path());
    let is_alone = numbers == [0];
    let strip = |report: Report| {
        if is_alone {
            without_account(report)
        } else {
            without_choice(report)
        }
    };
    let expected = if is_alone {
        whole.clone()
    } else {
        checked(refinement, settings)
    };
    let expected = strip(expected);
    from = folder();
    let mut start = Start::Anew;
    let mut before: Option<usize> = None;
    for _ in 0..4 {
        let (left, on_disk) = (folder(), folder());
        let processes = numbers[generator.below(numbers.len())];
        // Before a third of its looks a search may have no checkpoint yet.
        let least = before.map_or(times / 3, |_| 0);
        let moment = least + generator.bits() % (times - least).max(1);
        let spill = spilling(on_disk.path(), generator.bits() % 5_000);
        let spills = settings.storage == Storage::Packed && generator.below(2) == 0;
        let settings = Settings {
            spill: spill.filter(|_| spills),
            threads: 1 + generator.below(3),
            ..with(from.path(), start)
        };
        let (report, _) = killed(refinement, &settings, processes, moment, left.path());
        if let Some(before) = before {
            let account = report.checkpoints.clone().expect("there is an account");
            let states = account.resumed_states.expect("it was resumed");
            resumed.by_processes[usize::from(before > 0)][usize::from(processes > 0)] += 1;
            resumed.late += u64::from(states > whole.initial_states);
        }
        let whose = format!(
            "{processes} processes after {before:?}, {:?}",
            settings.storage
        );
        assert_same(&expected, &strip(report), &whose);
        if !left.path().join("checkpoint").exists() {
            return;
        }
        before = Some(processes);
        from = left;
        start = Start::Resumed;
    }
}

/// Settings of each way to keep states and to end.
pub fn ways() -> impl Iterator<Item = Settings<'static>> {
    let storages = [Storage::Packed, Storage::Whole].into_iter();
    let untils = [Until::End, Until::FirstViolation];
    storages.flat_map(move |storage| {
        untils.map(|until| Settings {
            storage,
            ..until_with(until, 1)
        })
    })
}

/// Compares random systems, in one way in so many, without processes.
fn compare_alone(seeds: Range<u64>, size: Size, each: u64) -> Resumed {
    let mut resumed = Resumed::default();
    for seed in seeds {
        let refinement = draw(seed, size);
        let mut generator = Generator::new(seed);
        for (_, settings) in (seed..).zip(ways()).filter(|(turn, _)| turn % each == 0) {
            compare(&refinement, &settings, &[0], &mut generator, &mut resumed);
        }
    }
    resumed
}

#[test]
fn a_search_that_was_killed_goes_on_as_if_it_was_not() {
    let resumed = compare_alone(0..300, Size::Small, 1);
    let cases = resumed.by_processes[0][0];
    assert!(cases > 500 && resumed.late > 200, "{resumed:?}");
}

#[test]
#[ignore = "takes minutes"]
fn slow_searches_that_were_killed_go_on_at_length() {
    compare_alone(300..3000, Size::Small, 1);
    compare_alone(0..40, Size::Wide, 1);
    compare_alone(1..3, Size::Huge, 3);
}

/// Numbers of processes.
const ANY: [usize; 4] = [0, 1, 2, 5];

#[test]
fn a_search_goes_on_in_any_number_of_processes() {
    let mut resumed = Resumed::default();
    for (seeds, size) in [(0..120, Size::Small), (0..3, Size::Wide)] {
        for seed in seeds {
            let mut generator = Generator::new(seed);
            let refinement = draw(seed, size);
            for settings in ways().take(2) {
                compare(&refinement, &settings, &ANY, &mut generator, &mut resumed);
            }
        }
    }
    let all = resumed.by_processes.as_flattened();
    assert!(all.iter().all(|cases| *cases > 3), "{resumed:?}");
}

/// Checkpoints in the midst of a level, of words and of codes.
#[test]
fn a_search_goes_on_in_the_midst_of_a_level() {
    goes_on_in_the_midst(70_000, 3..5);
}

#[test]
#[ignore = "half a minute"]
fn slow_searches_go_on_in_the_midst_of_a_level() {
    goes_on_in_the_midst(150_000, 0..6);
}

fn goes_on_in_the_midst(width: u32, seeds: Range<u64>) {
    let mut resumed = Resumed::default();
    let (fan, grid) = (fan(width), grid::<u64>(20));
    for seed in seeds {
        let mut generator = Generator::new(seed);
        for settings in ways().take(2) {
            compare(&fan, &settings, &[0], &mut generator, &mut resumed);
            compare(&fan, &settings, &ANY, &mut generator, &mut resumed);
            compare(&grid, &settings, &ANY, &mut generator, &mut resumed);
        }
    }
    let all = resumed.by_processes.as_flattened();
    assert!(all.iter().all(|cases| *cases > 0), "{resumed:?}");
}
