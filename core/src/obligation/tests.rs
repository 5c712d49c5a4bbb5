//! Limits hold from the first moment on: while initial states are enumerated, within a state whose
//! steps take for ever, and within the test of a symmetry. So does that of the operating system on memory.
//!
//! Enumerations of the systems here have no end. One that takes longer than any limit panics, and the verdict is another
//! one.

use crate::AbstractSteps::{self, One};
use crate::statement::shown::number::counted;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Checker, Induction, Search, Selection, Settings, Symmetry, check};
use crate::report::{Report, Verdict};
use crate::state::{Kept, Limits as Ranges, Shape, Sink, Source, State};
use crate::statement::asked::type_correct::{Choices, TypeCorrect};
use crate::statement::invariant::Invariant;
use crate::statement::refinement::Refinement;
use crate::statement::system::TransitionSystem;
use crate::walk::explore::{Limit, Limits, Progress, REFUSED, Storage, Watch};
use crate::walk::random::Walks;

/// In debug builds on a busy machine.
const LONGER_THAN_ANY_LIMIT: Duration = Duration::from_secs(30);
const SECONDS: f64 = 0.2;
const WALKS: Walks = Walks {
    walks: 10,
    steps: 10,
    seed: 1,
};

/// Enumeration that has no end.
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

/// A number, written into a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Number(u64);

/// The greatest number that is written.
const MOST: u64 = (1 << 40) - 1;

impl<S: ?Sized> State<S> for Number {
    const KEPT: Kept = Kept::Encoded;

    fn shape(_: &S, _: Ranges) -> Shape {
        Shape::by_hand(Some(40))
    }

    fn write(&self, _: &S, _: Ranges, sink: &mut impl Sink) {
        sink.number(MOST, self.0);
    }

    fn read(_: &S, _: Ranges, source: &mut impl Source) -> Self {
        Self(source.number(MOST))
    }
}

struct Counting {
    endless: Endless,
    since: Instant,
}

impl Counting {
    fn new(endless: Endless) -> Self {
        Self {
            endless,
            since: Instant::now(),
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
    type State = Number;
    type Action = u64;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Number)) {
        let visit = |number| visit(Number(number));
        match self.endless {
            Endless::SlowInvariant => self.count(Endless::SlowInvariant, visit),
            _ => self.count(Endless::Initial, visit),
        }
    }

    fn candidates(&self, from: &Number, visit: &mut impl FnMut(u64)) {
        match self.endless {
            Endless::SlowSteps => (0..100_000).for_each(visit),
            Endless::Nothing => {
                let targets = [2 * from.0 + 1, 2 * from.0 + 2].into_iter();
                targets.filter(|to| *to < FINITE).for_each(visit);
            }
            _ => self.count(Endless::Steps, visit),
        }
    }

    fn fire(&self, to: &u64, state: &mut Number) -> Option<()> {
        *state = Number(*to);
        Some(())
    }

    fn observe(&self, _: &Number) {}
}

impl TypeCorrect for Counting {
    fn type_correct(&self, choices: &mut Choices) -> Number {
        Number(choices.below(10))
    }
}

impl Refinement for Counting {
    type Implementation = Self;
    type Specification = Self;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Self {
        self
    }

    fn map(&self, state: &Number) -> Number {
        if self.endless == Endless::SlowSteps {
            std::thread::sleep(Duration::from_millis(1));
        }
        state.clone()
    }

    fn abstract_steps(&self, _: &Number, action: &u64, _: &Number) -> AbstractSteps<u64> {
        One(*action)
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
    for storage in [Storage::Packed, Storage::Whole] {
        let settings = Settings {
            storage,
            obligations: Selection::only(["invariant:true"]),
            ..seconds()
        };
        let report = check(&Counting::new(Endless::Initial), &settings).unwrap();
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
    let report = check(&counting, &settings).unwrap();
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
            search: if walks {
                Search::Walks(WALKS)
            } else {
                Search::Exhaustive
            },
            ..Settings::default()
        };
        let report = check(&counting, &settings).unwrap();
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
            search: if walks {
                Search::Walks(WALKS)
            } else {
                Search::Exhaustive
            },
            obligations: Selection::only(["invariant:true"]),
            ..Settings::default()
        };
        let report = check(&counting, &settings).unwrap();
        assert_ended(&report, Limit::Cancelled);
    }
}

/// Initial states of which a report says nothing, since there was no time to look at them, are counted in it.
#[test]
fn what_there_is_no_time_to_look_at_is_told() {
    let counting = Counting::new(Endless::SlowInvariant);
    let settings = Settings {
        obligations: Selection::only(["invariant:true"]),
        ..seconds()
    };
    let report = check(&counting, &settings).unwrap();
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
        let counting = Counting::new(endless);
        let report = check(&counting, &seconds()).unwrap();
        assert_ended(&report, Limit::Seconds(SECONDS));
        assert_eq!((report.states, report.transitions), (1, 0));
        assert!(counting.since.elapsed() < LONGER_THAN_ANY_LIMIT);
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

/// Forty values that can be exchanged.
struct Exchangeable;

#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, crate::State)]
struct Values {
    #[state(symmetric)]
    values: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, crate::Action)]
#[rule(process = "value")]
enum Set {
    Set(#[process(0..40)] usize, #[action(range = 0..60)] u8),
}

impl crate::Action<Exchangeable> for (usize, u8) {}

impl TransitionSystem for Exchangeable {
    type State = Values;
    type Action = Set;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(Values)) {
        let values = vec![0; 40];
        visit(Values { values });
    }

    fn fire(&self, Set::Set(place, value): &Set, state: &mut Values) -> Option<()> {
        state.values[*place] = *value;
        Some(())
    }

    fn observe(&self, _: &Values) {}

    /// Each exchange asks it, of which there are 39 or more: however fast the machine, they take longer than the limit.
    fn may_stop(&self, _: &Values) -> bool {
        std::thread::sleep(Duration::from_millis(10));
        false
    }
}

impl Refinement for Exchangeable {
    type Implementation = Self;
    type Specification = Self;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Self {
        self
    }

    fn map(&self, values: &Values) -> Values {
        values.clone()
    }

    fn abstract_steps(&self, _: &Values, action: &Set, _: &Values) -> AbstractSteps<Set> {
        One(action.clone())
    }
}

#[test]
fn time_is_up_within_the_test_of_a_symmetry() {
    let started = Instant::now();
    let settings = Settings {
        symmetry: Symmetry::Full,
        ..seconds()
    };
    let report = Checker::new(&Exchangeable).check(&settings).unwrap();
    assert_ended(&report, Limit::Seconds(SECONDS));
    let symmetry = report.symmetry.as_ref().unwrap();
    // A state of which some exchanges were tested is not one that was tested.
    let counts = (symmetry.permutations, symmetry.tested_states);
    assert_eq!(counts, (usize::MAX, 0));
    let text = report.to_string();
    let words: Vec<_> = text.split_whitespace().collect();
    let told = "(tested in turn on 0 states, and else believed)";
    assert!(words.join(" ").contains(told), "{text}");
    assert!(started.elapsed() < LONGER_THAN_ANY_LIMIT);
}

/// States may be missing where the operating system refuses memory in which they are found again; nothing holds then,
/// and what was seen is reported.
#[test]
fn a_set_that_cannot_grow_ends_the_search() {
    for refused in [4096..1 << 20, 1 << 24..usize::MAX, 0..0] {
        for storage in [Storage::Packed, Storage::Whole] {
            let settings = Settings {
                storage,
                // What is refused is refused on this thread.
                threads: 1,
                obligations: Selection::only(["invariant:true"]),
                ..Settings::default()
            };
            REFUSED.set(refused.clone());
            let report = check(&Counting::new(Endless::Nothing), &settings).unwrap();
            REFUSED.set(0..0);
            if refused.is_empty() {
                assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
                assert_eq!(report.states, FINITE);
            } else {
                assert_ended(&report, Limit::OutOfMemory);
                assert!(report.states < FINITE);
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

    fn initial(&self, visit: &mut impl FnMut(Vec<u64>)) {
        visit(vec![0; 128]);
    }

    fn candidates(&self, _: &Vec<u64>, visit: &mut impl FnMut(u64)) {
        (0..2).for_each(visit);
    }

    fn fire(&self, action: &u64, state: &mut Vec<u64>) -> Option<()> {
        let number = 2 * state[0] + 1 + action;
        state.fill(number);
        Some(())
    }

    fn observe(&self, _: &Vec<u64>) {}
}

impl Refinement for Bulky {
    type Implementation = Self;
    type Specification = Self;

    fn implementation(&self) -> &Self {
        self
    }

    fn specification(&self) -> &Self {
        self
    }

    fn map(&self, state: &Vec<u64>) -> Vec<u64> {
        state.clone()
    }

    fn abstract_steps(&self, _: &Vec<u64>, action: &u64, _: &Vec<u64>) -> AbstractSteps<u64> {
        One(*action)
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
