//! Searches of several processes: they say the same as one, however many they are.

use std::fs;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use refmap::explore::{Checkpoints, Limit, Limits, Start, Storage, Watch};
use refmap::internal::explore::{Peers, PeersError};
use refmap::obligation::{CheckError, Checker, Selection, Symmetry, Until};
use refmap::random::Generator;
use refmap::{
    Action, Invariant, Refinement, Report, Settings, State, TransitionSystem, Verdict, check,
};
use refmap_testing::{
    Itself, Machine, Mapped, Participant, Via, alike, cancelled_by, checked, itself, participants,
    row_of, to_the_end, until_with, up_to_bytes, up_to_depth, up_to_seconds, up_to_states, walking,
};
use serde::Serialize;
use serde_json::Value;

use crate::checkpoints::{checkpoints, folder};
use crate::comparison::timeless;
use crate::spilling::{self, Grid, fan, grid, without_disk};
use crate::symmetry::crowds;
use crate::table::random::{Size, draw, draw_with_several_steps};
use crate::walks::Starts;

/// A check of some refinement with other settings.
pub type Run<'a> = &'a (dyn Fn(&Settings<'_>) -> Result<Report, CheckError> + Sync);

/// Has each of some processes run on a thread of its own.
fn each<T: Send>(
    participants: Vec<Participant>,
    run: impl Fn(usize, Participant) -> T + Sync,
) -> Vec<T> {
    let run = &run;
    thread::scope(|scope| {
        let numbered = participants.into_iter().enumerate();
        let threads: Vec<_> = numbered
            .map(|(number, participant)| scope.spawn(move || run(number, participant)))
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|result| result.expect("it does not panic"))
            .collect()
    })
}

/// Settings of one of several processes.
fn of_process<'a>(settings: &Settings<'a>, process: impl Peers + 'static) -> Settings<'a> {
    Settings {
        peers: Some(Arc::new(process)),
        ..settings.clone()
    }
}

/// Reports of all processes, or their errors.
fn results(
    run: Run<'_>,
    settings: &Settings<'_>,
    participants: Vec<Participant>,
) -> Vec<Result<Report, CheckError>> {
    each(participants, |_, one| run(&of_process(settings, one)))
}

/// The report of so many processes, which all have; or of a search without any, if that is 0.
pub fn together(run: Run<'_>, settings: &Settings<'_>, processes: usize) -> Report {
    if processes == 0 {
        return timeless(run(settings).expect("the settings fit"));
    }
    let results = results(run, settings, participants(processes));
    let mut reports = results
        .into_iter()
        .map(|result| timeless(result.expect("the settings fit")));
    let first = reports.next().expect("there is a process");
    for report in reports {
        assert_eq!(report, first);
    }
    first
}

/// A report without what the choice among the nearest violations changes.
pub fn without_choice(report: Report) -> Report {
    let mut report = without_disk(report);
    report.counterexample = None;
    report.warnings.clear();
    report.checkpoints = None;
    // The sample is another one, since states have other numbers.
    report.asked_again = 0;
    if let Some(identified) = &mut report.symmetry {
        // Of several processes it is tested in the sample alone.
        identified.tested_states = 0;
    }
    for shown in report
        .obligations
        .iter_mut()
        .flat_map(|row| &mut row.counterexamples)
    {
        shown.steps.clear();
        shown.explanation.clear();
        shown.nearest.clear();
    }
    report
}

/// The same as one process; and to the byte the same, however many they are.
fn compare(run: Run<'_>, settings: &Settings<'_>, processes: &[usize]) -> Report {
    let expected = run(settings).expect("the settings fit");
    let one = together(run, settings, 1);
    let [plain, alone] = [&expected, &one].map(|report| without_choice(report.clone()));
    assert_same(&plain, &alone, "one process");
    for processes in processes {
        let found = together(run, settings, *processes);
        assert_same(&one, &found, &format!("{processes} processes"));
    }
    expected
}

/// Names the entries of two reports that differ.
pub fn assert_same(one: &Report, other: &Report, whose: &str) {
    if one == other {
        return;
    }
    let entries = |report: &Report| serde_json::to_value(report).expect("a report is a value");
    let [one, other] = [one, other].map(entries);
    let differing = one.as_object().expect("it has entries").iter();
    let differing = differing.filter(|(name, entry)| other[name] != **entry);
    for (name, entry) in differing {
        let rows = |entry: &Value| entry.as_array().cloned().unwrap_or(vec![entry.clone()]);
        let (rows, others) = (rows(entry), rows(&other[name]));
        for number in 0..rows.len().max(others.len()) {
            let (row, other) = (rows.get(number), others.get(number));
            if row != other {
                eprintln!("{whose}: in {name} there is {row:#?}, and {other:#?}");
            }
        }
    }
    panic!("{whose}: reports differ");
}

/// The check of a refinement.
pub fn of<R: Refinement + Sync>(
    refinement: &R,
) -> impl Fn(&Settings<'_>) -> Result<Report, CheckError> + Sync {
    move |settings| check(refinement, settings)
}

#[test]
fn random_systems_are_searched_alike_by_any_number_of_processes() {
    are_searched_alike(0..80, 0..3, &[2, 7]);
}

#[test]
#[ignore = "half a minute"]
fn slow_random_systems_are_searched_alike_by_any_number_of_processes_at_length() {
    are_searched_alike(80..250, 3..10, &[2, 4, 7]);
}

fn are_searched_alike(small: Range<u64>, wide: Range<u64>, processes: &[usize]) {
    let least = (small.end - small.start) / 2;
    let mut violated = 0;
    for (seeds, size) in [(small, Size::Small), (wide, Size::Wide)] {
        for seed in seeds {
            let mut generator = Generator::new(seed);
            for until in [Until::End, Until::FirstViolation] {
                let settings = Settings {
                    until,
                    threads: 1 + generator.below(3),
                    limits: Limits {
                        depth: [None, None, Some(2)][generator.below(3)],
                        ..Limits::default()
                    },
                    ..Settings::default()
                };
                let mut refinement = draw(seed, size);
                if generator.below(3) == 0 {
                    let within = refinement.images.iter().map(|_| generator.below(10) < 9);
                    refinement.within = Some(within.collect());
                }
                let expected = compare(&of(&refinement), &settings, processes);
                violated += u64::from(expected.verdict == Some(Verdict::Violated));
                let several = draw_with_several_steps(seed);
                compare(&of(&several), &settings, &[3]);
            }
        }
    }
    assert!(violated > least, "{violated}");
}

/// States of which one stands for all of a class, and some where it is a class that is none.
#[test]
fn quotients_are_searched_alike_by_any_number_of_processes() {
    let mut blamed = 0;
    for seed in 0..150 {
        let refinement = crowds::draw(seed);
        let run = |settings: &Settings<'_>| Checker::new(&refinement).check(settings);
        for until in [Until::End, Until::FirstViolation] {
            let settings = Settings {
                until,
                symmetry: Symmetry::Full,
                threads: 1,
                ..Settings::default()
            };
            let expected = compare(&run, &settings, &[2, 4]);
            blamed += u64::from(expected.obligation("model").is_some());
        }
    }
    assert!(blamed < 300, "{blamed}");
}

/// Fault of a model, at one of its states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Initial,
    Next,
    Map,
    Invariant,
    Twice,
    /// A variable of the target is outside of its range.
    Range,
}

/// Two counters that go up and round, and are at fault where their sum is so much.
struct Faulty {
    fault: Fault,
    at: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, State)]
struct Two {
    #[state(range = 0..=9)]
    first: u8,
    #[state(range = 0..=9)]
    second: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Action)]
enum Count {
    First,
    Second,
}

impl Faulty {
    fn is_here(&self, fault: Fault, state: &Two) -> bool {
        self.fault == fault && state.first + state.second == self.at
    }
}

impl TransitionSystem for Faulty {
    type State = Two;
    type Action = Count;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Two)) {
        for first in 0..3 {
            visit(Two { first, second: 0 });
        }
        assert!(self.fault != Fault::Initial, "no more initial states");
    }

    fn candidates(&self, from: &Two, visit: &mut impl FnMut(Count)) {
        assert!(!self.is_here(Fault::Next, from), "no steps from {from:?}");
        visit(Count::First);
        visit(if self.is_here(Fault::Twice, from) {
            Count::First
        } else {
            Count::Second
        });
    }

    fn fire(&self, count: &Count, state: &mut Two) -> Option<()> {
        match count {
            Count::First if self.is_here(Fault::Range, state) => state.first += 1,
            Count::First => state.first = (state.first + 1) % 10,
            Count::Second => state.second = (state.second + 1) % 10,
        }
        Some(())
    }

    fn observe(&self, _: &Two) {}
}

fn faulty(fault: Fault, at: u8) -> Mapped<Faulty, Faulty> {
    let is_here = move |one: Fault, state: &Two| Faulty { fault, at }.is_here(one, state);
    // The specification is never at fault.
    let specification = Faulty {
        fault: Fault::Map,
        at: u8::MAX,
    };
    let mut faulty = alike(Faulty { fault, at }, specification);
    faulty.map = Box::new(move |state| {
        assert!(!is_here(Fault::Map, state), "no image of {state:?}");
        state.clone()
    });
    let sum = move |state: &Two| {
        let here = is_here(Fault::Invariant, state);
        assert!(!here, "no sum of {state:?}");
        state.first + state.second != 15
    };
    faulty.invariants = vec![Invariant::new("sum", "a test", sum)];
    faulty
}

/// Faults of the model itself that another process finds are told as if they were found here.
#[test]
fn faults_of_a_model_are_found_alike_by_any_number_of_processes() {
    for fault in [
        Fault::Initial,
        Fault::Next,
        Fault::Map,
        Fault::Invariant,
        Fault::Twice,
        Fault::Range,
    ] {
        for at in [0, 3, 9, 14] {
            for until in [Until::End, Until::FirstViolation] {
                let settings = until_with(until, 1);
                let faulty = faulty(fault, at);
                if fault == Fault::Initial && until == Until::FirstViolation {
                    // One process finds that `is_initial` panics as it comes by, and several when they have done.
                    continue;
                }
                let expected = compare(&of(&faulty), &settings, &[2, 4, 7]);
                assert_eq!(expected.verdict, Some(Verdict::Violated), "{fault:?} {at}");
                if fault != Fault::Range || at == 9 {
                    assert!(expected.obligation("model").is_some(), "{fault:?} {at}");
                }
            }
        }
    }
}

fn compare_grid<N: spilling::Count>(side: u64)
where
    [N; 3]: State<Grid<N>>,
{
    let grid = grid::<N>(side);
    for until in [Until::FirstViolation, Until::End] {
        let settings = until_with(until, 2);
        let expected = compare(&of(&grid), &settings, &[2, 5]);
        assert_eq!(expected.verdict, Some(Verdict::Violated));
    }
}

/// States of one word, of two, and codes; more than are asked for at once.
#[test]
fn large_systems_are_searched_alike_by_any_number_of_processes() {
    compare_grid::<u16>(30);
    compare_grid::<u32>(22);
    compare_grid::<u64>(22);
}

#[test]
#[ignore = "half a minute"]
fn slow_larger_systems_are_searched_alike_by_any_number_of_processes() {
    compare_grid::<u16>(40);
    compare_grid::<u64>(30);
    compare_fan(150_000);
}

/// Levels that take several waves, and initial states by the ten thousand.
#[test]
fn wide_levels_are_searched_alike_by_any_number_of_processes() {
    compare_fan(70_000);
}

fn compare_fan(width: u32) {
    let fan = fan(width);
    for until in [Until::FirstViolation, Until::End] {
        let settings = until_with(until, 2);
        compare(&of(&fan), &settings, &[2, 7]);
    }
}

/// Any number of processes, or none beside the search, say the same when their states go to disk from some bytes on; returns the bytes that
/// went there.
fn compare_on_disk(
    run: Run<'_>,
    settings: &Settings<'_>,
    processes: &[usize],
    from: &[u64],
) -> u64 {
    let mut bytes = 0;
    for processes in processes {
        let in_memory = without_disk(together(run, settings, *processes));
        for from_bytes in from {
            let folder = folder();
            let spilled = Settings {
                spill: spilling::spilling(folder.path(), *from_bytes),
                threads: 1 + settings.threads % 3,
                ..settings.clone()
            };
            let on_disk = together(run, &spilled, *processes);
            let account = on_disk.spilled.as_ref().expect("there is an account");
            assert_eq!(account.ended, None);
            bytes += account.bytes;
            let whose = format!("{processes} processes from {from_bytes} bytes");
            assert_same(&in_memory, &without_disk(on_disk), &whose);
            let left = fs::read_dir(folder.path()).expect("it is there").count();
            assert!(left == 0 || cfg!(not(unix)), "{left}");
        }
    }
    bytes
}

/// Bytes of few states, or of none.
const FEW: [u64; 2] = [0, 20_000];

/// Random systems whose states take from one word to six, of one level and of many.
#[test]
fn random_systems_are_searched_alike_on_disk() {
    let mut on_disk = 0;
    for (seeds, size, of_several) in [(0..300, Size::Small, 40), (0..12, Size::Wide, 1)] {
        for seed in seeds {
            let mut generator = Generator::new(seed);
            let refinement = draw(seed, size);
            let processes: &[usize] = if seed < of_several {
                &[0, 1, 2, 3]
            } else {
                &[0]
            };
            for until in [Until::End, Until::FirstViolation] {
                let settings = until_with(until, 1 + generator.below(3));
                let bytes = compare_on_disk(&of(&refinement), &settings, processes, &FEW);
                on_disk += u64::from(bytes > 0);
            }
        }
    }
    assert!(on_disk > 400, "{on_disk}");
}

/// States of one word, of two, and codes.
fn compare_grid_on_disk<N: spilling::Count>(side: u64, processes: &[usize], from: &[u64])
where
    [N; 3]: State<Grid<N>>,
{
    let grid = grid::<N>(side);
    for until in [Until::FirstViolation, Until::End] {
        let bytes = compare_on_disk(&of(&grid), &until_with(until, 2), processes, from);
        assert!(bytes > 4 * side.pow(3), "{bytes}");
    }
}

/// Levels of which several runs of states are on disk, and more states than a block of the list has, several times over: blocks are left on
/// disk alone, expanded from there, and read again for the counterexample.
#[test]
fn large_systems_are_searched_alike_on_disk() {
    compare_grid_on_disk::<u16>(16, &[2, 3], &FEW);
    compare_grid_on_disk::<u32>(16, &[2, 3], &FEW);
    compare_grid_on_disk::<u64>(16, &[2, 3], &FEW);
    compare_grid_on_disk::<u32>(41, &[0], &[600_000]);
    let narrow = fan(70_000);
    for until in [Until::FirstViolation, Until::End] {
        let settings = until_with(until, 2);
        compare_on_disk(&of(&narrow), &settings, &[0], &[0, 1_000_000]);
    }
    let bytes = compare_on_disk(&of(&fan(150_000)), &to_the_end(), &[2], &FEW);
    assert!(bytes > 1_000_000, "{bytes}");
}

#[test]
#[ignore = "half a minute"]
fn slow_large_systems_of_all_sizes_are_searched_alike_on_disk() {
    compare_grid_on_disk::<u16>(64, &[0], &[0, 400_000]);
    compare_grid_on_disk::<u32>(56, &[0], &[0, 1_500_000]);
    compare_grid_on_disk::<u64>(56, &[0], &[0, 3_000_000]);
}

/// A limit on states leaves the same ones of levels that are on disk, in the middle of one, too.
#[test]
fn a_limit_on_states_is_exact_on_disk() {
    let limited = |most| Settings {
        limits: up_to_states(most),
        ..to_the_end()
    };
    for most in [1, 7, 500, 728, 729] {
        compare_on_disk(&of(&grid::<u32>(9)), &limited(most), &[0, 1, 3], &FEW);
    }
    for most in [30_000, 63_999] {
        compare_on_disk(&of(&grid::<u32>(40)), &limited(most), &[0], &[0]);
    }
    let fan = fan(150_000);
    // So many bytes that nothing is settled before the end of a level.
    for most in [150_000, 150_001, 190_000, 299_999] {
        compare_on_disk(&of(&fan), &limited(most), &[0], &[3_000_000]);
    }
    compare_on_disk(&of(&fan), &limited(190_000), &[3], &FEW);
}

/// Any number of processes reach as many states as the limit allows, and the same ones.
fn limited<R: Refinement + Sync>(refinement: &R, all: u64) {
    for (most, threads) in [(1, 1), (2, 2), (7, 1), (500, 2), (all - 1, 1), (all, 2)] {
        let settings = Settings {
            until: Until::End,
            threads,
            limits: up_to_states(most),
            ..Settings::default()
        };
        let run = of(refinement);
        let one = together(&run, &settings, 1);
        assert_eq!((one.states, one.complete), (most, most == all));
        let limit = (most < all).then_some(Limit::States(most));
        assert_eq!((one.limit, one.limit_process), (limit, None));
        // Where a level takes many meetings some of it may not be expanded.
        assert_eq!(together(&run, &settings, 2).states, most);
        for processes in [3, 7] {
            let report = together(&run, &settings, processes);
            assert_same(
                &one,
                &report,
                &format!("{processes} processes, {most} states"),
            );
        }
    }
}

/// Of states of one word, of two, and of codes.
#[test]
fn a_limit_on_states_is_exact() {
    fn of<N: spilling::Count>()
    where
        [N; 3]: State<Grid<N>>,
    {
        limited(&grid::<N>(9), 729);
    }
    of::<u16>();
    of::<u32>();
    of::<u64>();
}

/// A system without a step has its initial states alone, and they may be too many.
#[test]
fn a_limit_on_states_is_exact_of_random_systems() {
    let mut limits = 0;
    for seed in 0..120 {
        let refinement = draw(seed, Size::Small);
        let run = of(&refinement);
        let settings = to_the_end();
        let all = checked(&refinement, &settings);
        let mut generator = Generator::new(seed);
        // Some have no state.
        let most = 1 + generator.below(all.states.max(1) as usize) as u64;
        let limited = Settings {
            limits: up_to_states(most),
            ..settings
        };
        let one = together(&run, &limited, 1);
        assert_eq!(one.states, most.min(all.states), "{seed}");
        assert_eq!(one.limit.is_some(), most < all.states, "{seed}");
        limits += u64::from(one.limit.is_some());
        for processes in [2, 3] {
            let report = together(&run, &limited, processes);
            assert_same(&one, &report, &format!("{processes} processes, {seed}"));
        }
    }
    assert!(limits > 60, "{limits}");
}

/// Results of processes that have settings of their own.
fn results_of<R: Refinement + Sync>(
    refinements: &[R],
    settings: &[Settings<'_>],
) -> Vec<Result<Report, CheckError>> {
    each(participants(settings.len()), |number, one| {
        check(&refinements[number], &of_process(&settings[number], one))
    })
}

/// Time and memory are those of each process: they may differ, and the first that a process reaches ends the search of all, and is told with
/// its number.
#[test]
fn each_process_has_time_and_memory_of_its_own() {
    let grid = |_| grid::<u16>(30);
    let much = Limits {
        memory_bytes: Some(1 << 40),
        seconds: Some(1e6),
        ..Limits::default()
    };
    let little_memory = Limits {
        memory_bytes: Some(1),
        ..much
    };
    let no_time = Limits {
        seconds: Some(0.0),
        ..much
    };
    let of = |limits| Settings {
        until: Until::End,
        limits,
        ..Settings::default()
    };
    for process in 0..3 {
        for (limits, limit) in [
            (little_memory, Limit::MemoryBytes(1)),
            (no_time, Limit::Seconds(0.0)),
        ] {
            let mut settings = [Limits::default(), much, much].map(of);
            settings[process] = of(limits);
            let results = results_of(&[0, 1, 2].map(grid), &settings);
            for report in results {
                let report = report.expect("the settings fit");
                assert_eq!(report.verdict, Some(Verdict::Incomplete));
                assert_eq!(
                    (report.limit, report.limit_process),
                    (Some(limit), Some(process))
                );
                let told = format!("(process {process})");
                let text = report.to_string().replace("\n  ", " ");
                assert!(text.contains(&told), "{report}");
            }
        }
    }
    let settings = [much, Limits::default()].map(of);
    for report in results_of(&[0, 1].map(grid), &settings) {
        let report = report.expect("the settings fit");
        assert_eq!((report.states, report.limit), (27_000, None));
    }
}

/// A panic that no state shows is told, though a process before the one that had it is at a limit.
#[test]
fn a_panic_of_one_process_is_told_beside_the_limit_of_another_one() {
    let cancelled = AtomicBool::new(true);
    for at_fault in 0..3 {
        let models = [0, 1, 2].map(|process| {
            let is_first = process == at_fault;
            let fault = if is_first {
                Fault::Initial
            } else {
                Fault::Next
            };
            faulty(fault, u8::MAX)
        });
        let settings = [0, 1, 2].map(|process| Settings {
            watch: Watch {
                cancel: (process != at_fault).then_some(&cancelled),
                progress: None,
            },
            until: Until::End,
            ..Settings::default()
        });
        for report in results_of(&models, &settings) {
            let report = report.expect("the settings fit");
            assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
            let model = row_of(&report, "model");
            assert!(!model.counterexamples.is_empty(), "{report}");
        }
    }
}

/// States that any of the processes did not look at, since the time was up, are counted.
#[test]
fn each_process_tells_what_it_did_not_look_at() {
    let rests = |at: &u16| vec![(("rest", 0), *at)];
    let initial = Vec::from_iter(0..6_000u16);
    let mut slow = itself(Machine::new(&[("rest", "it")], initial, rests, |_| 0));
    slow.invariants = vec![Invariant::new("slow", "a test", |_: &u16| {
        thread::sleep(Duration::from_millis(3));
        true
    })];
    let settings = Settings {
        until: Until::End,
        threads: 1,
        limits: up_to_seconds(0.5),
        ..Settings::default()
    };
    let report = together(&of(&slow), &settings, 3);
    let row = row_of(&report, "invariant:slow");
    let left = report.states - row.checked;
    assert!(left > 0, "{report}");
    let note = row.note.as_deref().expect("it says how many are left");
    let told: String = note.chars().filter(char::is_ascii_digit).collect();
    assert_eq!(told, left.to_string(), "{report}");
}

/// A system of which a step takes as long as it is said, or until it is released.
fn slow(step: Duration, released: &Arc<AtomicBool>) -> Machine<u16, ()> {
    let released = Arc::clone(released);
    let wait = move |_: &mut u16| {
        let begun = Instant::now();
        while begun.elapsed() < step && !released.load(Ordering::Relaxed) {
            thread::sleep(step.min(Duration::from_millis(5)));
        }
        Some(())
    };
    Machine::of(Vec::from_iter(0..1_000), |_| ()).rule("wait", wait)
}

/// Results of two processes, of which the first is cancelled after a moment, and the other takes so long for a step.
fn cancelled(step: Duration) -> Vec<Result<Report, CheckError>> {
    let released: Arc<AtomicBool> = Arc::default();
    let systems = [Duration::ZERO, step].map(|step| Itself(slow(step, &released)));
    let [cancel, has_ended] = [(); 2].map(|()| AtomicBool::new(false));
    let settings = [Some(&cancel), None].map(|cancel| Settings {
        obligations: Selection::only(["observation"]),
        watch: Watch {
            cancel,
            progress: None,
        },
        ..Settings::default()
    });
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            cancel.store(true, Ordering::Relaxed);
            // By the end of that all have given up.
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(2_500)
                && !has_ended.load(Ordering::Relaxed)
            {
                thread::sleep(Duration::from_millis(5));
            }
            released.store(true, Ordering::Relaxed);
        });
        let results = results_of(&systems, &settings);
        has_ended.store(true, Ordering::Relaxed);
        results
    })
}

/// A process that waits asks the others to hurry when it is cancelled, so that all end with a report.
#[test]
fn a_process_that_waits_can_be_cancelled() {
    for result in cancelled(Duration::from_millis(20)) {
        let report = result.expect("both have a report");
        assert_eq!(report.verdict, Some(Verdict::Incomplete));
        assert_eq!(
            (report.limit, report.limit_process),
            (Some(Limit::Cancelled), Some(0))
        );
        assert!(!report.complete);
    }
}

/// Initial states that are more than the limit allows, and perhaps have no end; each is shown twice.
#[test]
fn a_limit_on_states_is_exact_of_initial_states() {
    for (states, most) in [(u32::MAX, 5_000), (100_000, 50_000), (50_000, 50_000)] {
        let starts = Itself(Starts::new(states, u32::MAX));
        let settings = Settings {
            limits: up_to_states(most),
            ..Settings::default()
        };
        let run = of(&starts);
        let one = together(&run, &settings, 1);
        let limit = (u64::from(states) > most).then_some(Limit::States(most));
        assert_eq!((one.states, one.limit), (most, limit), "{one}");
        for processes in [2, 3] {
            let report = together(&run, &settings, processes);
            assert_same(&one, &report, &format!("{processes} processes"));
        }
    }
}

/// Initial states that a limit on states leaves out are none.
#[test]
fn initial_states_that_a_limit_cuts_are_not_counted() {
    let slow = Itself(slow(Duration::ZERO, &Arc::default()));
    let settings = Settings {
        limits: up_to_states(10),
        ..Settings::default()
    };
    let alone = checked(&slow, &settings);
    let report = together(&of(&slow), &settings, 3);
    for report in [alone, report] {
        assert_eq!((report.states, report.initial_states), (10, 10), "{report}");
    }
}

/// A system of states in a row, of which a step takes a moment.
fn row() -> Via<u16, u16> {
    let next = |from: &u16| {
        thread::sleep(Duration::from_millis(5));
        vec![(("go", 0), from.wrapping_add(1))]
    };
    itself(Machine::new(&[("go", "system")], [0], next, |_| 0))
}

/// A participant that takes long to write the checkpoint of a number.
struct Writing {
    participant: Participant,
    folder: PathBuf,
    number: usize,
    /// The last checkpoint, and how many there were.
    last: Mutex<(Vec<u8>, usize)>,
}

impl Peers for Writing {
    fn processes(&self) -> usize {
        self.participant.processes()
    }

    fn process(&self) -> usize {
        self.participant.process()
    }

    fn most_words(&self) -> usize {
        self.participant.most_words()
    }

    fn exchange(&self, words: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>, PeersError> {
        let written = fs::read(self.folder.join("checkpoint")).unwrap_or_default();
        let mut last = self.last.lock().expect("no holder of this lock panics");
        if last.0 != written {
            *last = (written, last.1 + 1);
            if last.1 == self.number {
                // The others would have given up by the end of that.
                thread::sleep(Duration::from_millis(2_500));
            }
        }
        drop(last);
        self.participant.exchange(words)
    }

    fn hurry(&self) {
        self.participant.hurry();
    }

    fn is_hurried(&self) -> bool {
        self.participant.is_hurried()
    }

    fn give_up(&self, reason: String) {
        self.participant.give_up(reason);
    }
}

/// A process that writes a checkpoint is waited for, though a limit of another one is reached meanwhile, or before: the first is of the
/// initial states, and the second is that at the limit.
#[test]
fn a_process_that_writes_a_checkpoint_is_waited_for() {
    let written = |number| {
        let folder = folder();
        let often = checkpoints(folder.path(), Start::Anew).expect("there are checkpoints");
        let kept = Checkpoints {
            every: Duration::from_secs(3600),
            ..often
        };
        let reports = each(participants(2), |process, participant| {
            let settings = Settings {
                obligations: Selection::only(["observation"]),
                checkpoints: Some(kept.clone()),
                limits: Limits {
                    seconds: (process == 1).then_some(0.2),
                    ..Limits::default()
                },
                ..Settings::default()
            };
            let settings = match process {
                0 => {
                    let writing = Writing {
                        participant,
                        folder: folder.path().to_owned(),
                        number,
                        last: Mutex::default(),
                    };
                    of_process(&settings, writing)
                }
                _ => of_process(&settings, participant),
            };
            check(&row(), &settings).expect("the others wait")
        });
        for report in reports {
            assert_eq!(
                (report.verdict, report.limit, report.limit_process),
                (
                    Some(Verdict::Incomplete),
                    Some(Limit::Seconds(0.2)),
                    Some(1)
                )
            );
        }
    };
    thread::scope(|scope| {
        for number in [1, 2] {
            let written = &written;
            scope.spawn(move || written(number));
        }
    });
}

/// One whose model does not return is given up, and the others end.
#[test]
fn a_process_that_does_not_come_is_given_up() {
    let results = cancelled(Duration::from_secs(60));
    let errors: Vec<_> = results
        .into_iter()
        .map(|result| result.expect_err("there is no outcome").to_string())
        .collect();
    let late = "process 1 was lost: it did not come within 1.5 seconds after cancellation";
    assert_eq!(errors[0], late);
    assert!(errors[1].contains("was lost"), "{}", errors[1]);
}

/// Whenever a process is lost, all of them end, and say so.
#[test]
fn a_process_that_is_lost_ends_all() {
    let grid = grid::<u16>(9);
    let settings = Settings::default();
    let mut ended = 0;
    for meetings in 0..200 {
        let mut participants = participants(3);
        let lost = participants
            .remove(meetings as usize % 3)
            .lost_after(meetings);
        participants.insert(meetings as usize % 3, lost);
        let results = results(&of(&grid), &settings, participants);
        for result in &results {
            match result {
                Ok(report) => assert_eq!(report.verdict, Some(Verdict::Violated)),
                Err(CheckError::Peers(PeersError::Lost { .. })) => ended += 1,
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert!(ended > 200, "{ended}");
}

/// Levels that are sent in many messages when a checkpoint of them is read.
#[test]
fn levels_of_several_messages_are_resumed() {
    let grid = grid::<u32>(30);
    let run = of(&grid);
    let until_the_end = |checkpoints, depth| Settings {
        until: Until::End,
        checkpoints,
        limits: Limits {
            depth,
            ..Limits::default()
        },
        ..Settings::default()
    };
    let expected = run(&until_the_end(None, None)).expect("the settings fit");
    let expected = without_choice(expected);
    for processes in [1, 2, 4] {
        let folder = folder();
        let settings = |start, depth| until_the_end(checkpoints(folder.path(), start), depth);
        run(&settings(Start::Anew, Some(50))).expect("the settings fit");
        let resumed = together(&run, &settings(Start::Resumed, None), processes);
        assert_same(
            &expected,
            &without_choice(resumed),
            &format!("{processes} processes"),
        );
    }
}

/// A limit leaves a checkpoint of where a level began, which has no more states than the limit allows.
#[test]
fn a_limit_leaves_a_checkpoint() {
    let grid = grid::<u32>(9);
    let run = of(&grid);
    let to_the_end = to_the_end();
    let expected = without_choice(run(&to_the_end).expect("the settings fit"));
    let within = |states, depth| Limits {
        states,
        depth,
        ..Limits::default()
    };
    let sizes: Vec<u64> = (0..8)
        .map(|depth| {
            let limited = Settings {
                limits: within(None, Some(depth)),
                ..to_the_end.clone()
            };
            run(&limited).expect("the settings fit").states
        })
        .collect();
    for (limits, states) in [
        (within(Some(sizes[6] + 1), None), sizes[6]),
        (within(Some(sizes[7]), None), sizes[7]),
        (within(None, Some(5)), sizes[5]),
    ] {
        for (processes, then) in [(1, 2), (2, 0), (3, 2)] {
            let folder = folder();
            let seldom = |start| {
                let often = checkpoints(folder.path(), start).expect("there are checkpoints");
                Some(Checkpoints {
                    every: Duration::from_secs(3600),
                    ..often
                })
            };
            let limited = Settings {
                limits,
                checkpoints: seldom(Start::Anew),
                ..to_the_end.clone()
            };
            let written = together(&run, &limited, processes).checkpoints;
            let written = written.expect("there are checkpoints");
            // The first is of the initial states.
            assert_eq!((written.checkpoints, written.ended), (2, None));
            let resumed = Settings {
                checkpoints: seldom(Start::Resumed),
                ..to_the_end.clone()
            };
            let report = together(&run, &resumed, then);
            let resumed = report.checkpoints.as_ref();
            assert_eq!(resumed.and_then(|one| one.resumed_states), Some(states));
            let whose = format!("{then} processes after {processes}");
            assert_same(&expected, &without_choice(report), &whose);
        }
    }
}

/// A limit of any process that is reached while a checkpoint is read is told by all, and leaves the checkpoint as it was.
#[test]
fn a_limit_of_each_process_holds_while_a_checkpoint_is_read() {
    let grid = || grid::<u32>(9);
    let folder = folder();
    let settings = |start, limits| Settings {
        until: Until::End,
        checkpoints: checkpoints(folder.path(), start),
        limits,
        ..Settings::default()
    };
    let shallow = up_to_depth(5);
    together(&of(&grid()), &settings(Start::Anew, shallow), 2);
    let cancelled = AtomicBool::new(true);
    let resumed = || settings(Start::Resumed, Limits::default());
    let is_cancelled = Settings {
        watch: cancelled_by(&cancelled),
        ..resumed()
    };
    let has_no_memory = settings(Start::Resumed, up_to_bytes(1));
    for (limited, limit) in [
        (is_cancelled, Limit::Cancelled),
        (has_no_memory, Limit::MemoryBytes(1)),
    ] {
        for process in 0..3 {
            let mut all = [(); 3].map(|()| resumed());
            all[process] = limited.clone();
            for result in results_of(&[(); 3].map(|()| grid()), &all) {
                let report = result.expect("all have a report");
                assert_eq!(
                    (report.verdict, report.limit, report.limit_process),
                    (Some(Verdict::Incomplete), Some(limit), Some(process))
                );
                assert_eq!(report.states, 0);
                let written = report.checkpoints.expect("there is an account");
                let reason = written.ended.expect("there is a reason");
                let whose = match process {
                    0 => " bytes of ".to_owned(),
                    _ => format!("{limit} came in process {process} while it was read"),
                };
                assert!(reason.contains(&whose), "{reason}");
            }
        }
    }
    let again = together(&of(&grid()), &resumed(), 2);
    let expected = check(&grid(), &to_the_end());
    let expected = without_choice(expected.expect("the settings fit"));
    assert_same(&expected, &without_choice(again), "the search that goes on");
}

#[test]
fn another_search_is_refused() {
    let small = grid::<u16>(3);
    let errors = each(participants(2), |process, participant| {
        let settings = until_with([Until::End, Until::FirstViolation][process], 1);
        check(&small, &of_process(&settings, participant)).map(|report| report.states)
    });
    for error in errors {
        let Err(CheckError::Peers(PeersError::Other { process, what, .. })) = error else {
            panic!("{error:?}");
        };
        assert_eq!((process, &*what), (1, "the end"));
    }
}

#[test]
fn what_several_processes_cannot_do_is_refused() {
    let grid = grid::<u16>(3);
    let one = participants(1).pop().expect("there is one");
    let settings = of_process(&Settings::default(), one);
    for refused in [
        Settings {
            storage: Storage::Whole,
            ..settings.clone()
        },
        Settings {
            search: walking(1, 1, 1),
            ..settings.clone()
        },
    ] {
        let error = check(&grid, &refused).expect_err("it is refused");
        assert!(matches!(error, CheckError::Together), "{error}");
    }
    let symmetric = Settings {
        symmetry: Symmetry::Full,
        ..settings
    };
    let error = check(&grid, &symmetric).expect_err("it has no symmetry");
    assert!(matches!(error, CheckError::NotSymmetric), "{error}");
}
