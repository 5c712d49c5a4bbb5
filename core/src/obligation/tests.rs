//! Limits hold from the first moment on: while initial states are enumerated, within a state whose
//! steps take for ever, and within the test of a symmetry. So does that of the operating system on memory.
//!
//! What the systems here show has no end, unless it takes longer than any limit; then it panics, and the
//! verdict is another one.

use crate::report::number::counted;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Checker, Induction, Search, Selection, Settings, Symmetry};
use crate::explore::{Limit, Limits, Order, Progress, REFUSED, Storage, Watch};
use crate::invariant::Invariant;
use crate::packed::{Field, Fields, Layout, Packed};
use crate::random::Walks;
use crate::refinement::Refinement;
use crate::report::{Report, Verdict};
use crate::rule::{Rule, RuleId};
use crate::symmetry::Symmetric;
use crate::system::TransitionSystem;
use crate::type_correct::{Choices, TypeCorrect};

/// In debug builds on a busy machine.
const LONGER_THAN_ANY_LIMIT: Duration = Duration::from_secs(30);
const SECONDS: f64 = 0.2;
const WALKS: Walks = Walks {
    walks: 10,
    steps: 10,
    seed: 1,
};

/// What there is no end of.
#[derive(Clone, Copy, PartialEq)]
enum Endless {
    Initial,
    Steps,
    /// There are as many steps as one waits for.
    SlowSteps,
    /// As many initial states as one waits for, and it takes longer to look at them.
    SlowInvariant,
    /// Nothing: each number leads to two, as far as there are so many.
    Nothing,
}

/// So many states there are where nothing is endless.
const FINITE: u64 = 100_000;

struct Counting {
    endless: Endless,
    since: Instant,
    layout: Layout,
    number: Field,
}

impl Counting {
    fn new(endless: Endless) -> Self {
        let mut layout = Layout::new();
        let number = layout.below(1 << 40);
        Self {
            endless,
            since: Instant::now(),
            layout,
            number,
        }
    }

    fn count(&self, what: Endless, mut visit: impl FnMut(u64)) {
        if self.endless != what {
            return visit(0);
        }
        for number in 0.. {
            visit(number);
            if number % 1024 == 0 {
                let waited = self.since.elapsed();
                assert!(waited < LONGER_THAN_ANY_LIMIT, "no limit was looked at");
            }
        }
    }
}

impl TransitionSystem for Counting {
    type State = u64;
    type Action = u64;
    type Observation = ();

    fn rules(&self) -> &[Rule] {
        const { &[Rule::new("go", "counter", "a test")] }
    }

    fn rule_of(&self, _: &u64) -> RuleId {
        RuleId(0)
    }

    fn initial(&self, visit: &mut impl FnMut(u64)) {
        match self.endless {
            Endless::SlowInvariant => self.count(Endless::SlowInvariant, visit),
            _ => self.count(Endless::Initial, visit),
        }
    }

    fn next(&self, from: &u64, visit: &mut impl FnMut(u64, u64)) {
        match self.endless {
            Endless::SlowSteps => (0..100_000).for_each(|number| visit(number, number)),
            Endless::Nothing => {
                let targets = [2 * from + 1, 2 * from + 2].into_iter();
                let targets = targets.filter(|to| *to < FINITE);
                targets.for_each(|number| visit(number, number));
            }
            _ => self.count(Endless::Steps, |number| visit(number, number)),
        }
    }

    fn observe(&self, _: &u64) {}

    /// What is derived has no end either.
    fn allows(&self, _: &u64, action: &u64, to: &u64) -> bool {
        action == to
    }
}

impl Packed for Counting {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn fields(&self, state: &u64, fields: &mut impl Fields) -> u64 {
        fields.number(self.number, *state)
    }
}

impl TypeCorrect for Counting {
    fn type_correct(&self, choices: &mut Choices) -> u64 {
        choices.below(10)
    }
}

impl Refinement for Counting {
    type Concrete = Self;
    type Abstract = Self;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Self {
        self
    }

    fn map(&self, state: &u64) -> u64 {
        if self.endless == Endless::SlowSteps {
            std::thread::sleep(Duration::from_millis(1));
        }
        *state
    }

    fn abstract_action(&self, _: &u64, action: &u64, _: &u64) -> Option<u64> {
        Some(*action)
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        let slow = self.endless == Endless::SlowInvariant;
        vec![Invariant::new("true", "a test", move |_| {
            if slow {
                std::thread::sleep(Duration::from_millis(2));
            }
            true
        })]
    }
}

fn seconds() -> Settings<'static> {
    Settings {
        limits: Limits {
            seconds: Some(SECONDS),
            ..Limits::default()
        },
        threads: 2,
        ..Settings::default()
    }
}

fn assert_ended(report: &Report, limit: Limit) {
    assert_eq!(report.verdict, Some(Verdict::Incomplete), "{report}");
    assert_eq!(report.limit, Some(limit), "{report}");
}

#[test]
fn time_is_up_while_initial_states_are_enumerated() {
    for (storage, packed) in [
        (Storage::Packed, true),
        (Storage::Packed, false),
        (Storage::Fingerprints, false),
    ] {
        let counting = Counting::new(Endless::Initial);
        let checker = Checker::new(&counting);
        let checker = match packed {
            true => checker.packed(),
            false => checker,
        };
        let settings = Settings {
            storage,
            obligations: Selection::only(["invariant:true"]),
            ..seconds()
        };
        let report = checker.check(&settings).unwrap();
        assert_ended(&report, Limit::Seconds(SECONDS));
        // What was seen so far is reported, and was looked at.
        assert!(report.initial_states > 1000, "{report}");
        assert_eq!(report.states, report.initial_states);
        assert_eq!(report.transitions, 0);
    }
}

#[test]
fn a_limit_of_states_holds_while_initial_states_are_enumerated() {
    let counting = Counting::new(Endless::Initial);
    let settings = Settings {
        limits: Limits {
            states: Some(5000),
            ..Limits::default()
        },
        obligations: Selection::only(["invariant:true"]),
        ..Settings::default()
    };
    let report = Checker::new(&counting).packed().check(&settings).unwrap();
    assert_ended(&report, Limit::States(5000));
    assert_eq!((report.states, report.initial_states), (5000, 5000));
    // A limit that is no limit of time leaves no state that is not looked at.
    assert_eq!(report.obligation("invariant:true").unwrap().checked, 5000);
}

#[test]
fn memory_is_looked_at_while_initial_states_are_enumerated() {
    let counting = Counting::new(Endless::Initial);
    for walks in [false, true] {
        let settings = Settings {
            limits: Limits {
                memory_bytes: Some(1),
                ..Limits::default()
            },
            search: match walks {
                true => Search::Walks(WALKS),
                false => Search::Exhaustive,
            },
            ..Settings::default()
        };
        let report = Checker::new(&counting).packed().check(&settings).unwrap();
        assert_ended(&report, Limit::MemoryBytes(1));
    }
}

/// A watcher sees the progress, and can cancel.
#[test]
fn the_enumeration_of_initial_states_is_watched_and_cancelled() {
    for walks in [false, true] {
        let counting = Counting::new(Endless::Initial);
        let cancel = AtomicBool::new(false);
        let progress = |progress: &Progress| {
            assert!(progress.states > 10_000);
            cancel.store(true, Ordering::Relaxed);
        };
        let settings = Settings {
            watch: Watch {
                cancel: Some(&cancel),
                progress: Some(&progress),
            },
            search: match walks {
                true => Search::Walks(WALKS),
                false => Search::Exhaustive,
            },
            obligations: Selection::only(["invariant:true"]),
            ..Settings::default()
        };
        let report = Checker::new(&counting).packed().check(&settings).unwrap();
        assert_ended(&report, Limit::Cancelled);
    }
}

/// Where there are more initial states than there is time to look at them, the report says how many it
/// says nothing of.
#[test]
fn what_there_is_no_time_to_look_at_is_told() {
    let counting = Counting::new(Endless::SlowInvariant);
    let settings = Settings {
        obligations: Selection::only(["invariant:true"]),
        ..seconds()
    };
    let report = Checker::new(&counting).packed().check(&settings).unwrap();
    assert_ended(&report, Limit::Seconds(SECONDS));
    let row = report.obligation("invariant:true").unwrap();
    assert!(row.checked > 0);
    let unexamined = report.states - row.checked;
    let note = format!(
        "not looked at, since the time was up: {} that the search reached",
        counted(unexamined, "state")
    );
    assert_eq!(row.note.as_deref(), Some(&*note));
}

#[test]
fn time_is_up_within_a_state() {
    for endless in [Endless::Steps, Endless::SlowSteps] {
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            let counting = Counting::new(endless);
            let settings = Settings { order, ..seconds() };
            let report = Checker::new(&counting).packed().check(&settings).unwrap();
            assert_ended(&report, Limit::Seconds(SECONDS));
            assert_eq!((report.states, report.transitions), (1, 0));
            assert!(counting.since.elapsed() < LONGER_THAN_ANY_LIMIT);
        }
    }
}

#[test]
fn time_is_up_in_a_pass_over_the_type_correct_states() {
    for endless in [Endless::Initial, Endless::Steps] {
        let counting = Counting::new(endless);
        let settings = Settings {
            obligations: Selection::only(["inductive:true"]),
            induction: Induction::Included,
            ..seconds()
        };
        let report = Checker::new(&counting)
            .inductive()
            .check(&settings)
            .unwrap();
        assert_ended(&report, Limit::Seconds(SECONDS));
        let row = report.obligation("inductive:true").unwrap();
        assert_eq!(row.verdict, Verdict::Incomplete);
    }
}

/// Eight values that can be exchanged in 40 320 ways.
struct Exchangeable;

type Values = [u8; 8];

impl TransitionSystem for Exchangeable {
    type State = Values;
    type Action = (usize, u8);
    type Observation = ();

    fn rules(&self) -> &[Rule] {
        const { &[Rule::new("set", "everyone", "a test")] }
    }

    fn rule_of(&self, _: &(usize, u8)) -> RuleId {
        RuleId(0)
    }

    fn initial(&self, visit: &mut impl FnMut(Values)) {
        visit([0; 8]);
    }

    fn next(&self, from: &Values, visit: &mut impl FnMut((usize, u8), Values)) {
        for place in 0..8 {
            for value in 0..8 {
                let mut to = *from;
                to[place] = value;
                visit((place, value), to);
            }
        }
    }

    fn observe(&self, _: &Values) {}
}

impl Symmetric for Exchangeable {
    type Permutation = Values;

    fn permutations(&self) -> Vec<Values> {
        let mut all = vec![Vec::new()];
        for _ in 0..8 {
            let longer = |one: &Vec<u8>| -> Vec<Vec<u8>> {
                let others = (0..8).filter(|other| !one.contains(other));
                others.map(|other| [&one[..], &[other]].concat()).collect()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.into_iter().map(|one| one.try_into().unwrap()).collect()
    }

    fn permute(&self, by: &Values, values: &Values) -> Values {
        let mut permuted = [0; 8];
        for (value, place) in values.iter().zip(by) {
            permuted[usize::from(*place)] = *value;
        }
        permuted
    }

    fn permute_action(
        &self,
        by: &Values,
        _: &Values,
        (place, value): &(usize, u8),
        _: &Values,
    ) -> (usize, u8) {
        (by[*place].into(), *value)
    }
}

impl Refinement for Exchangeable {
    type Concrete = Self;
    type Abstract = Self;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Self {
        self
    }

    fn map(&self, values: &Values) -> Values {
        *values
    }

    fn abstract_action(&self, _: &Values, action: &(usize, u8), _: &Values) -> Option<(usize, u8)> {
        Some(*action)
    }
}

/// To test all permutations of one state takes minutes, and to find what stands for the targets of its
/// steps takes seconds.
#[test]
fn time_is_up_within_the_test_of_a_symmetry() {
    let started = Instant::now();
    let settings = Settings {
        symmetry: Symmetry::Full,
        ..seconds()
    };
    let report = Checker::new(&Exchangeable)
        .symmetric()
        .check(&settings)
        .unwrap();
    assert_ended(&report, Limit::Seconds(SECONDS));
    let symmetry = report.symmetry.unwrap();
    // A state of which some permutations were tested is not one that was tested.
    assert_eq!((symmetry.permutations, symmetry.tested_states), (40_320, 0));
    assert!(started.elapsed() < LONGER_THAN_ANY_LIMIT);
}

/// Where the operating system refuses memory in which states are found again, some may be missing; nothing
/// holds then, and what was seen is reported.
#[test]
fn a_set_that_cannot_grow_ends_the_search() {
    for refused in [4096..1 << 20, 1 << 24..usize::MAX, 0..0] {
        for (storage, packed) in [
            (Storage::Packed, true),
            (Storage::Whole, false),
            (Storage::Fingerprints, false),
        ] {
            let counting = Counting::new(Endless::Nothing);
            let checker = Checker::new(&counting);
            let checker = match packed {
                true => checker.packed(),
                false => checker,
            };
            let settings = Settings {
                storage,
                // What is refused is refused on this thread.
                threads: 1,
                obligations: Selection::only(["invariant:true"]),
                ..Settings::default()
            };
            REFUSED.set(refused.clone());
            let report = checker.check(&settings).unwrap();
            REFUSED.set(0..0);
            match refused.is_empty() {
                true => {
                    assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
                    assert_eq!(report.states, FINITE);
                }
                false => {
                    assert_ended(&report, Limit::OutOfMemory);
                    assert!(report.states < FINITE);
                }
            }
        }
    }
}

/// States of a kilobyte, without end.
struct Bulky;

impl TransitionSystem for Bulky {
    type State = Vec<u64>;
    type Action = u64;
    type Observation = ();

    fn rules(&self) -> &[Rule] {
        const { &[Rule::new("go", "counter", "a test")] }
    }

    fn rule_of(&self, _: &u64) -> RuleId {
        RuleId(0)
    }

    fn initial(&self, visit: &mut impl FnMut(Vec<u64>)) {
        visit(vec![0; 128]);
    }

    fn next(&self, from: &Vec<u64>, visit: &mut impl FnMut(u64, Vec<u64>)) {
        for action in 0..2 {
            visit(action, vec![2 * from[0] + 1 + action; 128]);
        }
    }

    fn observe(&self, _: &Vec<u64>) {}
}

impl Refinement for Bulky {
    type Concrete = Self;
    type Abstract = Self;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Self {
        self
    }

    fn map(&self, state: &Vec<u64>) -> Vec<u64> {
        state.clone()
    }

    fn abstract_action(&self, _: &Vec<u64>, action: &u64, _: &Vec<u64>) -> Option<u64> {
        Some(*action)
    }
}

#[test]
#[ignore = "run by the next test, in a process that may not have much memory"]
fn what_fits_into_little_memory_is_reported() {
    if Limits::memory_by_default().is_none_or(|bytes| bytes > 1 << 30) {
        return;
    }
    let report = Checker::new(&Bulky).check(&Settings::default()).unwrap();
    assert_ended(&report, Limit::OutOfMemory);
    assert!(report.states > 10_000, "{report}");
    println!("reported");
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_refused_memory_reports_what_it_has_seen() {
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -v 600000 && exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "--nocapture"])
        .arg("obligation::tests::what_fits_into_little_memory_is_reported")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("reported"), "{told}\n{output:?}");
}

/// By default a check stops before the machine swaps, and says why.
#[test]
fn the_default_bound_on_memory_says_what_it_is() {
    let bytes = Limits::memory_by_default().unwrap();
    let told = Limit::MemoryBytes(bytes).to_string();
    assert!(told.contains("four fifths of what the machine"), "{told}");
    let told = Limit::MemoryBytes(1023).to_string();
    assert_eq!(told, "the limit of 1 023 bytes of memory");
}
