//! Functions that return while states are searched for, and panic when they are asked again after that.

use std::sync::atomic::{AtomicBool, Ordering};

use refmap::AbstractSteps::{self, One};
use refmap::obligation::Settings;
use refmap::state::{Kept, Limits, Shape, Sink, Source};
use refmap::{Process, Refinement, Report, Rule, State, TransitionSystem, Verdict, check};
use refmap_testing::row_of;

/// Function that panics.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Panicking {
    Nothing,
    Map,
    Candidates,
    AtRest,
    Read,
}

/// So many states, the last of which tells that the search is over.
const STATES: u16 = 300;
/// The state of which it panics.
const ONE: u16 = 7;

/// A number that is written by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Number(u16);

/// The greatest number.
const MOST: u64 = STATES as u64 - 1;

impl State<Counter> for Number {
    const KEPT: Kept = Kept::Encoded;

    fn shape(_: &Counter, _: Limits) -> Shape {
        Shape::by_hand(Some(u64::BITS - MOST.leading_zeros()))
    }

    fn write(&self, _: &Counter, _: Limits, sink: &mut impl Sink) {
        sink.number(MOST, self.0.into());
    }

    fn read(counter: &Counter, _: Limits, source: &mut impl Source) -> Self {
        let read = Self(source.number(MOST) as u16);
        counter.panics(Panicking::Read, read);
        read
    }
}

/// A counter that is kept packed.
struct Counter {
    panicking: Panicking,
    is_over: AtomicBool,
    rules: Vec<Rule>,
}

impl Counter {
    fn new(panicking: Panicking, rules: &[&'static str]) -> Self {
        let rules = rules.iter();
        Self {
            panicking,
            is_over: AtomicBool::new(false),
            rules: rules
                .map(|name| Rule::new(name, "clock", "a test"))
                .collect(),
        }
    }

    fn panics(&self, function: Panicking, Number(state): Number) {
        let is_over = self.is_over.load(Ordering::Relaxed);
        let panics = self.panicking == function && is_over && state == ONE;
        assert!(!panics, "7 is no good");
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Tick;

impl refmap::Action<Counter> for Tick {
    fn rules(counter: &Counter) -> &[Rule] {
        &counter.rules
    }
}

impl TransitionSystem for Counter {
    type State = Number;
    type Action = Tick;
    type Observation = u16;

    fn initial(&self, visit: &mut impl FnMut(Number)) {
        visit(Number(0));
    }

    /// Asked after the search of one that simulates itself for what the specification offers.
    fn candidates(&self, from: &Number, visit: &mut impl FnMut(Tick)) {
        self.panics(Panicking::Candidates, *from);
        visit(Tick);
    }

    fn fire(&self, _: &Tick, state: &mut Number) -> Option<()> {
        state.0 = (state.0 + 1) % STATES;
        Some(())
    }

    fn observe(&self, state: &Number) -> u16 {
        state.0
    }
}

struct Same {
    implementation: Counter,
    specification: Counter,
    environment: Vec<Process>,
}

impl Refinement for Same {
    type Implementation = Counter;
    type Specification = Counter;

    fn implementation(&self) -> &Counter {
        &self.implementation
    }

    fn specification(&self) -> &Counter {
        &self.specification
    }

    fn map(&self, state: &Number) -> Number {
        self.implementation.panics(Panicking::Map, *state);
        *state
    }

    fn abstract_steps(&self, from: &Number, _: &Tick, _: &Number) -> AbstractSteps<Tick> {
        if from.0 == STATES - 1 {
            for system in [&self.implementation, &self.specification] {
                system.is_over.store(true, Ordering::Relaxed);
            }
        }
        One(Tick)
    }

    fn environment(&self) -> &[Process] {
        &self.environment
    }

    fn at_rest(&self, state: &Number, _: Process) -> bool {
        self.implementation.panics(Panicking::AtRest, *state);
        true
    }
}

/// A check in which `panicking` panics once the last state was expanded; the specification has a rule that it never
/// takes, so that all states are looked at once more.
fn report(panicking: Panicking, environment: &[Process]) -> Report {
    let refinement = Same {
        implementation: Counter::new(panicking, &["tick"]),
        specification: Counter::new(panicking, &["tick", "never"]),
        environment: environment.to_vec(),
    };
    let settings = Settings {
        threads: 1,
        ..Settings::default()
    };
    let checked = check(&refinement, &settings);
    checked.expect("the settings fit")
}

#[test]
fn what_panics_after_the_search_is_named() {
    let clock = [Process::new("clock")];
    for environment in [&[][..], &clock] {
        let report = report(Panicking::Nothing, environment);
        assert_eq!(report.verdict, Some(Verdict::Holds), "{report}");
    }
    for (panicking, environment, row, named) in [
        (Panicking::Map, &[][..], "coverage", "`map` panicked"),
        (
            Panicking::Candidates,
            &[],
            "coverage",
            "`candidates`, `fire` or `next` of the specification panicked",
        ),
        (
            Panicking::Read,
            &[],
            "coverage",
            "`read` of a state panicked",
        ),
        (Panicking::AtRest, &clock, "model", "`at_rest` panicked"),
        (Panicking::Map, &clock, "model", "`map` panicked"),
        (
            Panicking::Read,
            &clock,
            "model",
            "`read` of a state panicked",
        ),
    ] {
        let report = report(panicking, environment);
        assert_eq!(report.verdict, Some(Verdict::Violated), "{report}");
        let row = row_of(&report, row);
        let mut told = row.counterexamples.iter();
        let is_told = told
            .any(|one| one.explanation.contains(named) && one.explanation.contains("7 is no good"));
        assert!(is_told, "{panicking:?}: {row:?}");
    }
}
