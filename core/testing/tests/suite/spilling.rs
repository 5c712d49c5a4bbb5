//! States on disk: a search says the same to the byte, however little memory there is for them.

use std::fs;
use std::hash::Hash;
use std::path::Path;

use refmap::explore::{Limit, Limits, Spilling, StatesKept, Storage};
use refmap::obligation::{CheckError, Selection, Until};
use refmap::random::Generator;
use refmap::report::About;
use refmap::{Action, Refinement, Report, Settings, State, TransitionSystem, Verdict, check};
use refmap_testing::{Go, Itself, Machine, checked, with_invariant};
use serde::Serialize;

use crate::comparison::timeless;
use crate::table::random::{Size, draw};

pub fn spilling(folder: &Path, from_bytes: u64) -> Option<Spilling> {
    Some(Spilling {
        folder: folder.to_owned(),
        from_bytes: Some(from_bytes),
    })
}

/// A report without what a disk changes: its account, and what is decided on the complete graph.
pub fn without_disk(report: Report) -> Report {
    let mut report = timeless(report);
    report.spilled = None;
    report.checkpoints = None;
    report.verdict = None;
    report
        .obligations
        .retain(|row| !row.name.starts_with("environment"));
    report
        .warnings
        .retain(|warning| warning.about != About::Environment);
    report
}

/// The same of random systems whose states take from one word to six, of one level and of many.
#[test]
fn random_systems_are_searched_alike_on_disk() {
    let mut violated = 0;
    let mut on_disk = 0;
    for (seeds, size) in [(0..300, Size::Small), (0..12, Size::Wide)] {
        for seed in seeds {
            let refinement = draw(seed, size);
            let mut generator = Generator::new(seed);
            for until in [Until::End, Until::FirstViolation] {
                let folder = tempfile::tempdir().expect("there is room for a folder");
                let plain = Settings {
                    until,
                    threads: 1 + generator.below(3),
                    ..Settings::default()
                };
                let few = [0, 1_000, 100_000][generator.below(3)];
                let spilled = Settings {
                    threads: 1 + generator.below(3),
                    spill: spilling(folder.path(), few),
                    ..plain.clone()
                };
                let plain = checked(&refinement, &plain);
                let spilled = checked(&refinement, &spilled);
                let account = spilled.spilled.clone().expect("there was to be an account");
                on_disk += u64::from(account.bytes > 0);
                violated += u64::from(plain.verdict == Some(Verdict::Violated));
                // A violation that the graph shows is one of the plain search only.
                let [plain, spilled] = [plain, spilled].map(without_disk);
                let plain = Report {
                    counterexample: None,
                    ..plain
                };
                let spilled = Report {
                    counterexample: None,
                    ..spilled
                };
                assert_eq!(plain, spilled, "{seed} {until:?} {few}");
                let left = fs::read_dir(folder.path()).expect("it is there").count();
                assert!(left == 0 || cfg!(not(unix)), "{left}");
            }
        }
    }
    assert!(violated > 200 && on_disk > 200, "{violated} {on_disk}");
}

/// A number of a counter: three take 48 bits, 96 or 192, so that states are one word, two, or codes.
pub trait Count:
    Copy
    + Eq
    + Hash
    + std::fmt::Debug
    + Serialize
    + Into<u64>
    + TryFrom<u64, Error: std::fmt::Debug>
    + Send
    + Sync
    + 'static
{
}

impl Count for u16 {}
impl Count for u32 {}
impl Count for u64 {}

/// Three counters that go round, as an implementation of themselves, with an invariant that fails far from the start.
pub fn grid<N: Count>(side: u64) -> impl Refinement<Implementation = Grid<N>>
where
    [N; 3]: State<Grid<N>>,
{
    let number = |number| N::try_from(number).expect("it is small");
    let count = move |state: &mut [N; 3], counter: &usize| {
        state[*counter] = number((state[*counter].into() + 1) % side);
        Some(())
    };
    let grid = Machine::new(&[], [[number(0); 3]], |_| Vec::new(), |_| ());
    let grid = grid.rule_of_each("count", 0..3, count);
    let far = side - 2;
    with_invariant(grid, "far", move |state: &[N; 3]| {
        state.map(Into::into) != [far, far / 2, far]
    })
}

/// The system of three counters.
pub type Grid<N> = Machine<[N; 3], (), usize>;

/// Some states more than a block of the list has, several times over, so that blocks are left on disk alone, expanded from there,
/// and read again for the counterexample.
fn compare<N: Count>(side: u64, bytes: &[u64])
where
    [N; 3]: State<Grid<N>>,
{
    let grid = grid::<N>(side);
    let folder = tempfile::tempdir().expect("there is room for a folder");
    for until in [Until::FirstViolation, Until::End] {
        let plain = Settings {
            until,
            threads: 2,
            ..Settings::default()
        };
        let spilled = |from_bytes: u64, threads| Settings {
            spill: spilling(folder.path(), from_bytes),
            threads,
            ..plain.clone()
        };
        let run = |settings: &Settings<'_>| checked(&grid, settings);
        let expected = run(&plain);
        assert_eq!(expected.verdict, Some(Verdict::Violated));
        for (threads, bytes) in (1..).zip(bytes) {
            let found = run(&spilled(*bytes, threads));
            let account = found.spilled.clone().expect("there was to be an account");
            assert!(
                account.bytes > 500_000 && account.ended.is_none(),
                "{account:?}"
            );
            let [found, expected] = [found, expected.clone()].map(without_disk);
            assert_eq!(found, expected, "{until:?} {bytes}");
        }
    }
}

/// Steps from each of many initial states to two of as many others: levels that take several looks at the limits.
pub struct Fan {
    width: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Action)]
pub enum Way {
    Back,
    Spread,
    Near,
}

impl TransitionSystem for Fan {
    type State = u32;
    type Action = Way;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        (0..self.width).for_each(visit);
    }

    fn is_initial(&self, state: &u32) -> bool {
        *state < self.width
    }

    fn fire(&self, way: &Way, state: &mut u32) -> Option<()> {
        let (from, width) = (*state, self.width);
        *state = match way {
            Way::Back => (from >= width).then_some(from % width)?,
            _ if from >= width => return None,
            Way::Spread => width + (u64::from(from) * 7919 % u64::from(width)) as u32,
            Way::Near => width + from % 1000,
        };
        Some(())
    }

    fn observe(&self, _: &u32) {}
}

/// The fan as an implementation of itself, with an invariant that fails in the middle of its second level.
pub fn fan(width: u32) -> impl Refinement<Implementation = Fan> {
    let far = width + width / 2;
    with_invariant(Fan { width }, "near", move |state: &u32| *state != far)
}

#[test]
fn wide_levels_are_searched_alike_on_disk() {
    let fan = fan(70_000);
    for until in [Until::FirstViolation, Until::End] {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let plain = Settings {
            until,
            threads: 2,
            ..Settings::default()
        };
        let run = |settings: &Settings<'_>| checked(&fan, settings);
        let expected = run(&plain);
        assert_eq!(expected.verdict, Some(Verdict::Violated));
        for bytes in [0, 1_000_000] {
            let spilled = Settings {
                spill: spilling(folder.path(), bytes),
                ..plain.clone()
            };
            let found = run(&spilled);
            let [found, expected] = [found, expected.clone()].map(without_disk);
            assert_eq!(found, expected, "{until:?} {bytes}");
        }
    }
}

#[test]
fn large_systems_are_searched_alike_on_disk() {
    compare::<u32>(41, &[600_000]);
}

#[test]
#[ignore = "half a minute"]
fn slow_large_systems_of_all_sizes_are_searched_alike_on_disk() {
    compare::<u16>(64, &[0, 400_000]);
    compare::<u32>(56, &[0, 1_500_000]);
    compare::<u64>(56, &[0, 3_000_000]);
}

#[test]
fn what_cannot_go_to_disk_is_refused() {
    let grid = grid::<u16>(3);
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let settings = Settings {
        spill: spilling(folder.path(), 0),
        ..Settings::default()
    };
    let unpacked = Settings {
        storage: Storage::Whole,
        ..settings.clone()
    };
    assert_eq!(check(&grid, &unpacked), Err(CheckError::SpilledUnpacked));
    let without_limit = Settings {
        spill: Some(Spilling {
            folder: folder.path().to_owned(),
            from_bytes: None,
        }),
        ..Settings::default()
    };
    assert_eq!(
        check(&grid, &without_limit),
        Err(CheckError::SpilledWithoutLimit)
    );
    let file = folder.path().join("file");
    fs::write(&file, "a file").expect("there is room");
    let no_folder = Settings {
        spill: spilling(&file, 0),
        ..Settings::default()
    };
    assert!(matches!(check(&grid, &no_folder), Err(CheckError::Disk(_))));
}

/// A limit on states ends a search on disk where it ends one in memory.
#[test]
fn limits_hold_on_disk() {
    let grid = grid::<u32>(40);
    let folder = tempfile::tempdir().expect("there is room for a folder");
    for states in [1, 1_000, 30_000, 63_999, 64_000] {
        let plain = Settings {
            until: Until::End,
            limits: Limits {
                states: Some(states),
                ..Limits::default()
            },
            ..Settings::default()
        };
        let spilled = Settings {
            spill: spilling(folder.path(), 0),
            ..plain.clone()
        };
        let run = |settings: &Settings<'_>| checked(&grid, settings);
        let [plain, spilled] = [run(&plain), run(&spilled)].map(without_disk);
        assert_eq!(plain, spilled, "{states}");
        let limit = (states < 64_000).then_some(Limit::States(states));
        assert_eq!(plain.limit, limit);
    }
}

/// In the middle of a level, too, where what is perhaps new would be settled later.
#[test]
fn limits_hold_within_a_wide_level_on_disk() {
    let fan = fan(150_000);
    let folder = tempfile::tempdir().expect("there is room for a folder");
    for states in [150_000, 150_001, 190_000, 299_999] {
        let plain = Settings {
            until: Until::End,
            limits: Limits {
                states: Some(states),
                ..Limits::default()
            },
            ..Settings::default()
        };
        // So much that nothing is settled before the end of a level.
        let spilled = Settings {
            spill: spilling(folder.path(), 3_000_000),
            ..plain.clone()
        };
        let run = |settings: &Settings<'_>| checked(&fan, settings);
        let [plain, spilled] = [run(&plain), run(&spilled)].map(without_disk);
        assert_eq!(plain.limit, Some(Limit::States(states)));
        assert_eq!(plain, spilled, "{states}");
    }
}

/// Many initial states, the later ones of which take more words.
struct Growing;

/// States of one length: somewhat more than a block of the list has.
const OF_A_LENGTH: u64 = 70_000;

impl TransitionSystem for Growing {
    type State = Vec<u64>;
    type Action = Go;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Vec<u64>)) {
        for number in 0..2 * OF_A_LENGTH {
            visit(vec![number; if number < OF_A_LENGTH { 1 } else { 6 }]);
        }
    }

    fn is_initial(&self, _: &Vec<u64>) -> bool {
        true
    }

    fn fire(&self, _: &Go, _: &mut Vec<u64>) -> Option<()> {
        Some(())
    }

    fn observe(&self, _: &Vec<u64>) {}
}

/// The average size of states counts all, those on disk as well.
#[test]
fn the_size_of_states_is_that_of_all_on_disk_and_in_memory() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let plain = Settings {
        obligations: Selection::Nothing,
        ..Settings::default()
    };
    let spilled = Settings {
        spill: spilling(folder.path(), 1_000_000),
        ..plain.clone()
    };
    let [plain, spilled] = [plain, spilled].map(|settings| checked(&Itself(Growing), &settings));
    let account = spilled.spilled.expect("there was to be an account");
    assert!(account.bytes > 1_000_000, "{account:?}");
    assert!(matches!(plain.states_kept, Some(StatesKept::Encoded { bytes }) if bytes > 30.0));
    assert_eq!(plain.states_kept, spilled.states_kept);
}
