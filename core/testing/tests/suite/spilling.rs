//! States on disk: a search says the same to the byte, however little memory there is for them.

use std::fs;
use std::hash::Hash;
use std::path::Path;

use refmap::explore::{Spilling, StatesKept, Storage};
use refmap::obligation::{CheckError, Selection};
use refmap::report::About;
use refmap::{Action, Refinement, Report, Settings, State, TransitionSystem, check};
use refmap_testing::{Go, Itself, Machine, checked, with_invariant};
use serde::Serialize;

use crate::comparison::timeless;

pub fn spilling(folder: &Path, from_bytes: u64) -> Option<Spilling> {
    Some(Spilling {
        folder: folder.to_owned(),
        from_bytes: Some(from_bytes),
    })
}

/// A report without what a disk changes: its account, and what is decided on the complete graph, which may be what is shown first.
pub fn without_disk(report: Report) -> Report {
    let mut report = timeless(report);
    report.spilled = None;
    report.checkpoints = None;
    report.verdict = None;
    report.counterexample = None;
    report
        .obligations
        .retain(|row| !row.name.starts_with("environment"));
    report
        .warnings
        .retain(|warning| warning.about != About::Environment);
    report
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
